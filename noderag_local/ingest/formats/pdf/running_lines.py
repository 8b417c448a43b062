"""Picks the running heads and feet that say what the text of a document does not, each of them once.

An invoice has its number in the head of each page, a payslip its sum at the foot.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from noderag_local.ingest.formats.pdf.page_furniture import is_page_number
from noderag_local.ingest.formats.pdf.text_piece import Line

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+")
_ROMAN = re.compile(r"[ivxlc]+")
_BETWEEN_PARTS = re.compile(r"\s[^\w\s]+(?:\s|$)")
"""Sign between the name of a book and that of its chapter."""
_MAX_DIGITS = 18
"""Digits of the longest numbers that are compared; Python refuses to read those of thousands."""


def lines_said_once(running: Sequence[Line], text: Sequence[Line]) -> list[Line]:
    """Returns the first of the running lines that say the same, without those that only repeat the text or count pages.

    Args:
        running: running heads, running feet and page numbers, in the order of pages.
        text: all other lines of the document.
    """
    said = " ".join(["", *(word for line in text for word in _words(line)), ""])
    shift = _page_shift(running)
    before: dict[str, Line] = {}
    kept: dict[str, Line] = {}
    for line in running:
        key = _NUMBER.sub("#", line.text.casefold())
        is_new = key not in before or not _differ_by_page(before[key], line)
        before[key] = line
        words = _without_page_number(line, shift)
        if is_new and words and not is_page_number(line) and not _is_said(line, words, said):
            kept.setdefault(" ".join(words), line)
    return list(kept.values())


def _is_said(line: Line, words: Sequence[str], said: str) -> bool:
    """Whether a text has these words of a line together or, unless numbers are among them, each part of the line somewhere."""
    if f" {' '.join(words)} " in said:
        return True
    parts = [_WORD.findall(part.casefold()) for _, cell in line.cells for part in _BETWEEN_PARTS.split(cell)]
    has_number = any(_NUMBER.search(word) for word in words)
    return not has_number and all(f" {' '.join(part)} " in said for part in parts if set(part) & set(words))


def _words(line: Line) -> list[str]:
    return _WORD.findall(line.text.casefold())


def _page_shift(running: Sequence[Line]) -> int | None:
    """Returns the difference between the numbers at the ends of lines and their pages that most lines have; None for none."""
    ends = ((line, word) for line in running for word in {*_words(line)[:1], *_words(line)[-1:]})
    shifts = Counter(int(word) - line.page for line, word in ends if _is_number(word))
    shift, times = max(shifts.items(), key=lambda item: (item[1], -abs(item[0])), default=(0, 0))
    return shift if times >= 2 else None


def _without_page_number(line: Line, shift: int | None) -> list[str]:
    """Returns the words of a line without the number of its page at one end, as heads of chapters have it."""
    words = _words(line)
    for at in (-1, 0):
        if words and (_ROMAN.fullmatch(words[at]) or (_is_number(words[at]) and int(words[at]) - line.page == shift)):
            del words[at]
            break
    return words


def _differ_by_page(line: Line, later: Line) -> bool:
    """Whether two lines of the same words have the same numbers, except those that grow with the page."""
    step = later.page - line.page
    pairs = zip(_NUMBER.findall(line.text), _NUMBER.findall(later.text), strict=True)
    return all(
        one == other or (_is_number(one) and _is_number(other) and int(other) - int(one) == step)
        for one, other in pairs
    )


def _is_number(word: str) -> bool:
    return word.isdecimal() and len(word) <= _MAX_DIGITS
