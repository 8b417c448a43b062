"""Counts the tokens of a long text word by word, for vocabularies that cut every text before a blank.

Byte pair encoding merges only within what its rules cut first. Where these cut before a blank that stands between two
words, the tokens of a text are those of its words, each with the blank before it; and words recur.
"""

from __future__ import annotations

import re
from collections.abc import Callable

CUTTING_AT_BLANKS = frozenset({"qwen2", "llama-bpe"})
"""By GGUF's `tokenizer.ggml.pre`. Every rule of theirs has a blank at its beginning or not at all, but for runs of them."""
MOST_WORDS = 200_000
"""That are remembered, some 20 MB; then it begins anew."""
# What Python takes for white space is all that these vocabularies do, and four control characters more.
_CUT = re.compile(r"(?<=\S) (?=\S)")


class WordCounts:
    """Counts tokens word by word: 12,000 tokens of known words in 3 ms, where the vocabulary itself needs 30."""

    def __init__(self, count: Callable[[str], int]) -> None:
        """Starts without any known word.

        Args:
            count: tokens of a text by the vocabulary. One call a word is the quick way: many words in one text, with
                control tokens between them, take llama.cpp twice as long.
        """
        self._count = count
        self._known = _Known(count)

    def count(self, text: str) -> int:
        """Returns as many tokens as the vocabulary counts in the whole text."""
        first, *others = _CUT.split(text)
        return self._count(first) + sum(map(self._known.__getitem__, others))


class _Known(dict[str, int]):
    """Word -> its tokens with a blank before it."""

    def __init__(self, count: Callable[[str], int]) -> None:
        super().__init__()
        self._count = count

    def __missing__(self, word: str) -> int:
        tokens = self._count(f" {word}")
        if len(self) >= MOST_WORDS:
            self.clear()
        self[word] = tokens
        return tokens
