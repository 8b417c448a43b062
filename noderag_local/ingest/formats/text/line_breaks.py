"""Tells line breaks that end a statement ("Phone: 555 0101", names, verses, entries of a log) from those of wrapped prose.

Wrapped prose fills its lines: the first word of a line would not have fitted the line before. And it breaks anywhere: often behind
"of", "the" or another small word.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from noderag_local.text.stopwords import every_stop_word

CLEAR_SHARE = 0.8
"""A line is clearly short if it and the next word together fill less than this share of the longest line. With 0.8 the lines of invented people's notes
are nearly all told apart, and of the wrapped ones in some 400 files of documentation 1 in 70 is cut, most of them code."""
LONGEST_WORD = 40
"""A line with a longer word, such as an address, does not show how wide the text is."""
PROSE_SHARE = 0.2
"""Share of line breaks behind a small word from which on a paragraph is wrapped prose."""
CLOSE_SHARE = 0.9
"""Share of the margin that a full line fills."""
FEWEST_BREAKS = 4
"""Line breaks of a text from which on they show whether it is wrapped."""
MARGIN_SHARE = 0.9
"""Share of a text's lines that end before its right margin; behind the longest, a program may not have wrapped."""
FULL_SHARE = 0.3
"""If a smaller share of a text's lines is full, its lines are jotted. That holds for two thirds of the invented people's notes with
enough lines. Of some 400 files of documentation, it holds only for lists and tables."""
MIN_UNWRAPPED_LINES = 3
"""Fewer lines show no width where one is nearly full, so that only labels tell them apart."""
NARROWEST_WRAP = 45
"""Characters of the longest line below which nothing is wrapped prose: no program wraps as narrowly."""
MOST_LABEL_WORDS = 5
"""Words of the longest label before a colon."""
_LABEL = re.compile(r"[ \t>]{0,20}(?:[*_]{1,2})?[^\W\d_][^:\n]{0,40}?\s?:(?:[*_]{1,2})?[ \t]{1,20}\S")
_GOES_ON = (",", "-", ";")
_OTHER = re.compile(r"\s*+(?:[-*+•|>#<`{]|\d{1,3}[.)] |$)")
"""Beginning of a line that is an item, a row, a heading or empty: it ends where its writer wanted."""
_COLUMN = re.compile(r"(?:\S++ ?){1,5}+(?: |\t)\s*+(?=\S)")
"""First column of a line, with the gap behind it."""


def are_jotted(text: str) -> bool:
    """Returns whether the lines of a whole text end where their writer wanted: hardly any is as long as it could be."""
    lines = text.split("\n")
    breaks = [(one.rstrip(), two) for one, two in pairwise(lines) if not (_OTHER.match(one) or _OTHER.match(two))]
    if len(breaks) < FEWEST_BREAKS:
        return False
    lengths = sorted(len(line) for line, _ in breaks)
    margin = CLOSE_SHARE * lengths[min(int(MARGIN_SHARE * len(lengths)), len(lengths) - 1)]
    full = sum(not _had_room(line, following, margin) for line, following in breaks)
    return full < FULL_SHARE * len(breaks)


def statement_ends(lines: Sequence[str], *, in_jotted: bool = False) -> list[bool]:
    """Tells which lines end a statement.

    Args:
        lines: lines of one paragraph.
        in_jotted: whether the lines of the whole text are jotted.

    Returns:
        For each line but the last whether it ends a statement; False for all lines of wrapped prose.
    """
    if len(lines) > 1 and all(map(_is_labelled, lines)):
        return [True] * (len(lines) - 1)
    if (in_jotted and not _are_full(lines)) or _are_columns(lines):
        return [_is_labelled(two) or not _goes_on(one, two, math.inf) for one, two in pairwise(lines)]
    width = max(map(len, [line for line in lines if not _has_long_word(line)] or lines), default=0)
    breaks = list(pairwise(lines))
    page = max(width, NARROWEST_WRAP) if len(breaks) > 1 and all(map(_has_cases, lines)) else width
    if _are_jotted(breaks, page):
        begins_small = _begin_small(breaks, page)
        return [_is_labelled(two) or not _goes_on(one, two, math.inf if begins_small else page) for one, two in breaks]
    ends = [_ends(line, following, width) for line, following in breaks]
    shows_width = len(lines) >= MIN_UNWRAPPED_LINES or width < NARROWEST_WRAP
    is_unwrapped = shows_width and 2 * sum(ends) > len(ends)
    return ends if is_unwrapped else [False] * len(ends)


