"""Splits scripts without spaces into pairs of characters, since FTS5 would index a whole sentence as one word."""

from __future__ import annotations

import re
from itertools import pairwise

_UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f"  # Myanmar
    "\u1780-\u17ff"  # Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # Japanese
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\uac00-\ud7af"  # Korean, whose words carry their particles
    "\uff66-\uff9f"  # half-width katakana
)
_RUN = re.compile(f"[{_UNSPACED}]+")
_CHARACTER = re.compile(f"[{_UNSPACED}]")


def bigrams(text: str) -> list[str]:
    """Returns the pairs of neighbouring characters of each run without spaces, in order; a run of one character stays as it is."""
    if text.isascii():
        return []
    return [pair for run in _RUN.findall(text) for pair in _pairs(run)]


def without_unspaced(text: str) -> str:
    """Returns the text with each run that `bigrams` splits replaced by a blank; FTS5 can split the rest into words."""
    return text if text.isascii() else _RUN.sub(" ", text)


def spaced_out(text: str) -> str:
    """Returns the text with blanks around each character of a script without spaces."""
    return text if text.isascii() else _CHARACTER.sub(r" \g<0> ", text)


def is_unspaced(word: str) -> bool:
    """Returns whether a word is a character of a script without spaces."""
    return _CHARACTER.fullmatch(word) is not None


def _pairs(run: str) -> list[str]:
    return ["".join(pair) for pair in pairwise(run)] if len(run) > 1 else [run]
