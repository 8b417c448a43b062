"""Parses BibTeX into entries with their undecoded fields and their lines.

An entry ends at the latest where a line begins the next one, so that a damaged entry does not damage others.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate

MAX_FIELD_CHARACTERS = 1 << 20
"""Maximum length of a value; joined `@string` abbreviations could make one of any length."""

_ENTRY = re.compile(r"^[ \t]*@[ \t]*(?P<kind>[A-Za-z]+)\s*(?P<open>[{(])", re.MULTILINE)
_KEY = re.compile(r"\s*+([^\s,{}()\"#%='\\]*+)\s*+,")
_NAME = re.compile(r"[\s,]*(?P<name>[A-Za-z][\w:.+-]*)\s*=\s*")
_WORD = re.compile(r"[^\s,#{}()\"]+")
_CLOSING = re.compile(r"[\s,]*[})]")
_JOINED = re.compile(r"\s*#\s*")
_BRACES = re.compile(r"\\.|[{}]", re.DOTALL)
_QUOTES = re.compile(r'\\.|[{}"]', re.DOTALL)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


@dataclass(frozen=True, slots=True)
class BibtexEntry:
    """An entry of a file."""

    kind: str
    """Kind in lower case: "article", "book"."""
    key: str
    """Citation key."""
    first_line: int
    last_line: int
    fields: dict[str, str] = field(default_factory=dict)
    """Name of a field in lower case → its value, with LaTeX commands."""
    fault: str = ""
    """Error in the entry, such as "has no citation key"; "" if there is none."""


class _Broken(Exception):
    """The text ends inside an entry or value."""


class EntryParser:
    """Reads the entries of a file in one pass."""

    def __init__(self, text: str) -> None:
        """Stores the text; nothing is parsed yet.

        Args:
            text: text of the file, with Unix line ends.
        """
        self._text = text
        self._strings = {month: str(number) for number, month in enumerate(_MONTHS, start=1)}
        self._end = len(text)
        """Position of the next entry."""
        self._line_starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]

    def entries(self) -> Iterator[BibtexEntry]:
        """Yields all entries; damaged ones with the fields before the error."""
        starts = list(_ENTRY.finditer(self._text))
        ends = [found.start() for found in starts[1:]] + [len(self._text)]
        for found, self._end in zip(starts, ends, strict=True):
            kind = found["kind"].lower()
            if kind == "string":
                self._fields(found.end(), self._strings)
            elif kind not in ("comment", "preamble"):
                yield self._entry(kind, found)

    def _entry(self, kind: str, found: re.Match[str]) -> BibtexEntry:
        key = _KEY.match(self._text, found.end(), self._end)
        if key is None:
            return BibtexEntry(
                kind, "", self._line(found.start()), self._line(found.start()), {}, "has no citation key"
            )
        fields: dict[str, str] = {}
        end = self._fields(key.end(), fields)
        closing = _CLOSING.match(self._text, end, self._end) if end is not None else None
        last = closing.end() if closing else found.start() + len(self._text[found.start() : self._end].rstrip())
        fault = "has a value without a closing brace or quote" if end is None else ""
        return BibtexEntry(kind, key[1], self._line(found.start()), self._line(last - 1), fields, fault)

    def _fields(self, at: int, fields: dict[str, str]) -> int | None:
        """Reads fields into a dictionary; returns where the last one ends, or None if it does not end."""
        try:
            while named := _NAME.match(self._text, at, self._end):
                value, at = self._value(named.end())
                fields[named["name"].lower()] = value
        except _Broken:
            return None
        return at

    def _line(self, at: int) -> int:
        return bisect_right(self._line_starts, at)

    def _value(self, at: int) -> tuple[str, int]:
        """Returns a value and where it ends. It may join strings in braces or quotes, numbers and `@string` abbreviations."""
        pieces: list[str] = []
        length = 0
        while True:
            piece, at = self._piece(at)
            pieces.append(piece)
            length += len(piece)
            if length > MAX_FIELD_CHARACTERS:
                raise _Broken
            joined = _JOINED.match(self._text, at, self._end)
            if joined is None:
                return "".join(pieces), at
            at = joined.end()

    def _piece(self, at: int) -> tuple[str, int]:
        sign = self._text[at : at + 1]
        if sign == "{":
            end = self._closing(at + 1, _BRACES, "}")
            return self._text[at + 1 : end], end + 1
        if sign == '"':
            end = self._closing(at + 1, _QUOTES, '"')
            return self._text[at + 1 : end], end + 1
        word = _WORD.match(self._text, at, self._end)
        if word is None:
            raise _Broken
        return self._strings.get(word.group().lower(), word.group()), word.end()

    def _closing(self, start: int, signs: re.Pattern[str], closing: str) -> int:
        """Returns where a value in braces or quotes ends; braces inside it must be balanced."""
        depth = 0
        for found in signs.finditer(self._text, start, self._end):
            sign = found.group()
            if depth == 0 and sign == closing:
                return found.start()
            depth += (sign == "{") - (sign == "}")
            if depth < 0:
                break
        raise _Broken
