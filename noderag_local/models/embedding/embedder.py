"""Defines the protocol of an embedding model and the passages that it embeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class EmbeddedChunk:
    """A chunk to embed: a label and its sentences."""

    label: str
    """Title and headings in one line; may be empty."""
    sentences: tuple[str, ...]

    def text(self) -> str:
        """Returns the label and the sentences as one string, which the model reads."""
        return " ".join([self.label + ":"] * bool(self.label) + list(self.sentences))

    def spans(self) -> list[tuple[int, int]]:
        """Returns the position of each sentence in `text()`, as half-open ranges of characters."""
        start = len(self.label) + 2 if self.label else 0
        spans = []
        for sentence in self.sentences:
            spans.append((start, start + len(sentence)))
            start += len(sentence) + 1
        return spans


@dataclass(frozen=True, slots=True)
class PassageVectors:
    """The vectors of one passage and its sentences, unit length, float32."""

    chunk: NDArray[np.float32]
    """(dim,) vector of the passage"""
    sentences: NDArray[np.float32]
    """(number of sentences, dim) vectors of the sentences"""


class Embedder(Protocol):
    """Computes vectors of passages and questions; adds the prefixes that its model needs."""

    name: str
    identity: str
    """Text that vaults store to know which model made their vectors (`EmbeddingModel.identity`)."""
    dim: int
    languages: tuple[str, ...]
    """ISO 639-1 codes; "*" stands for about a hundred languages, and () means unknown."""

    def questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns the vectors of questions, (n, dim) of unit length."""
        ...

    def batches(self, passages: Sequence[EmbeddedChunk]) -> Iterator[Mapping[int, PassageVectors]]:
        """Yields vectors as they are computed, several passages at a time, by the position of the passage.

        The same list gives the same batches and bit-identical vectors. Each passage comes once.
        """
        ...


def embedded(
    embedder: Embedder,
    passages: Sequence[EmbeddedChunk],
    advanced: Callable[[int], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[PassageVectors] | None:
    """Returns the vectors of all passages in order, or None if the work was cancelled.

    Args:
        embedder: model that embeds.
        passages: passages to embed.
        advanced: called after each batch with the number of sentences done.
        cancelled: called between batches; True discards the vectors of the whole list. None are kept for later, since the
            same passage in a shorter list can get a slightly different vector.
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
    """Yields vectors as `Embedder.batches` does, for a model with one vector per text; each sentence is embedded separately.

    Args:
        passages: passages to embed.
        vectors_of: returns the vectors of texts, (n, dim) of unit length, embedded as passages.
    """
    for first in range(0, len(passages), PASSAGES_AT_ONCE):
        some = passages[first : first + PASSAGES_AT_ONCE]
        texts = list(dict.fromkeys(text for passage in some for text in (passage.text(), *passage.sentences)))
        rows = dict(zip(texts, vectors_of(texts), strict=True))
        yield {
            first + at: PassageVectors(rows[passage.text()], _stacked(rows, passage.sentences))
            for at, passage in enumerate(some)
        }
