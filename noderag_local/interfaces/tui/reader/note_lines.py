"""Turns the lines of a note into the lines that are shown, each when it is first needed."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from noderag_local.interfaces.tui.reader.inline_styles import inline_text
from noderag_local.interfaces.tui.reader.shown_line import ShownLine
from noderag_local.interfaces.tui.reader.table_lines import cells_of, column_widths, is_below_head, table_line

if TYPE_CHECKING:
    from noderag_local.vault.browsing.note_text import NoteText

KEPT_LINES = 4096
"""Number of shown lines that are kept; more than the largest screen has."""
LONGEST_FRONT = 500
"""Lines of front matter at most; a rule at the top of a note begins none."""
HIGHEST_TABLE = 500
"""Rows of a table whose columns are aligned together."""
BULLETS = "-*+"
BOXES = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ ", "[-] ": "☒ ", "[/] ": "◪ "}


class LineKind(IntEnum):
    """Kinds of lines of a note."""

    TEXT = 0
    HEADING = 1
    UNDERLINED = 2
    """A heading whose mark is the line below it."""
    CODE = 3
    FRONT = 4
    QUOTE = 5
    ITEM = 6
    TABLE = 7
    RULE = 8
    UNDERLINE = 9
    LEAF = 10


class OutlineHeading(NamedTuple):
    """A heading of a note."""

    line: int
    """0-based number of the line."""
    level: int
    """From 1 on."""
    title: str


class NoteLines:
    """The lines of one text; they never change."""

    def __init__(self, text: NoteText) -> None:
        """Finds out what each line is, 0.1 s for 200,000 lines of Markdown."""
        self.text = text
        self.kinds = _kinds_of_markdown(text.lines) if text.is_markdown else _kinds_as_read(text)
        self.line = lru_cache(KEPT_LINES)(self._line)
        self._column_widths: dict[tuple[int, int], tuple[int, ...]] = {}
        """Widths of the columns of tables, by the first and last line."""

    def __len__(self) -> int:
        return len(self.text.lines)

    def is_longer(self, number: int, cells: int) -> bool:
        """Returns whether a line may need more cells than given; quick, and True where only the shown line would tell."""
        written = self.text.lines[number]
        if self.kinds[number] in (LineKind.TABLE, LineKind.QUOTE, LineKind.ITEM):
            return 2 * len(written) + 4 > cells
        return (len(written) if written.isascii() else 2 * len(written)) > cells

    def may_have_links(self, number: int) -> bool:
        """Returns whether a line may have a link, without reading it."""
        written = self.text.lines[number]
        return self.text.is_markdown and ("[" in written or "http" in written or "<" in written)

    def outline(self) -> tuple[OutlineHeading, ...]:
        """Returns the headings in reading order."""
        headings = (LineKind.HEADING, LineKind.UNDERLINED)
        found = (number for number, kind in enumerate(self.kinds) if kind in headings)
        return tuple(OutlineHeading(number, self._level(number), self.line(number).text) for number in found)

    def heading_called(self, name: str) -> int | None:
        """Returns the line of the heading that a link names, in any spelling of its blanks and case; None if there is none."""
        wanted = _heading_key(name)
        return next((heading.line for heading in self.outline() if _heading_key(heading.title) == wanted), None)

    def _level(self, number: int) -> int:
        if self.kinds[number] == LineKind.UNDERLINED:
            return 1 if self.text.lines[number + 1].lstrip().startswith("=") else 2
        written = self.text.lines[number].lstrip(" >")
        return max(1, len(written) - len(written.lstrip("#"))) if self.text.is_markdown else 2

    def _line(self, number: int) -> ShownLine:
        written, kind = self.text.lines[number], self.kinds[number]
        if kind == LineKind.CODE:
            return ShownLine(written, style="code")
        if kind in (LineKind.FRONT, LineKind.UNDERLINE, LineKind.LEAF):
            return ShownLine(written, style="muted")
        if not self.text.is_markdown:
            return ShownLine(written, style="heading" if kind == LineKind.HEADING else "")
        if kind == LineKind.RULE:
            return ShownLine("─" * 24, style="muted")
        if kind == LineKind.TABLE:
            return self._row(number)
        prefix, rest = _prefix(written, kind)
        is_heading = kind in (LineKind.HEADING, LineKind.UNDERLINED)
        inside = inline_text(rest.strip().lstrip("#").strip() if kind == LineKind.HEADING else rest)
        return ShownLine(inside.text, prefix, "heading" if is_heading else "", inside.spans, inside.links)

    def _row(self, number: int) -> ShownLine:
        first = last = number
        while first > 0 and number - first < HIGHEST_TABLE and self.kinds[first - 1] == LineKind.TABLE:
            first -= 1
        while last + 1 < len(self) and last - number < HIGHEST_TABLE and self.kinds[last + 1] == LineKind.TABLE:
            last += 1
        widths = self._widths(first, last)
        written = self.text.lines[number]
        if is_below_head(written):
            return ShownLine("─┼─".join("─" * cells for cells in widths), style="muted")
        style = "strong" if number == first and number < last and is_below_head(self.text.lines[number + 1]) else ""
        text, spans, links = table_line([inline_text(cell) for cell in cells_of(written)], widths)
        return ShownLine(text, "", style, spans, links)

    def _widths(self, first: int, last: int) -> tuple[int, ...]:
        if (first, last) not in self._column_widths:
            rows = [row for row in self.text.lines[first : last + 1] if not is_below_head(row)]
            cells = [[inline_text(cell) for cell in cells_of(row)] for row in rows]
            self._column_widths[first, last] = column_widths(cells)
        return self._column_widths[first, last]


def _heading_key(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def _kinds_as_read(text: NoteText) -> Sequence[int]:
    kinds = array("b", [LineKind.TEXT]) * len(text.lines)
    for number in text.headings:
        kinds[number] = LineKind.HEADING
    for number in text.leaves:
        kinds[number] = LineKind.LEAF
    return kinds


def _kinds_of_markdown(lines: Sequence[str]) -> Sequence[int]:
    kinds = array("b", [LineKind.TEXT]) * len(lines)
    front = _front_matter(lines)
    for number in range(front):
        kinds[number] = LineKind.FRONT
    fence = ""
    for number in range(front, len(lines)):
        stripped = lines[number].lstrip()
        if fence:
            kinds[number] = LineKind.CODE
            fence = "" if stripped.startswith(fence) and not stripped.strip(fence[0] + " ") else fence
        elif stripped.startswith(("```", "~~~")):
            kinds[number], fence = LineKind.CODE, stripped[: len(stripped) - len(stripped.lstrip(stripped[0]))]
        elif stripped:
            kinds[number] = _kind(stripped)
            if kinds[number] in (LineKind.RULE, LineKind.UNDERLINE) and number > front:
                _underline(kinds, lines, number)
    return kinds


def _underline(kinds: array[int], lines: Sequence[str], number: int) -> None:
    """Makes the line above a heading if this one underlines it."""
    is_mark = not lines[number].strip().strip("=") or not lines[number].strip().strip("-")
    if is_mark and kinds[number - 1] == LineKind.TEXT and lines[number - 1].strip():
        kinds[number - 1], kinds[number] = LineKind.UNDERLINED, LineKind.UNDERLINE
    elif kinds[number] == LineKind.UNDERLINE:
        kinds[number] = LineKind.TEXT


def _front_matter(lines: Sequence[str]) -> int:
    """Returns the number of lines of the front matter."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    ends = (number for number in range(1, min(len(lines), LONGEST_FRONT)) if lines[number].rstrip() in ("---", "..."))
    return next(ends, -1) + 1


