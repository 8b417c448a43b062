"""Embeds chunks and sentences that have no vector, block by block, each block in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

import numpy as np

from noderag_local.models.embedding.embedder import EmbeddedChunk, Embedder, embedded
from noderag_local.models.embedding.embedding_model import EmbeddingModel
from noderag_local.storage.database.fact_names import CONNECTED_BY, EDGES_OF, EMBEDDED_BY, EMBEDDED_WITH
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import StoredChunk, StoredDocument, TextRows, label_of
from noderag_local.storage.vectors.vectors import VectorRows

BLOCK_CHUNKS = 1024
"""Chunks in a block: enough to find neighbours of like length for every batch, and less than a minute of work to lose."""


def embed_missing(
    store: Store,
    model: EmbeddingModel,
    embedder: Callable[[], Embedder],
    advanced: Callable[[int, int], None],
    cancelled: Callable[[], bool],
) -> bool:
    """Embeds every chunk without a vector, and its sentences, in the order of their ids.

    Blocks are stored whole. The vectors are the same to the last bit, however the chunks fall into blocks.

    Args:
        store: the vault.
        model: that makes the vectors; those of another one are removed.
        embedder: loads the model; not asked when nothing is missing.
        advanced: told after each batch how many sentences are done, and of how many.
        cancelled: asked between batches; the block that was begun is then thrown away.

    Returns:
        Whether all is embedded.
    """
    if store.facts.get(EMBEDDED_BY) != model.identity:
        with store.transaction():
            VectorRows(store).clear()
            store.facts.pop(CONNECTED_BY, None)
            store.facts.pop(EDGES_OF, None)
            store.facts[EMBEDDED_BY] = model.identity
            store.facts[EMBEDDED_WITH] = model.chosen_by
    missing, rows = VectorRows(store).missing_chunks(), TextRows(store)
    if not missing:
        return True
    total, done = rows.count_sentences_of_chunks(missing), 0
    advanced(done, total)

    def of_block(more: int) -> None:
        advanced(done + more, total)

    loaded = embedder()
    for first in range(0, len(missing), BLOCK_CHUNKS):
        if cancelled():
            return False
        # Read a block at a time: all sentences of a large vault at once are more than Python's collector of garbage looks through
        # without being noticed.
        block = list(_passages(rows.sentences_of_chunks(missing[first : first + BLOCK_CHUNKS])))
        if not _embed_block(store, loaded, block, of_block, cancelled):
            return False
        done += sum(len(chunk.sentence_ids) for chunk, _ in block)
    return True


def _passages(documents: Iterable[StoredDocument]) -> Iterator[tuple[StoredChunk, EmbeddedChunk]]:
    for document in documents:
        for chunk in document.chunks:
            texts = tuple(sentence.text for sentence in chunk.sentences)
            yield chunk, EmbeddedChunk(label_of(document.title, chunk.headings), texts)


def _embed_block(
    store: Store,
    embedder: Embedder,
    block: list[tuple[StoredChunk, EmbeddedChunk]],
    advanced: Callable[[int], None],
    cancelled: Callable[[], bool],
) -> bool:
    """Embeds a block and stores it; returns False, with nothing stored, if it was stopped."""
    vectors = embedded(embedder, [passage for _, passage in block], advanced, cancelled)
    if vectors is None:
        return False
    ids = chain.from_iterable((chunk.id, *chunk.sentence_ids) for chunk, _ in block)
    rows = [np.vstack([found.chunk[None], found.sentences]) for found in vectors]
    with store.transaction():
        VectorRows(store).put(list(ids), np.concatenate(rows))
    return True
