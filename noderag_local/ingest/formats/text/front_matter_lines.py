"""Reads the properties in the front matter of a note as lines of its text: "birthday: 1980-05-01", "guests: Anna, Bob"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from noderag_local.domain.documents import BlockKind
from noderag_local.ingest.chunks.parsed_document import Block, Fragment, Marker
from noderag_local.ingest.formats.text.fields import Field, Fields
from noderag_local.ingest.formats.text.inline import shown

NOT_SHOWN = frozenset(
    "title tag tags alias aliases cssclass cssclasses publish draft layout permalink slug id uid uuid "
    "toc weight date datum fecha created updated modified lastmod erstellt aktualisiert geändert créé modifié creado actualizado modificado".split()
)
"""Keys of properties that are read elsewhere, or are about the file: for programs, or the day on which it was written or changed. As a line
of the text, that day would be near to every question that asks when."""
_FOR_PROGRAMS = re.compile(
    r".+-plugin|(?:date|last)[ _-]?(?:created|updated|modified|edited)|(?:created|updated|modified|edited)[ _-]?(?:at|on)"
)
_PROPERTY = re.compile(
    r"^(?P<key>[^\W\d_][^:=#\n]{0,80}?)[ \t]*(?::(?=[ \t\n])|=)[ \t]*+(?P<value>[^\n]*+)\n"
    r"(?P<items>(?:[ \t]*+-[ \t]++[^\n]*+\n)*)",
    re.MULTILINE,
)
_ITEM = re.compile(r"^[ \t]*+-[ \t]++(?P<item>[^\n]*+)$", re.MULTILINE)
_SECTION = re.compile(r"^\[", re.MULTILINE)
"""Begins a section in TOML; keys below it are no properties of the note."""
_AROUND = {'"': '"', "'": "'", "[": "]"}
LONGEST_MEANT = 2_000
"""Characters of the longest value that is shown where it is not written as it is meant; an alias may stand for a long text."""
_BRACKETS = re.compile(r"\[\[(?:[^\[\]|]*\|)?|\]\]")


def property_blocks(text: str, end: int, fields: Fields) -> list[Block]:
    """Returns a paragraph for each property of a note that is shown, a list with commas. Texts of several lines are left out.

    Args:
        text: text of the note.
        end: where its front matter ends.
        fields: the values as they are meant, by key.
    """
    first = text.find("\n", 0, end) + 1
    section = _SECTION.search(text, first, end) if text.startswith("+++") else None
    found = _PROPERTY.finditer(text, first, section.start() if section else end)
    return [
        block
        for match in found
        if match["key"] in fields and is_shown(match["key"])
        for block in _blocks(text, match, fields[match["key"]])
    ]


def is_shown(key: str) -> bool:
    """Returns whether a property of this key tells something of what the note is about."""
    folded = key.lower()
    return folded not in NOT_SHOWN and not _FOR_PROGRAMS.fullmatch(folded)


def _blocks(text: str, match: re.Match[str], field: Field) -> list[Block]:
    """Returns the block of a property; none if nothing of its value is shown, or if it has several lines."""
    meant = (field if isinstance(field, str) else ", ".join(field)).strip()
    if not meant or "\n" in meant:
        return []
    items = [one.span("item") for one in _ITEM.finditer(text, *match.span("items"))]
    values = [_without_marks(text, *value) for value in items or [match.span("value")]]
    if ", ".join(text[start:end] for start, end in values) == meant:
        fragments, markers = _listed(text, values)
        stop = values[-1][1]
    elif len(meant) > LONGEST_MEANT:
        return []
    else:
        # Quotes inside, comments, escapes and the like: only the parser knows what is meant.
        stop = match.end() - 1
        fragments, markers = (Fragment(_BRACKETS.sub("", meant), match.end("key") + 1, stop),), ()
    key = (Fragment(match["key"], *match.span("key")), Fragment(": ", match.end("key"), fragments[0].start))
    return [Block(BlockKind.PARAGRAPH, match.start(), stop, (), (*key, *fragments), markers)]


def _listed(text: str, values: Sequence[tuple[int, int]]) -> tuple[tuple[Fragment, ...], tuple[Marker, ...]]:
    """Returns what is shown of some values, with commas between them."""
    fragments: list[Fragment] = []
    markers: list[Marker] = []
    for start, end in values:
        if fragments:
            fragments.append(Fragment(", ", fragments[-1].end, start))
        pieces, marks = shown(text, start, end, with_tags=False)
        fragments += pieces
        markers += marks
    return tuple(fragments), tuple(markers)


def _without_marks(text: str, start: int, end: int) -> tuple[int, int]:
    """Returns the (start, end) of a value inside its quotes or brackets; those of a link to a note stay."""
    value = text[start:end].rstrip()
    end = start + len(value)
    is_around = len(value) > 1 and value[-1] == _AROUND.get(value[0]) and not value.startswith("[[")
    return (start + 1, end - 1) if is_around else (start, end)
