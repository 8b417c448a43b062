"""Splits an answer into sentences, each with the markers in it or right behind it.

`text.sentences` is not used here: it goes by the language, which cannot be told of a sentence or two, and then cuts "am 1. Oktober"
in two. Here a full stop that may not end a sentence does not; a quoted or checked sentence is better too long than cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from noderag_local.generation.citing.markers import MARKER

_END = re.compile(r"""(?<![.!?…])[.!?…]++["”’»)*]*+(?=\s|$|[\[【［])|[。！？｡]+[」』”’]*|\n+""")
_TRAIL = re.compile(rf"(?:[^\S\n]*{MARKER.pattern})*[.。]?\s*", re.IGNORECASE)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[„“\"'])(?:[^\W\d_]|\d{1,2}|[A-Za-z](?:\.\s?[A-Za-z])+|"
    r"Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|vs|approx|Fig|No|Nr|Bd|bzw|ca|usw|Sra?|Mme|Mlle|Ste)$"
)
"""What may stand before a full stop that ends no sentence: initials, day numbers, and short forms."""
LONGEST_ABBREVIATION = 60
_LOOKED_AHEAD = 60
"""Characters behind a full stop, blanks in most of them."""


def sentences(text: str) -> Iterator[str]:
    """Splits a text into sentences with their markers and the white space after them; joined, they are `text`."""
    start = 0
    for end in _END.finditer(text):
        if end.start() < start or _goes_on(text, start, end):
            continue
        trail = _TRAIL.match(text, end.end())
        stop = trail.end() if trail else end.end()
        yield text[start:stop]
        start = stop
    if start < len(text):
        yield text[start:]


def _goes_on(text: str, start: int, end: re.Match[str]) -> bool:
    """Whether the sentence goes on behind what looked like its end."""
    if "\n" in end[0]:
        return not text[start : end.start()].strip()
    if end[0] != ".":
        return False
    before = text[max(start, end.start() - LONGEST_ABBREVIATION) : end.start()]
    after = text[end.end() : end.end() + _LOOKED_AHEAD].lstrip(" ")
    return bool(_ABBREVIATION.search(before)) or after[:1].islower()
