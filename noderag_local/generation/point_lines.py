"""The lines that the model writes when it looks through sources: "[number] passage | score", each passage copied from its source.

Small models cannot score from 0 to 100, and what they put in their own words cannot be checked. Under this constraint a point
is a run of whole words of the source that it names, and its score one of four.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

MOST_POINTS = 3
"""Most lines of a text."""
ENOUGH_QUOTE_BYTES = 240
"""Length after which a passage ends at the next word."""
FEWEST_QUOTE_WORDS = 3
"""Fewest words of a passage, unless the source is shorter."""
MOST_SCORE = 3
NOTHING = "0"
"""The whole text where no source helps."""

_BAR = b" | "
_LINE = re.compile(r"\s*+\[?(\d++)\]?[.:)]?\s++([^|]++)\|\s*+([0-3])\b")
_SCORES = frozenset(b"%d" % score for score in range(MOST_SCORE + 1))
_SENTENCE_END = re.compile(r"([。！？])")
_QUOTATION_MARKS = "\"“”„«»'"


@dataclass(frozen=True, slots=True)
class Point:
    """A passage that helps to answer, with its score."""

    number: int
    """Number of its source."""
    quote: str
    """As it stands in the source's `quotable` text."""
    score: int
    """1 about the same thing, 2 a part of the answer, 3 the answer."""


def quotable(text: str) -> str:
    """Returns a source as it is shown and quoted: on one line, without bars, and with a blank after each sentence of any script."""
    return " ".join(_SENTENCE_END.sub(r"\1 ", text.replace("|", "/")).split())


def parse(written: str, sources: Mapping[int, str]) -> list[Point]:
    """Returns the points of a text that stand in the sources and help, each once.

    Args:
        sources: number of each source and its quotable text.
    """
    found: dict[tuple[int, str], Point] = {}
    for line in written.splitlines():
        parts = _LINE.match(line)
        if parts is None or int(parts[3]) == 0 or int(parts[1]) not in sources:
            continue
        number, quote = int(parts[1]), parts[2].strip().strip(f" {_QUOTATION_MARKS}")
        start = sources[number].find(quote)
        if quote and start >= 0:
            found.setdefault((number, quote), Point(number, quote, int(parts[3])))
    return list(found.values())


class PointConstraint:
    """Holds a text to the lines of this module; see `models.llm.engine.Constraint`."""

    def __init__(self, sources: Mapping[int, str]) -> None:
        """Takes the number of each source and its quotable text."""
        self._texts = {number: b" %s " % text.encode() for number, text in sources.items()}
        self._finished = 0
        self._line = b""

    def allows(self, piece: bytes) -> bool:
        """Tells whether the text may continue with the piece."""
        return self._after(piece) is not None

    def accept(self, piece: bytes) -> None:
        """Continues the text with the piece.

        Raises:
            ValueError: the bytes are not allowed here.
        """
        after = self._after(piece)
        if after is None:
            raise ValueError(f"{piece!r} is not allowed here")
        self._finished, self._line = after

    def may_end(self) -> bool:
        """Tells whether the text may end: after a score, after a line, and where nothing helps."""
        return self._is_whole(self._line) or (bool(self._finished) and not self._line) or self._says_nothing(self._line)

    def forced(self) -> bytes:
        """Returns nothing: the model's own tokens hold a bracket and a number together."""
        return b""

    def _after(self, piece: bytes) -> tuple[int, bytes] | None:
        """Lines finished and the line begun, with the piece behind; None where it may not stand there."""
        finished, line = self._finished, self._line
        for number in range(len(piece)):
            byte = piece[number : number + 1]
            if byte == b"\n":
                if not self._is_whole(line) or finished + 1 == MOST_POINTS:
                    return None
                finished, line = finished + 1, b""
            elif self._may_become_line(line + byte, finished):
                line += byte
            else:
                return None
        return (finished, line) if piece else None

    def _may_become_line(self, line: bytes, finished: int) -> bool:
        if finished == 0 and line == NOTHING.encode():
            return True
        number, closed, rest = line.partition(b"] ")
        if not closed:
            return any((b"[%d] " % known).startswith(line) for known in self._texts)
        text = self._texts[int(number[1:])]
        _, bar, score = rest.partition(_BAR)
        if bar:
            return not score or (score in _SCORES)
        for begun in (b" |", b" "):
            if rest.endswith(begun) and _is_passage(text, rest.removesuffix(begun)):
                return True
        return _may_become_passage(text, rest)

    def _is_whole(self, line: bytes) -> bool:
        return line[-len(_BAR) - 1 : -1] == _BAR and line[-1:] in _SCORES

    def _says_nothing(self, line: bytes) -> bool:
        return self._finished == 0 and line == NOTHING.encode()


def _may_become_passage(text: bytes, quote: bytes) -> bool:
    """Whether it begins a run of words of the text, and where it begins enough of them are left."""
    at = text.find(b" " + quote)
    if at < 0 or quote.startswith(b" ") or b" " in quote[ENOUGH_QUOTE_BYTES:]:
        return False
    return len(text[at:].split()) >= _enough_words(text)


def _is_passage(text: bytes, quote: bytes) -> bool:
    """Whether it is a run of whole words of the text, and long enough."""
    is_long = len(quote) >= ENOUGH_QUOTE_BYTES or len(quote.split()) >= _enough_words(text)
    return is_long and b" %s " % quote in text


def _enough_words(text: bytes) -> int:
    return min(FEWEST_QUOTE_WORDS, len(text.split()))
