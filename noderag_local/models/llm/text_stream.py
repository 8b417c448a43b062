"""From a model's bytes to text that can be shown: whole code points only, stop strings cut off, loops noticed."""

from __future__ import annotations

import codecs
from collections.abc import Sequence

LOOP_TOKENS = 48
"""Tokens that must repeat before a text counts as a loop; a short list of like items stays below it."""
LOOP_ROUNDS = 4
LOOP_LONGEST = 64
"""Longest stretch, in tokens, whose repetition is looked for."""


class StreamedText:
    """Turns token bytes into text, holding back what may still become part of a code point or a stop string."""

    def __init__(self, stop: Sequence[str] = ()) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")(errors="replace").decode
        self._stop = tuple(string for string in stop if string)
        self._held = ""
        self.stopped = False
        """Whether a stop string was met; nothing after it is text."""

    def feed(self, piece: bytes) -> str:
        """Text that is safe to show after these bytes; may be empty."""
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
        """What was held back for a stop string that never came; an unfinished code point is dropped."""
        held, self._held = self._held, ""
        return held


def _overlap(text: str, string: str) -> int:
    """Length of the longest end of `text` that `string` begins with."""
    return next((n for n in range(min(len(text), len(string) - 1), 0, -1) if string.startswith(text[-n:])), 0)


def loops(tokens: Sequence[int]) -> bool:
    """Whether `tokens` end in the same stretch over and over, as small models do when they have lost the thread."""
    for period in range(1, LOOP_LONGEST + 1):
        span = max(LOOP_TOKENS, LOOP_ROUNDS * period)
        if len(tokens) < span:
            continue
        tail = tokens[len(tokens) - span :]
        if tail[period:] == tail[:-period]:
            return True
    return False
