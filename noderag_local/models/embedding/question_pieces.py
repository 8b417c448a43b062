"""Tokenises a question with a large vocabulary without loading all of it.

A tokenizer of 250,000 pieces takes 0.7 s to open, and a question needs a few dozen of them. So the converted model has a
sorted table of its pieces that is searched by bisection. A test compares the result with the whole tokenizer's.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.numpy import save
from tokenizers import Tokenizer

from noderag_local.models.embedding.wordpieces import encodable
from noderag_local.system.disk.private_files import write_private

FILE_NAME = "question_pieces.safetensors"
UNKNOWN_PENALTY = 10.0
"""Difference in log-likelihood between the least likely piece and an unknown character, as in SentencePiece."""


def write_question_pieces(
    folder: Path, texts: Sequence[str], scores: Sequence[float], unknown: int, cutting: Tokenizer
) -> None:
    """Writes the sorted table of pieces into a model folder.

    Args:
        folder: folder of the model.
        texts: pieces, ordered by id.
        scores: log-likelihoods of the pieces.
        unknown: id of the piece for unknown characters.
        cutting: the model's tokenizer; its normalizer, word splitting and special tokens are used, its vocabulary is not.
    """
    letters = [text.encode() for text in texts]
    order = sorted(range(len(letters)), key=letters.__getitem__)
    tables: dict[str, NDArray[Any]] = {
        "letters": np.frombuffer(b"".join(letters[at] for at in order), np.uint8),
        "ends": np.cumsum([len(letters[at]) for at in order], dtype=np.uint32),
        "scores": np.array([scores[at] for at in order], np.float32),
        "ids": np.array(order, np.uint32),
    }
    content = save(tables, metadata={"cutting": cutting.to_str(), "unknown": str(unknown)})
    write_private(folder / FILE_NAME, content)


class QuestionPieces:
    """The opened table; gives the same ids as the model's whole tokenizer."""

    def __init__(self, folder: Path, window: int) -> None:
        """Opens the table.

        Args:
            folder: folder of a model with the table.
            window: maximum tokens that the model reads at once.
        """
        opener: Any = safe_open
        file = opener(str(folder / FILE_NAME), framework="numpy")
        self._letters: bytes = file.get_tensor("letters").tobytes()
        self._ends = memoryview(file.get_tensor("ends"))
        self._scores = memoryview(file.get_tensor("scores"))
        self._ids = memoryview(file.get_tensor("ids"))
        metadata = file.metadata()
        self._cutting = Tokenizer.from_str(metadata["cutting"])
        self._unknown = int(metadata["unknown"])
        self._unknown_score = min(self._scores) - UNKNOWN_PENALTY
        self._longest = int(np.diff(np.asarray(self._ends), prepend=0).max())
        self._places = range(len(self._ids))
        self._start, *_, self._end = self._cutting.encode("").ids
        self._window = window

    def ids(self, text: str) -> list[int]:
        """Returns the token ids of a text with special tokens at both ends, cut at the window."""
        whole = self._cutting.normalizer.normalize_str(encodable(text))
        found: list[int] = []
        for word, _ in self._cutting.pre_tokenizer.pre_tokenize_str(whole):
            for piece in self._likeliest(word):
                # Consecutive unknown characters are one token.
                if piece != self._unknown or not found or found[-1] != self._unknown:
                    found.append(piece)
        return [self._start, *found[: self._window - 2], self._end]

    def _likeliest(self, word: str) -> list[int]:
        """Returns the ids of the likeliest sequence of pieces (Kudo 2018, section 3.2)."""
        best: list[tuple[float, int, int] | None] = [(0.0, 0, 0), *[None] * len(word)]
        for start in range(len(word)):
            reached = best[start]
            if reached is None:
                continue
            has_single = False
            for end in range(start + 1, len(word) + 1):
                letters = word[start:end].encode("utf-8", errors="replace")
                if len(letters) > self._longest:
                    break
                place = bisect_left(self._places, letters, key=self._piece)
                if place == len(self._places) or self._piece(place) != letters:
                    continue
                has_single = has_single or end == start + 1
                score, there = reached[0] + self._scores[place], best[end]
                if there is None or score > there[0]:
                    best[end] = (score, start, self._ids[place])
            if not has_single:
                score, there = reached[0] + self._unknown_score, best[start + 1]
                if there is None or score > there[0]:
                    best[start + 1] = (score, start, self._unknown)
        pieces, at = [], len(word)
        while at:
            step = best[at]
            assert step is not None
            pieces.append(step[2])
            at = step[1]
        return pieces[::-1]

    def _piece(self, place: int) -> bytes:
        start = self._ends[place - 1] if place else 0
        return self._letters[start : self._ends[place]]
