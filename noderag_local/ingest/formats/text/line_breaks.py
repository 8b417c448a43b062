"""Tells line breaks that end a statement ("Phone: 555 0101", names, verses, entries of a log) from those of wrapped prose.

Wrapped prose fills its lines: the first word of a line would not have fitted the line before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

MIN_UNWRAPPED_LINES = 3
"""Fewer lines show no width, so that only labels tell them apart."""
NARROWEST_WRAP = 45
"""Characters of the longest line below which nothing is wrapped prose: no program wraps as narrowly."""
MOST_LABEL_WORDS = 5
"""Words of the longest label before a colon."""
_LABEL = re.compile(r"[ \t>]{0,20}(?:[*_]{1,2})?[^\W\d_][^:\n]{0,40}?\s?:(?:[*_]{1,2})?[ \t]{1,20}\S")


def statement_ends(lines: Sequence[str]) -> list[bool]:
    """Returns for each line but the last whether it ends a statement; False for all lines of wrapped prose."""
    if len(lines) > 1 and all(map(_is_labelled, lines)):
        return [True] * (len(lines) - 1)
    width = max(map(len, lines), default=0)
    ends = [_ends(line, following, width) for line, following in pairwise(lines)]
    shows_width = len(lines) >= MIN_UNWRAPPED_LINES or width < NARROWEST_WRAP
    is_unwrapped = shows_width and 2 * sum(ends) > len(ends)
    return ends if is_unwrapped else [False] * len(ends)


def _ends(line: str, following: str, width: int) -> bool:
    if _is_labelled(following):
        return True
    next_word = next(iter(following.split(maxsplit=1)), "")
    if not next_word or next_word[0].islower() or line.rstrip().endswith((",", "-", ";")):
        return False
    had_room = len(line) + 1 + len(next_word) <= width
    # Only a capital or a sign shows a beginning, where the width shows nothing.
    begins = next_word[0].isupper() or not next_word[0].isalnum()
    return had_room or (width < NARROWEST_WRAP and begins)


def _is_labelled(line: str) -> bool:
    return _LABEL.match(line) is not None and len(line.partition(":")[0].split()) <= MOST_LABEL_WORDS
