"""Tables of notes, with columns of one kind of value each, so that they can be computed with."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

Cell = str | float | None
"""Value of a cell: a text, a number, an ISO 8601 day as text, or None where it is empty."""


class ColumnKind(StrEnum):
    """Kinds of values that a column may have."""

    TEXT = "text"
    NUMBER = "number"
    DAY = "day"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    title: str
    """As the note writes it."""
    name: str
    """The title as a lower-case identifier that no other column of the table has."""
    kind: ColumnKind
    unit: str = ""
    """Unit of its numbers, "" where none is known."""
    unread: int = 0
    """Number of cells that hold something else than the others, and count as empty."""


@dataclass(frozen=True, slots=True)
class TypedTable:
    """A table whose cells are read."""

    title: str
    """Title of the document, and the headings over the table."""
    name: str
    """The title as a lower-case identifier."""
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    """Cells of each row, one for each column."""
    nodes: tuple[int, ...]
    """Node of the sentence of each row."""
