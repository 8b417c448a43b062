"""What the rest of the package asks of an embedding model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class EmbeddedChunk:
    """A chunk as it is embedded: what it stands under, then its sentences."""

    label: str
    """Title and headings in one line; may be empty."""
    sentences: tuple[str, ...]

    def text(self) -> str:
        """Returns the one string that the model reads."""
        return " ".join([self.label + ":"] * bool(self.label) + list(self.sentences))

    def spans(self) -> list[tuple[int, int]]:
        """Returns where each sentence stands in `text()`, as half-open ranges of characters."""
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

    def batches(self, passages: Sequence[EmbeddedChunk]) -> Iterator[Mapping[int, PassageVectors]]:
        """Yields vectors as they are made, some passages at a time: place among the passages -> its vectors.

        The same list gives the same batches and the same vectors, bit by bit. Each passage comes once.
        """
        ...


def embedded(
    embedder: Embedder,
    passages: Sequence[EmbeddedChunk],
    advanced: Callable[[int], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[PassageVectors] | None:
    """Returns the vectors of all passages in their order, or None when the work was stopped.

    Args:
        advanced: told after each batch how many sentences are done.
        cancelled: asked between two batches. Vectors depend, in their last bits, on what else is in the list, so one
            that was begun is made whole or thrown away.
    """
    found: dict[int, PassageVectors] = {}
    for batch in embedder.batches(passages):
        found |= batch
        advanced(sum(len(passages[place].sentences) for place in found))
        if len(found) < len(passages) and cancelled():
            return None
    return [found[place] for place in range(len(passages))]