def _are_full(lines: Sequence[str]) -> bool:
    """Returns whether all of several lines are full, as in a wrapped paragraph of a text that is jotted elsewhere."""
    width = max(map(len, lines))
    breaks = list(pairwise(lines))
    return len(breaks) > 1 and width >= NARROWEST_WRAP and not any(_had_room(*two, width) for two in breaks)


def _are_columns(lines: Sequence[str]) -> bool:
    """Returns whether at least half of the lines have a second column, which begins at the same place."""
    starts = Counter(found.end() for found in map(_COLUMN.match, lines) if found)
    return max(starts.values(), default=0) >= max(2, len(lines) / 2)


def _has_long_word(line: str) -> bool:
    return any(len(word) > LONGEST_WORD for word in line.split())


def _are_jotted(breaks: Sequence[tuple[str, str]], width: int) -> bool:
    """Returns whether lines are clearly shorter than they could be, and hardly any stops in the middle of a sentence."""
    in_prose = sum(_stops_within(line, following) for line, following in breaks)
    short = sum(
        _is_labelled(following) or _had_room(line, following, CLEAR_SHARE * width) for line, following in breaks
    )
    return in_prose < PROSE_SHARE * len(breaks) and 2 * short > len(breaks)


def _has_cases(line: str) -> bool:
    """Returns whether a line is in a script that has capitals; others, such as Chinese, wrap at half as many characters."""
    return line.lower() != line.upper()


def _begin_small(breaks: Sequence[tuple[str, str]], width: int) -> bool:
    """Returns whether most lines behind a short one begin with a small letter; then one behind a full line begins a statement, too."""
    begins = [following for line, following in breaks if _had_room(line, following, CLEAR_SHARE * width)]
    return 2 * sum(_first_word(line)[:1].islower() for line in begins) > len(begins)


def _stops_within(line: str, following: str) -> bool:
    """Returns whether a line stops behind a small word, and the next goes on in small letters.

    Words behind a number ("20 am") or in capitals ("OUT") do not count.
    """
    *_, before, last = ("", "", *line.split())
    is_small = last in every_stop_word() and not any(map(str.isdigit, before))
    return is_small and _first_word(following)[:1].islower() and not _is_labelled(following)


def _goes_on(line: str, following: str, width: float) -> bool:
    """Returns whether a statement of jotted lines goes on in the next: behind a comma, or where a full line is followed by small letters."""
    word = _first_word(following)
    is_full = word[:1].islower() and not _had_room(line, following, width)
    return not word or line.rstrip().endswith(_GOES_ON) or is_full


def _ends(line: str, following: str, width: int) -> bool:
    """Returns whether a line ends a statement for all that its width, and the beginning of the next, show."""
    if _is_labelled(following):
        return True
    word = _first_word(following)
    if not word or word[0].islower() or line.rstrip().endswith(_GOES_ON):
        return False
    # Only a capital or a sign shows a beginning, where the width shows nothing.
    begins = word[0].isupper() or not word[0].isalnum()
    return _had_room(line, following, width) or (width < NARROWEST_WRAP and begins)


def _had_room(line: str, following: str, width: float) -> bool:
    """Returns whether the first word of the next line would have fitted a line of this width."""
    return len(line) + 1 + len(_first_word(following)) <= width


def _first_word(line: str) -> str:
    return next(iter(line.split(maxsplit=1)), "")


def _is_labelled(line: str) -> bool:
    return _LABEL.match(line) is not None and len(line.partition(":")[0].split()) <= MOST_LABEL_WORDS