def _kind(stripped: str) -> LineKind:
    """Returns the kind of a line that is neither empty nor code, by its beginning."""
    first = stripped[0]
    if first == "#":
        marks = len(stripped) - len(stripped.lstrip("#"))
        return LineKind.HEADING if marks <= 6 and stripped[marks : marks + 1] in ("", " ") else LineKind.TEXT
    if first == "|":
        return LineKind.TABLE
    if first == ">":
        return LineKind.QUOTE
    if first in "-*_=" and len(stripped) >= 2:
        bare = stripped.replace(" ", "")
        if not bare.strip(first) and first == "=":
            return LineKind.UNDERLINE
        if not bare.strip(first) and len(bare) >= 3:
            return LineKind.RULE
    return LineKind.ITEM if _bullet(stripped) else LineKind.TEXT


def _bullet(stripped: str) -> str:
    """Returns the mark that begins a list item; "" if none does."""
    mark, blank, _ = stripped.partition(" ")
    if not blank or len(mark) > 10:
        return ""
    is_number = mark[-1] in ".)" and mark[:-1].isdecimal()
    return mark if is_number or (len(mark) == 1 and mark in BULLETS) else ""


def _prefix(written: str, kind: LineKind | int) -> tuple[str, str]:
    """Returns what stands before the text of a line, as it is shown, and the rest."""
    rest = written.lstrip()
    indent = " " * min(len(written) - len(rest), 24)
    if kind == LineKind.QUOTE:
        marks = ""
        while rest.startswith(">"):
            marks, rest = marks + "▎ ", rest[1:].lstrip(" ")
        return indent + marks + _item(rest)[0], _item(rest)[1]
    if kind == LineKind.ITEM:
        mark, inner = _item(rest)
        return indent + mark, inner
    return ("", rest) if kind in (LineKind.HEADING, LineKind.UNDERLINED) else (indent, rest.rstrip(" \\"))


def _item(rest: str) -> tuple[str, str]:
    """Returns the bullet or number of a list item with its box, as it is shown, and the text behind it."""
    mark = _bullet(rest)
    if not mark:
        return "", rest
    inner = rest[len(mark) :].lstrip(" ")
    shown = "• " if mark in BULLETS else f"{mark} "
    box = BOXES.get(f"{inner} "[:4], "")
    return (box if mark in BULLETS else shown + box, inner[4:]) if box else (shown, inner)
