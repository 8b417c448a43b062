"""Notices a text that goes round in circles where its tokens are not known."""

from __future__ import annotations

import re

from noderag_local.models.llm.text_stream import LOOP_LONGEST, LOOP_ROUNDS, LOOP_TOKENS, loops

_WORD = re.compile(r"\s?\w{1,8}|\s?[^\w\s]{1,8}|\s{1,8}")
"""Much like the tokens of a byte-pair vocabulary: a word with the blank before it, runs of signs or of blanks."""
CHECK_PIECES = 8
"""A loop is looked for after so many new pieces."""
_WORDS_KEPT = LOOP_ROUNDS * LOOP_LONGEST + LOOP_TOKENS


class WordLoops:
    """`text_stream.loops` on a text that grows piece by piece."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._words: list[int] = []
        self._open = ""
        self._pieces = 0

    def feed(self, piece: str) -> bool:
        """Whether the text ends, with this piece, in the same words over and over; looked at now and then."""
        # The last word may go on in the next piece.
        *whole, self._open = _WORD.findall(self._open + piece) or [""]
        self._words += [self._numbers.setdefault(word, len(self._numbers)) for word in whole]
        del self._words[:-_WORDS_KEPT]
        self._pieces += 1
        return self._pieces % CHECK_PIECES == 0 and loops(self._words)
