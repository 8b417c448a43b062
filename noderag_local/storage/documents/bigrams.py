"""Splits scripts without spaces into pairs of characters, since FTS5 would index a whole sentence as one word."""

from __future__ import annotations

import re
from itertools import pairwise

from noderag_local.text.letters import UNSPACED

_RUN = re.compile(f"[{UNSPACED}]+")
_CHARACTER = re.compile(f"[{UNSPACED}]")


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
