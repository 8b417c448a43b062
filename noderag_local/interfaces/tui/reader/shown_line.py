"""A line of a note as it is shown: its text, styles and links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Span(NamedTuple):
    """A stretch of a line in a style."""

    start: int
    end: int
    style: str
    """Name of a component style of `NoteView`, without its beginning."""


class LineLink(NamedTuple):
    """A stretch of a line that leads somewhere."""

    start: int
    end: int
    target: str
    """What the note names: "Marta", "people/marta.md#Work", "#Work", "https://example.org"."""


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of a note without its marks."""

    text: str
    prefix: str = ""
    """Text before the first row, such as a bullet; further rows are indented by its width."""
    style: str = ""
    """Style of the whole text."""
    spans: tuple[Span, ...] = ()
    links: tuple[LineLink, ...] = ()
