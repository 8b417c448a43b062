"""Title, aliases, tags and day of a note: from its front matter, from Logseq's page properties, and from the name of its file.

Front matter that cannot be read is left in the text, and its fault is told.
"""

from __future__ import annotations

import os
import re
from calendar import month_name
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from urllib.parse import unquote

from noderag_local.ingest.formats.text.fields import Field, Fields, UnreadableFields, toml_fields, yaml_fields
from noderag_local.ingest.formats.text.front_matter_day import front_matter_day
from noderag_local.ingest.formats.text.text_reader import stem

MAX_CHARACTERS = 1 << 16
"""Longest front matter that is read."""

_FENCED = re.compile(
    r"(?P<fence>---|\+\+\+)[ \t]*+\n(?P<body>(?:.*+\n)*?)(?:(?P=fence)|(?:(?<!\A)\.\.\.))[ \t]*+(?:\n|\Z)"
)
_BEGINS_WITH_FIELD = re.compile(r"\+\+\+|---[ \t]*+\n\s*+[^\s:#][^:\n]{0,80}:[ \t\n]")
"""Tells front matter from text between two rules, which looks alike in YAML."""
_PAGE_LINE = re.compile(
    r"(?:- )?(?P<key>title|alias|aliases|tags|type|public|filters|icon|exclude-from-graph-view)::"
    r"[ \t]*(?P<value>[^\n]*)(?:\n|\Z)",
    re.IGNORECASE,
)
"""A line `key:: value` at the start of a Logseq page."""
_BLOCK_ID = re.compile(
    r"^[ \t]*(?:- )?id::[ \t]*(?P<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})[ \t]*$", re.MULTILINE
)
_BRACKETS = re.compile(r"#?\[\[|\]\]")
_DAY = re.compile(r"(\d{4})[-_]?(\d{2})[-_]?(\d{2})")
_ENDINGS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}


@dataclass(frozen=True, slots=True)
class NoteMetadata:
    """Title, tags, aliases and day that a note gives before its text begins."""

    end: int = 0
    """Number of characters that the metadata take at the start of the text; 0 if there are none."""
    title: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    day: str = ""
    """Day of the note, such as "2026-05-03"; "" if there is none."""
    fields: Fields = field(default_factory=dict)
    """All values in the front matter by key, also the title, tags and aliases."""
    fault: str = ""
    """Why front matter could not be read, worded to follow "front matter that"; it is part of the text then."""


@dataclass(frozen=True, slots=True)
class NoteNames:
    """Names that a note has by its file."""

    title: str
    """Title for a note that gives itself none."""
    aliases: tuple[str, ...] = ()


def note_metadata(text: str) -> NoteMetadata:
    """Returns the metadata at the start of a note: its front matter, else its page properties."""
    matter = _front_matter(text)
    return matter if matter.end else replace(_page_properties(text), fault=matter.fault)


def block_ids(text: str) -> tuple[str, ...]:
    """Returns the identifiers of Logseq's blocks in a note; references to them are links to the note."""
    return tuple(dict.fromkeys(match["id"] for match in _BLOCK_ID.finditer(text))) if "id::" in text else ()


def note_names(path: str) -> NoteNames:
    """Returns the names that a note has by its file.

    A note of a day ("2024-05-01.md", Logseq's "journals/2024_05_01.md") is called by its ISO date, and by the name with
    which Logseq links to it ("May 1st, 2024"). Logseq writes the slash of a page "Garden/Roses" as "___".

    Args:
        path: name of the file, with its folder's.
    """
    name, folder = stem(path), os.path.basename(os.path.dirname(path))
    day = _day(name)
    if day is not None:
        of_logseq = f"{month_name[day.month][:3]} {day.day}{_ENDINGS.get(day.day, 'th')}, {day.year}"
        return NoteNames(day.isoformat(), (day.isoformat(), of_logseq) if folder == "journals" else (day.isoformat(),))
    page = unquote(name).replace("___", "/") if folder == "pages" else name
    # A link to "Garden/Roses" is looked up by its last part, like a link by a path.
    return NoteNames(page, (page.rsplit("/", 1)[-1],) if "/" in page else ())


def _front_matter(text: str) -> NoteMetadata:
    """Returns the front matter of a note: YAML between ---, or TOML between +++."""
    match = _FENCED.match(text, 0, MAX_CHARACTERS)
    if match is None:
        return _faulty(text, f"has no end within {MAX_CHARACTERS:,} characters" if len(text) > MAX_CHARACTERS else "")
    try:
        fields = toml_fields(match["body"]) if match["fence"] == "+++" else yaml_fields(match["body"])
    except UnreadableFields as error:
        return _faulty(text, str(error))
    return NoteMetadata() if fields is None else _used(fields, match.end())


def _faulty(text: str, fault: str) -> NoteMetadata:
    return NoteMetadata(fault=fault if _BEGINS_WITH_FIELD.match(text) else "")


def _used(fields: Fields, end: int) -> NoteMetadata:
    """Returns the metadata in the fields of front matter."""
    named = {key.lower(): value for key, value in fields.items()}
    title = named.get("title")
    return NoteMetadata(
        end,
        " ".join(title.split()) if isinstance(title, str) else "",
        _tidied(tag.lstrip("#") for tag in _items(named.get("tags", named.get("tag")), " ")),
        _tidied(_items(named.get("aliases", named.get("alias")))),
        front_matter_day(fields),
        fields,
    )


def _items(value: Field | None, other_separator: str = ",") -> list[str]:
    """Returns the items of a list, or of one text with separators between them."""
    if isinstance(value, str):
        return " ".join(value.split()).replace(other_separator, ",").split(",")
    return value or []


def _page_properties(text: str) -> NoteMetadata:
    """Returns the properties of a Logseq page; the first line that is no known property ends them."""
    found: dict[str, str] = {}
    end = 0
    while line := _PAGE_LINE.match(text, end):
        found[line["key"].lower()] = line["value"]
        end = line.end()
    tags = (tag.lstrip("#") for tag in _listed(found.get("tags", "")))
    aliases = _listed(f"{found.get('alias', '')},{found.get('aliases', '')}")
    return NoteMetadata(end, _BRACKETS.sub("", found.get("title", "")).strip(), tuple(filter(None, tags)), aliases)


def _listed(value: str) -> tuple[str, ...]:
    """Returns the names in the value of a property, without the brackets of links."""
    return _tidied(_BRACKETS.sub("", name) for name in value.split(","))


def _tidied(items: Iterable[str]) -> tuple[str, ...]:
    """Returns names with single spaces, each once, in their order."""
    names = (" ".join(item.split()) for item in items)
    return tuple(dict.fromkeys(name for name in names if name))


def _day(name: str) -> date | None:
    found = _DAY.fullmatch(name)
    try:
        return date(*map(int, found.groups())) if found else None
    except ValueError:
        return None
