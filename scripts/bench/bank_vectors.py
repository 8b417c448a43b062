"""An embedder for vaults of made notes: the vector of a sentence's original, with seeded noise; used by `sizes.py`.

The originals are the sentences of the corpus from which `made_notes` makes its documents. The embedding model reads a sample
of them once; then a million sentences take a minute. Sentences that come from one original are near each other, as notes
about one thing are, and no two vectors are equal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
from made_notes import bank_of
from numpy.typing import NDArray

from noderag_local.config import Settings
from noderag_local.models.embedding.embedder import EmbeddedChunk, Embedder, PassageVectors, text_by_text
from noderag_local.models.embedding.embedding_model import EmbeddingModel, builtin_model
from noderag_local.models.embedding.opening import open_embedder
from noderag_local.vault.index import LoadedModels

SAMPLE = 6_000
"""Originals that the model reads; the others get the vector of one of them."""
NOISE = 0.6
"""Length of the noise that is added to a vector of length 1: two sentences of one original then have a cosine of 0.74."""
_LOWER_WORD = re.compile(r"\b[a-z]+\b")


class BankModels(LoadedModels):
    """Models of an indexing run whose embedder is a `BankEmbedder`."""

    def __init__(self, settings: Settings, bank: BankEmbedder) -> None:
        super().__init__(settings)
        self._bank = bank

    def embedder(self, model: EmbeddingModel) -> Embedder:
        return self._bank


class BankEmbedder:
    """Gives the vectors of the bank. It stands for the installed model, so that a question can be embedded by that."""

    languages: tuple[str, ...] = ("en",)

    def __init__(self, corpus: Path, saved: Path, settings: Settings) -> None:
        """Reads the vectors of the originals from `saved`, or makes and saves them."""
        self.name = self.identity = builtin_model().identity
        originals = bank_of(corpus)
        rows = np.random.default_rng(1).permutation(len(originals))[:SAMPLE]
        if not saved.exists():
            model = open_embedder(builtin_model(), settings)
            passages = [EmbeddedChunk("", (originals[row],)) for row in rows]
            batches = dict[int, PassageVectors]()
            for batch in model.batches(passages):
                batches |= batch
            np.save(saved, np.concatenate([batches[at].sentences for at in range(len(passages))]))
        self._vectors: NDArray[np.float32] = np.load(saved)
        self.dim = self._vectors.shape[1]
        self._row_of = {_skeleton(originals[row]): at for at, row in enumerate(rows)}

    def questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._rows(texts)

    def batches(self, passages: Sequence[EmbeddedChunk]) -> Iterator[Mapping[int, PassageVectors]]:
        return text_by_text(passages, self._rows)

    def _rows(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.array([self._row(text) for text in texts])
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)

    def _row(self, text: str) -> NDArray[np.float32]:
        skeleton = _skeleton(text)
        seed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest())
        row = self._row_of.get(skeleton)
        if row is None:
            row = int.from_bytes(blake2b(skeleton.encode(), digest_size=8).digest()) % len(self._vectors)
        noise = np.random.default_rng(seed).standard_normal(self.dim, np.float32)
        return self._vectors[row] + NOISE / np.sqrt(self.dim) * noise


def _skeleton(text: str) -> str:
    """Returns what names and numbers leave of a sentence; `made_notes` changes only those."""
    return " ".join(_LOWER_WORD.findall(text))
