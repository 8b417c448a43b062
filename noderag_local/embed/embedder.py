"""What the rest of the package asks of an embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk as it is embedded: what it stands under, then its sentences."""

    label: str
    """Title and headings in one line; may be empty."""
    sentences: tuple[str, ...]

    def text(self) -> str:
        """The one string that the model reads."""
        return " ".join([self.label + ":"] * bool(self.label) + list(self.sentences))

    def spans(self) -> list[tuple[int, int]]:
        """Characters of each sentence in `text()`, half-open."""
        start = len(self.label) + 2 if self.label else 0
        spans = []
        for sentence in self.sentences:
            spans.append((start, start + len(sentence)))
            start += len(sentence) + 1
        return spans


@dataclass(frozen=True, slots=True)
class PassageVectors:
    """Vectors of one passage, unit length, float32."""

    chunk: NDArray[np.float32]
    """(dim,)"""
    sentences: NDArray[np.float32]
    """(number of sentences, dim)"""


class Embedder(Protocol):
    """Turns passages into vectors."""

    name: str
    dim: int

    def embed(self, passages: Sequence[Passage]) -> list[PassageVectors]:
        """Vectors of the passages, in the same order; the same list gives the same vectors, bit by bit."""
        ...
