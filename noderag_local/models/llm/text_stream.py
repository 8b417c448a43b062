"""Turns a model's bytes into text that can be shown: whole characters, without stop strings, with loops detected."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence

LOOP_TOKENS = 48
"""Number of repeated tokens that count as a loop; a short list of similar items has fewer."""
LOOP_ROUNDS = 4
LOOP_LONGEST = 64
"""Maximum length, in tokens, of a repeated stretch."""
_WORD = re.compile(r"\s?\w{1,8}|\s?[^\w\s]{1,8}|\s{1,8}")
"""Approximates the tokens of a byte-pair vocabulary: a word with the space before it, or a run of other characters."""
CHECK_PIECES = 8
"""Number of new pieces after which loops are checked for again."""
_WORDS_KEPT = LOOP_ROUNDS * LOOP_LONGEST + LOOP_TOKENS


class StreamedText:
    """Turns token bytes into text, and holds back what may still become part of a character or a stop string."""

    def __init__(self, stop: Sequence[str] = ()) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")(errors="replace").decode
        self._stop = tuple(string for string in stop if string)
        self._held = ""
        self.stopped = False
        """Whether a stop string was found, which ends the text."""

    def feed(self, piece: bytes) -> str:
        """Adds bytes and returns the text that is safe to show, possibly ""."""
        if self.stopped:
            return ""
        text = self._held + self._decode(piece)
        cuts = [at for at in map(text.find, self._stop) if at >= 0]
        if cuts:
            self.stopped, self._held = True, ""
            return text[: min(cuts)]
        keep = max((_overlap(text, string) for string in self._stop), default=0)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep]

    def rest(self) -> str:
        """Returns the text that was held back for a stop string that did not come; drops an incomplete character."""
        held, self._held = self._held, ""
        return held


def _overlap(text: str, string: str) -> int:
    """Returns the length of the longest end of `text` that is a beginning of `string`."""
    return next((n for n in range(min(len(text), len(string) - 1), 0, -1) if string.startswith(text[-n:])), 0)


def loops(tokens: Sequence[int]) -> bool:
    """Returns whether `tokens` end with many repetitions of one stretch, as small models write when they lose the thread."""
    for period in range(1, LOOP_LONGEST + 1):
        span = max(LOOP_TOKENS, LOOP_ROUNDS * period)
        if len(tokens) < span:
            continue
        tail = tokens[len(tokens) - span :]
        if tail[period:] == tail[:-period]:
            return True
    return False


class WordLoops:
    """Detects loops, as `loops` does, in a text that grows piece by piece."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._words: list[int] = []
        self._open = ""
        self._pieces = 0

    def feed(self, piece: str) -> bool:
        """Adds a piece; returns whether the text now ends in a loop, which is checked only now and then."""
        # The last word may continue in the next piece.
        *whole, self._open = _WORD.findall(self._open + piece) or [""]
        self._words += [self._numbers.setdefault(word, len(self._numbers)) for word in whole]
        del self._words[:-_WORDS_KEPT]
        self._pieces += 1
        return self._pieces % CHECK_PIECES == 0 and loops(self._words)
