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
    """Turns passages and questions into vectors; puts in front of each what its model wants there."""

    name: str
    identity: str
    """What a vault notes about its vectors (`EmbeddingModel.identity`)."""
    dim: int
    languages: tuple[str, ...]
    """ISO 639-1 codes; "*" stands for about a hundred, and () for languages that nobody has told."""

    def questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns the vectors of questions, (n, dim) of unit length."""
        ...

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
        embedder: the model.
        passages: passages to embed.
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


PASSAGES_AT_ONCE = 16


def _stacked(rows: Mapping[str, NDArray[np.float32]], texts: Sequence[str]) -> NDArray[np.float32]:
    dim = len(next(iter(rows.values())))
    return np.array([rows[text] for text in texts], dtype=np.float32).reshape(len(texts), dim)


def text_by_text(
    passages: Sequence[EmbeddedChunk], vectors_of: Callable[[Sequence[str]], NDArray[np.float32]]
) -> Iterator[dict[int, PassageVectors]]:
    """Yields vectors as `Embedder.batches`, for a model that gives one vector a text: each sentence is read by itself.

    Args:
        passages: passages to embed.
        vectors_of: gives (n, dim) of unit length for texts that are no questions.
    """
    for first in range(0, len(passages), PASSAGES_AT_ONCE):
        some = passages[first : first + PASSAGES_AT_ONCE]
        texts = list(dict.fromkeys(text for passage in some for text in (passage.text(), *passage.sentences)))
        rows = dict(zip(texts, vectors_of(texts), strict=True))
        yield {
            first + at: PassageVectors(rows[passage.text()], _stacked(rows, passage.sentences))
            for at, passage in enumerate(some)
        }
