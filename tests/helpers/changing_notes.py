"""A folder of notes and a vault of it that needs no model: what tests of change index again and again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from noderag_local.domain.progress import IndexReport, Progress
from noderag_local.ingest.chunks.packing import Counters
from noderag_local.models.embedding.embedder import EmbeddedChunk, PassageVectors
from noderag_local.models.embedding.embedding_model import EmbeddingModel, builtin_model
from noderag_local.pipeline import indexing
from noderag_local.pipeline.index_request import IndexRequest
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.store import Store
from noderag_local.storage.vectors.sentence_vectors import SentenceVectors

DIMENSION = 24


class WordVectors:
    """An embedder whose vectors are sums of its words' own, so that many sentences are equally near."""

    name = identity = "word vectors"
    languages = ("*",)

    def __init__(self, dim: int = DIMENSION) -> None:
        self.dim = dim

    def batches(self, passages: Sequence[EmbeddedChunk]) -> Iterator[dict[int, PassageVectors]]:
        for place, passage in enumerate(passages):
            yield {place: PassageVectors(self._vector(passage.text()), self.questions(passage.sentences))}

    def questions(self, texts: Sequence[str]) -> np.ndarray:
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> np.ndarray:
        return _vector(text, self.dim)


def _vector(text: str, dim: int) -> np.ndarray:
    total = np.full(dim, 1e-3)
    for word in text.split():
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8])
        total += np.random.default_rng(seed).normal(size=dim)
    return (total / np.linalg.norm(total)).astype(np.float32)


def count_words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def index(
    store: Store,
    *paths: Path,
    by_lines: bool = False,
    takes_back: bool = True,
    embedder: Callable[[], WordVectors] = WordVectors,
    progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
    again: bool = False,
    keep_old: bool = False,
    read_scans: bool = False,
    embedding: EmbeddingModel | None = None,
    vectors: SentenceVectors | None = None,
) -> IndexReport:
    """Brings a vault up to date with some files and folders."""
    request = IndexRequest(
        paths=paths,
        by_lines=by_lines,
        max_file_bytes=1 << 20,
        counters=Counters(count_words, count_words),
        embedder=embedder,
        progress=progress,
        cancelled=cancelled,
        takes_back=takes_back,
        again=again,
        keep_old=keep_old,
        read_scans=read_scans,
        embedding=lambda: embedding or builtin_model(),
        vectors=vectors or SentenceVectors(),
    )
    return indexing.index(store, request)


@contextmanager
def indexed(vault: Path, *paths: Path) -> Iterator[Store]:
    """A new vault of some files and folders, open for writing."""
    with Store.open(vault, write=True) as store:
        index(store, *paths)
        yield store


def fresh_digest(folder: Path, *paths: Path, by_lines: bool = False) -> str:
    """Digest of a new vault, made in an empty folder, of the same files."""
    with Store.open(folder, write=True) as store:
        index(store, *paths, by_lines=by_lines)
        return digest(store)
