"""Tells lines such as "Phone: 555 0101" below one another from wrapped prose: each states something of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LABEL = re.compile(r"[ \t>]{0,20}(?:[*_]{1,2})?[^\W\d_][^:\n]{0,40}?\s?:(?:[*_]{1,2})?[ \t]{1,20}\S")
"""The beginning of a line with a label of a few words."""
MOST_WORDS = 5
"""Words of the longest label."""


def are_labelled(lines: Sequence[str]) -> bool:
    """Returns whether each of several lines begins with a label."""
    return len(lines) > 1 and all(map(_is_labelled, lines))


def _is_labelled(line: str) -> bool:
    return _LABEL.match(line) is not None and len(line.partition(":")[0].split()) <= MOST_WORDS
