"""Running heads, running feet, page numbers and lists of contents, which are on the page but not in the text."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from noderag_local.ingest.formats.pdf.text_piece import Line

_MARGIN = 0.14
"""Share of the page's height at its top and at its foot where such lines stand."""
_OUTER_LINES = 3
"""Lines from the edge that are looked at."""
_MIN_PAGES = 3
"""Least pages on which a line must be repeated; in a file of two pages both."""
_SAME_HEIGHT = 4.0
"""Points by which the same foot may move from page to page."""
_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b")
_PAGE_NUMBER = re.compile(
    r"[^\w#]*+(?:page|seite|p\.|s\.|página|pagina|strona|sida|side)?\s*+#(?:\s*+(?:/|of|von|sur|de|av|di|z)\s*+#)?\W*+",
    re.IGNORECASE,
)

_LEADER = re.compile(r"(?<![.·…_])(?<![.·…_]\s)(?:[.·…_]\s?+){4,}+\s*+[\divxlc]*+$", re.IGNORECASE)
_LEADER_CHARACTERS = 60
"""Characters at the end of a line that are examined."""
_ENDS_IN_NUMBER = re.compile(r"\s\d{1,4}$")
_MIN_ENTRIES = 4
"""Lines with dots before a page number that make a page one of a list of contents."""

Page = tuple[float, Sequence[Line]]
"""(height in points, lines in reading order)"""


def without_furniture(pages: Sequence[Page]) -> list[list[Line]]:
    """Returns the lines of each page without those that many pages repeat at the same height, except for their numbers.

    Other lines of that height and font size go too, since the name of a chapter stands there, and lone page numbers.
    """
    outer = [_outer_lines(*page) for page in pages]
    needed = max(min(_MIN_PAGES, len(pages)), 2)
    heights: dict[str, list[float]] = defaultdict(list)
    for lines in outer:
        for line in lines:
            heights[_key(line)].append(line.baseline)
    repeated = {key for key, found in heights.items() if _most_at_one_height(found) >= needed}
    slots = Counter(_slot(line) for lines in outer for line in lines if _key(line) in repeated)
    shift = _number_shift(outer)
    return [
        [line for line in lines if not (line in edge and _is_furniture(line, repeated, slots, shift))]
        for (_, lines), edge in zip(pages, outer, strict=True)
    ]


def is_page_number(line: Line) -> bool:
    """Returns whether a line has nothing but a number, as that of a page."""
    return _PAGE_NUMBER.fullmatch(_key(line)) is not None


def without_contents(lines: Sequence[Line]) -> list[Line]:
    """Returns the lines of a page without the entries of a list of contents, which repeat the headings.

    Entries have dots before a page number; some are set without them, above the deeper ones.
    """
    if sum(_is_entry(line) for line in lines) < _MIN_ENTRIES:
        return list(lines)
    return [line for line in lines if not _is_entry(line) and not _ENDS_IN_NUMBER.search(line.text)]


def _is_entry(line: Line) -> bool:
    return _LEADER.search(line.text[-_LEADER_CHARACTERS:]) is not None


def _outer_lines(height: float, lines: Sequence[Line]) -> list[Line]:
    by_height = sorted(lines, key=lambda line: line.baseline)
    top = [line for line in by_height[:_OUTER_LINES] if line.baseline < _MARGIN * height]
    foot = [line for line in by_height[-_OUTER_LINES:] if line.baseline > (1 - _MARGIN) * height]
    return top + foot


def _key(line: Line) -> str:
    return _NUMBER.sub("#", line.text.casefold())


def _slot(line: Line, step: int = 0) -> tuple[int, float]:
    """Returns (height, font size) in steps; running heads and feet share it from page to page."""
    return round(line.baseline / _SAME_HEIGHT) + step, round(line.size, 1)


def _most_at_one_height(heights: Sequence[float]) -> int:
    return max(sum(abs(other - height) <= _SAME_HEIGHT for other in heights) for height in set(heights))


def _numbers(line: Line) -> set[int]:
    return {int(number) for number in re.findall(r"\b\d{1,5}\b", line.text)}


def _number_shift(outer: Sequence[Sequence[Line]]) -> int | None:
    """Returns the difference between printed page numbers and positions of pages in the file; None if none are printed."""
    shifts = Counter(number - line.page for lines in outer for line in lines for number in _numbers(line))
    if not shifts:
        return None
    shift, times = min(shifts.items(), key=lambda item: (-item[1], abs(item[0]), item[0]))
    return shift if times >= 2 or (len(outer) == 1 and shift == 0) else None


def _is_furniture(line: Line, repeated: set[str], slots: Counter[tuple[int, float]], shift: int | None) -> bool:
    if _key(line) in repeated or any(slots[_slot(line, step)] >= _MIN_PAGES for step in (-1, 0, 1)):
        return True
    has_own_number = shift is not None and line.page + shift in _numbers(line)
    return has_own_number and is_page_number(line)
