"""Embeds chunks and sentences without vectors, block by block, each block in one transaction.

If the model fails on a chunk, the chunk has no vectors and is found by its words only; it is tried again when its document
or the model changes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from noderag_local.domain.documents import Skipped
from noderag_local.graph.vectors.failing_texts import embedded_or_failed
from noderag_local.graph.vectors.node_embedding import embed_nodes_anew
from noderag_local.models.embedding.embedder import EmbeddedChunk, Embedder, PassageVectors
from noderag_local.models.embedding.embedding_model import EmbeddingModel, Runner
from noderag_local.models.embedding.opening import ModelOnWorker
from noderag_local.storage.database.fact_names import COMING_BY, CONNECTED_BY, EDGES_OF, EMBEDDED_BY, EMBEDDED_WITH
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.each_alone import Failure
from noderag_local.storage.documents.texts import StoredChunk, StoredDocument, TextRows, label_of
from noderag_local.storage.snapshots.change_log import end_log
from noderag_local.storage.vectors.unembedded import UnembeddedDocument, UnembeddedRows
from noderag_local.storage.vectors.vectors import VectorRows
from noderag_local.system.batches.executor import Executor, LocalExecutor, WorkSignals

NOT_EMBEDDED = "not embedded"
BLOCK_CHUNKS = 1024
"""Chunks in a block: enough to fill batches with texts of similar length, and less than a minute of work to lose."""

SHIPPED_CHUNKS = 256
"""Chunks in a block for another process: so few that the cores of a cluster finish at about the same time."""


@dataclass(frozen=True, slots=True)
class _Computing:
    """Where vectors are computed, and by which model."""

    executor: Executor
    embedder: Callable[[], Embedder]
    """Loads the model where it is called."""
    block_chunks: int


def embed_missing(
    store: Store,
    model: EmbeddingModel,
    embedder: Callable[[], Embedder],
    advanced: Callable[[int, int], None],
    cancelled: Callable[[], bool],
    executor: Executor | None = None,
) -> bool:
    """Embeds every chunk without a vector, and its sentences, in the order of their ids.

    The vectors are bit-identical however the chunks are divided into blocks. If the vault has vectors of another model, these
    stay in use until all new ones exist; they are then exchanged in one transaction.

    Args:
        store: the vault.
        model: model that makes the vectors.
        embedder: loads the model; not called if nothing is missing.
        advanced: called after each batch with the number of sentences done and their total.
        cancelled: called between batches; when it returns True, the current block is discarded.
        executor: embeds the blocks, in other processes; None embeds them in this one. It is not used for a model on a server.

    Returns:
        Whether everything that the model can read is embedded; `not_embedded` returns the rest.
    """
    computing = _computing(model, embedder, executor)
    if store.facts.get(EMBEDDED_BY) != model.identity and VectorRows(store).has_any():
        return _embed_anew(store, model, computing, embedder, advanced, cancelled)
    if store.facts.get(EMBEDDED_BY) != model.identity:
        with store.transaction():
            _note_model(store, model)
    if COMING_BY in store.facts:
        # Another model was chosen, then the old one again before the new vectors were complete.
        with store.transaction():
            VectorRows(store, coming=True).clear()
            store.facts.pop(COMING_BY, None)
            UnembeddedRows(store).keep_only_of_present_models()
    return _embed_chunks(store, VectorRows(store), computing, advanced, cancelled)


def _computing(model: EmbeddingModel, embedder: Callable[[], Embedder], executor: Executor | None) -> _Computing:
    if executor is None or model.runner is Runner.SERVER:
        return _Computing(LocalExecutor(), cache(embedder), BLOCK_CHUNKS)
    return _Computing(executor, ModelOnWorker(model), SHIPPED_CHUNKS)


def _embed_anew(
    store: Store,
    model: EmbeddingModel,
    computing: _Computing,
    embedder: Callable[[], Embedder],
    advanced: Callable[[int, int], None],
    cancelled: Callable[[], bool],
) -> bool:
    """Makes all vectors with another model beside the old ones, and exchanges them at the end."""
    coming = VectorRows(store, coming=True)
    if store.facts.get(COMING_BY) != model.identity:
        with store.transaction():
            coming.clear()
            store.facts[COMING_BY] = model.identity
    if not _embed_chunks(store, coming, computing, advanced, cancelled):
        return False
    if not embed_nodes_anew(store, embedder, cancelled):
        return False
    with store.transaction():
        coming.take_over()
        end_log(store)
        _note_model(store, model)
    return True


def _note_model(store: Store, model: EmbeddingModel) -> None:
    """Stores which model made the vault's vectors; what was made from another model's vectors becomes stale."""
    store.facts[EMBEDDED_BY] = model.identity
    store.facts[EMBEDDED_WITH] = model.chosen_by
    for fact in (CONNECTED_BY, EDGES_OF, COMING_BY):
        store.facts.pop(fact, None)
    UnembeddedRows(store).keep_only_of_present_models()


def not_embedded(store: Store) -> list[Skipped]:
    """Returns the documents on which the embedding model failed, in whole or in part."""
    return [_told(document) for document in UnembeddedRows(store).documents(store.facts.get(EMBEDDED_BY, ""))]


def _told(document: UnembeddedDocument) -> Skipped:
    place = f"{document.path} (record {document.record + 1})" if document.record else document.path
    detail = (
        f"{place} is found by its words and names only, as the embedding model failed on {document.failed_chunks:,} of its"
        f" {document.chunks:,} parts ({document.error}). They are tried again when the file or the embedding model changes;"
        " `noderag index PATH --again` tries them now."
    )
    return Skipped(document.path, NOT_EMBEDDED, detail, is_error=True)


def _embed_chunks(
    store: Store,
    vectors: VectorRows,
    computing: _Computing,
    advanced: Callable[[int, int], None],
    cancelled: Callable[[], bool],
) -> bool:
    missing, rows = vectors.missing_chunks(), TextRows(store)
    if not missing:
        return True
    total, done = rows.count_sentences_of_chunks(missing), 0
    advanced(done, total)
    in_hand: deque[list[StoredChunk]] = deque()

    def blocks() -> Iterator[list[EmbeddedChunk]]:
        for first in range(0, len(missing), computing.block_chunks):
            # Read one block at a time: all sentences of a large vault at once would slow down Python's garbage collector noticeably.
            block = list(_passages(rows.sentences_of_chunks(missing[first : first + computing.block_chunks])))
            in_hand.append([chunk for chunk, _ in block])
            yield [passage for _, passage in block]

    # Not 0, so that 0 is told again when the model is loaded; the rate is counted from then on.
    told = -1

    def tell(now: int) -> None:
        # An executor in this process has told of the end of its block already.
        nonlocal told
        if now != told:
            advanced(now, total)
        told = now

    signals = WorkSignals(lambda more: tell(done + more), cancelled)
    for made in computing.executor.results(partial(_embedded, computing.embedder), blocks(), signals):
        if made is None:
            return False
        chunks = in_hand.popleft()
        _store(store, vectors, chunks, made)
        done += sum(len(chunk.sentence_ids) for chunk in chunks)
        tell(done)
    return done == total


def _embedded(
    embedder: Callable[[], Embedder], passages: Sequence[EmbeddedChunk], signals: WorkSignals
) -> list[PassageVectors | Failure] | None:
    """Embeds a block; returns None if it was cancelled. It is the work of an executor."""
    model = embedder()
    signals.advanced(0)
    return embedded_or_failed(model, passages, signals.advanced, signals.cancelled)


def _passages(documents: Iterable[StoredDocument]) -> Iterator[tuple[StoredChunk, EmbeddedChunk]]:
    for document in documents:
        for chunk in document.chunks:
            texts = tuple(sentence.text for sentence in chunk.sentences)
            yield chunk, EmbeddedChunk(label_of(document.title, chunk.headings), texts)


def _store(
    store: Store, rows: VectorRows, chunks: Sequence[StoredChunk], made: Sequence[PassageVectors | Failure]
) -> None:
    """Stores the vectors of a block, and which chunks failed."""
    ids, vectors = list[int](), []
    with store.transaction():
        for chunk, one in zip(chunks, made, strict=True):
            if isinstance(one, Failure):
                rows.note_failures((chunk.id, *chunk.sentence_ids), one.kind)
                continue
            ids += (chunk.id, *chunk.sentence_ids)
            vectors += [one.chunk[None], one.sentences]
        if ids:
            rows.put(ids, np.concatenate(vectors))
