"""Parses and normalises the markers [n] by which a model cites sources, and splits an answer into sentences with their markers.

`text.sentences` cannot be used here: it depends on the language, which one or two sentences do not reveal, and a wrong guess
splits "am 1. Oktober". Here a full stop that may belong to an abbreviation or a number never ends a sentence, since a cited
sentence is better too long than cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

_NUMBER = r"\d{1,4}"
_GAP = r"[^\S\n]*"
_LIST = rf"{_NUMBER}(?:{_GAP}(?:[,;、，\-–—]|and|und|et|y){_GAP}{_NUMBER})*"
MARKER = re.compile(rf"[\[【［]\^?{_GAP}{_LIST}{_GAP}[\]】］]", re.IGNORECASE)
"""A marker such as [1], [1, 2], [1-3] or [^1], also in full-width brackets."""

_SPACED_MARKER = re.compile(rf"(?<!\s)(\s*+)({MARKER.pattern})", re.IGNORECASE)
_RANGE = re.compile(rf"({_NUMBER})\s*[-–—]\s*({_NUMBER})")
_OPEN = re.compile(r"(?<!\s)\s*+[\[【［][^\]】］\n]{0,60}$|(?<![^\S\n])[^\S\n]++$")
_LONGEST_RANGE = 50


def numbers(marker: str, known: Collection[int]) -> tuple[int, ...]:
    """Returns the source numbers of a marker in its order, without those that are not `known`."""
    named: list[int] = []
    for part in re.split(r"[,;、，]|\band\b|\bund\b|\bet\b|\by\b", marker):
        span = _RANGE.search(part)
        if span and 0 <= int(span[2]) - int(span[1]) <= _LONGEST_RANGE:
            named.extend(range(int(span[1]), int(span[2]) + 1))
        else:
            named.extend(int(number) for number in re.findall(_NUMBER, part))
    return tuple(number for number in dict.fromkeys(named) if number in known)


def written(cited: Collection[int]) -> str:
    """Returns the markers of source numbers as they are displayed: `[1][2]`."""
    return "".join(f"[{number}]" for number in cited)


Resolve = Callable[[str, tuple[int, ...]], tuple[int, ...]]
"""Function that returns the numbers a marker should have, given the text before it and its present numbers."""


class MarkerGate:
    """Rewrites a stream of text so that every marker comes whole, in one form and with numbers of existing sources.

    A model writes a marker over several tokens. The gate holds back an open bracket and the spaces before it until the marker
    is complete, so no piece that it returns ends inside a marker.
    """

    def __init__(self, known: Collection[int], resolve: Resolve | None = None) -> None:
        """Keeps the known numbers, all others are dropped; `resolve`, if given, corrects the known ones."""
        self._known = frozenset(known)
        self._resolve = resolve
        self._held = ""
        self.text = ""
        """All text returned so far."""

    def feed(self, text: str) -> str:
        """Adds text from the model and returns what can be shown now, possibly ""."""
        text = self._held + text
        open_end = _OPEN.search(text)
        cut = open_end.start() if open_end else len(text)
        self._held = text[cut:]
        return self._let_out(text[:cut])

    def rest(self) -> str:
        """Returns the text still held back at the end of the stream, without trailing white space."""
        text, self._held = self._held.rstrip(), ""
        return self._let_out(text)

    def _let_out(self, text: str) -> str:
        before, start = len(self.text), 0
        for found in _SPACED_MARKER.finditer(text):
            self.text += text[start : found.start()]
            self.text += self._marker(found)
            start = found.end()
        self.text += text[start:]
        return self.text[before:]

    def _marker(self, found: re.Match[str]) -> str:
        cited = numbers(found[2], self._known)
        if cited and self._resolve:
            cited = self._resolve(self.text, cited)
        # A line break before a marker that is dropped stays, since it may have been returned already.
        return found[1] + written(cited) if cited else found[1][: found[1].rfind("\n") + 1]


_END = re.compile(r"""(?<![.!?…])[.!?…]++["”’»)*]*+(?=\s|$|[\[【［])|[。！？｡]+[」』”’]*|\n+""")
_TRAIL = re.compile(rf"(?:[^\S\n]*{MARKER.pattern})*[.。]?\s*", re.IGNORECASE)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[„“\"'])(?:[^\W\d_]|\d{1,2}|[A-Za-z](?:\.\s?[A-Za-z])+|"
    r"Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|vs|approx|Fig|No|Nr|Bd|bzw|ca|usw|Sra?|Mme|Mlle|Ste)$"
)
"""Words after which a full stop does not end a sentence: initials, day numbers and abbreviations."""
LONGEST_ABBREVIATION = 60
_LOOKED_AHEAD = 60
"""Characters examined after a full stop; most of them are spaces."""


def sentences(text: str) -> Iterator[str]:
    """Splits a text into sentences with their markers and the white space after them; joined, they give `text`."""
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
    """Returns whether the sentence continues after what looked like its end."""
    if "\n" in end[0]:
        return not text[start : end.start()].strip()
    if end[0] != ".":
        return False
    before = text[max(start, end.start() - LONGEST_ABBREVIATION) : end.start()]
    after = text[end.end() : end.end() + _LOOKED_AHEAD].lstrip(" ")
    return bool(_ABBREVIATION.search(before)) or after[:1].islower()
