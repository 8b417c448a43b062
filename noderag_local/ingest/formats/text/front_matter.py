"""Front matter of a note: title, aliases and tags. What cannot be read stays text, and the reader tells why."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from noderag_local.ingest.formats.text.fields import Field, Fields, UnreadableFields
from noderag_local.ingest.formats.text.toml_fields import toml_fields
from noderag_local.ingest.formats.text.yaml_fields import yaml_fields

MAX_CHARACTERS = 1 << 16

_FENCED = re.compile(
    r"(?P<fence>---|\+\+\+)[ \t]*+\n(?P<body>(?:.*+\n)*?)(?:(?P=fence)|(?:(?<!\A)\.\.\.))[ \t]*+(?:\n|\Z)"
)
_BEGINS_WITH_FIELD = re.compile(r"\+\+\+|---[ \t]*+\n\s*+[^\s:#][^:\n]{0,80}:[ \t\n]")
"""YAML may be text between two rules."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The parts of front matter that are used."""

    end: int = 0
    """Characters that it takes at the start of the text; 0 where there is none."""
    title: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    fault: str = ""
    """Why it could not be read, to go on behind "front matter that"; its characters are text then."""


def front_matter(text: str) -> FrontMatter:
    """Front matter (YAML between ---, TOML between +++) at the start of a text."""
    match = _FENCED.match(text, 0, MAX_CHARACTERS)
    if match is None:
        return _faulty(text, f"has no end within {MAX_CHARACTERS:,} characters" if len(text) > MAX_CHARACTERS else "")
    try:
        fields = toml_fields(match["body"]) if match["fence"] == "+++" else yaml_fields(match["body"])
    except UnreadableFields as error:
        return _faulty(text, str(error))
    return FrontMatter() if fields is None else _told(fields, match.end())


def _faulty(text: str, fault: str) -> FrontMatter:
    return FrontMatter(fault=fault if _BEGINS_WITH_FIELD.match(text) else "")


def _told(fields: Fields, end: int) -> FrontMatter:
    named = {key.lower(): value for key, value in fields.items()}
    title = named.get("title")
    return FrontMatter(
        end,
        " ".join(title.split()) if isinstance(title, str) else "",
        _names(tag.lstrip("#") for tag in _items(named.get("tags", named.get("tag")), " ")),
        _names(_items(named.get("aliases", named.get("alias")))),
    )


def _items(value: Field | None, other_separator: str = ",") -> list[str]:
    """A list, or one text with separators between its items."""
    if isinstance(value, str):
        return " ".join(value.split()).replace(other_separator, ",").split(",")
    return value or []


def _names(items: Iterable[str]) -> tuple[str, ...]:
    """Tidied names, each once, in their order."""
    names = (" ".join(item.split()) for item in items)
    return tuple(dict.fromkeys(name for name in names if name))
