"""Computes vectors of semantic units, attributes, high-level elements, relationships, profiles and written units.

NodeRAG embeds the first three (section 2.4).

A unit that is a range of sentences gets the mean of their vectors. That needs no run of the model, and because the
sentences were embedded within their chunk, their vectors reflect whom "she" refers to. All other nodes are embedded by
their own text.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.graph.vectors.failing_texts import embedded_or_failed
from noderag_local.models.embedding.embedder import EmbeddedChunk, Embedder, PassageVectors
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.each_alone import Failure
from noderag_local.storage.graph.fragments import FragmentRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.whole_graph import named_nodes
from noderag_local.storage.vectors.vectors import VectorRows
from noderag_local.text.statement import spoken

BLOCK_TEXTS = 512
"""Texts in a block: enough to fill batches with texts of similar length; a cancelled block loses two seconds of work."""

NO_SENTENCE = "no sentence with a vector"
"""Why a unit has no vector if the model failed on all of its sentences."""
_log = logging.getLogger(__name__)
_TYPES = (
    NodeType.SEMANTIC_UNIT,
    NodeType.ATTRIBUTE,
    NodeType.HIGH_LEVEL_ELEMENT,
    NodeType.RELATIONSHIP,
    NodeType.PROFILE,
    NodeType.WRITTEN_UNIT,
)


class NodeEmbeddingStep:
    """A `Step` that embeds every node without a vector. Code that changes the text of a node removes its vector."""

    name = "embedding"

    def __init__(self, embedder: Callable[[], Embedder]) -> None:
        """Keeps the function that loads the model; it is called only when a text must be embedded."""
        self._embedder = embedder

    def needed(self, store: Store) -> bool:
        """Returns whether any node lacks its vector."""
        return any(VectorRows(store).missing_nodes(kind) for kind in _TYPES)

    def run(self, store: Store, advanced: Callable[[int, int], None], cancelled: Callable[[], bool]) -> None:
        """Embeds the nodes without a vector, each block in one transaction.

        The missing nodes are ordered by key and divided into blocks of fixed size, so a run that resumes after a kill gives
        the same vectors as an uninterrupted one.
        """
        embed_ranges(store)
        waiting = [one for kind in _TYPES for one in missing_texts(store, kind)]
        embed_texts(store, waiting, self._embedder, advanced, cancelled)

    def drop(self, store: Store) -> None:
        """Removes the vectors of these types of nodes; vectors of chunks and sentences stay."""
        with store.transaction():
            for kind in _TYPES:
                VectorRows(store).remove(named_nodes(store, kind)[0].tolist())


def embed_nodes_anew(store: Store, embedder: Callable[[], Embedder], cancelled: Callable[[], bool]) -> bool:
    """Embeds with the new model every node of these types that has a vector of the old model; returns whether all are done.

    The sentences must already have vectors of the new model. Other types of nodes are embedded by their own steps.
    """
    coming = VectorRows(store, coming=True)
    embed_ranges(store, coming)
    embed_texts(store, _waiting(store, coming), embedder, lambda done, total: None, cancelled, coming)
    return not _waiting(store, coming)


def _waiting(store: Store, coming: VectorRows) -> list[tuple[int, str]]:
    """Returns (node, text to embed) for nodes with a vector of the old model but none of the new one."""
    old = VectorRows(store)
    return [
        (node, text)
        for kind in _TYPES
        for without in [set(old.missing_nodes(kind))]
        for node, text in missing_texts(store, kind, coming)
        if node not in without
    ]


def embed_texts(
    store: Store,
    waiting: Sequence[tuple[int, str]],
    embedder: Callable[[], Embedder],
    advanced: Callable[[int, int], None],
    cancelled: Callable[[], bool],
    rows: VectorRows | None = None,
) -> None:
    """Embeds the text of each node and stores the vectors, each block in one transaction.

    Args:
        store: the vault.
        waiting: (node, text to embed) pairs.
        embedder: loads the model; called only if there is a text to embed.
        advanced: see `Step.run`.
        cancelled: see `Step.run`.
        rows: table that the vectors go to; None for the table in use.
    """
    rows = rows or VectorRows(store)
    done = 0
    advanced(done, len(waiting))
    if not waiting or cancelled():
        return

    def of_block(more: int) -> None:
        advanced(done + more, len(waiting))

    model = embedder()
    texts = iter(waiting)
    while block := list(islice(texts, BLOCK_TEXTS)):
        if cancelled():
            return
        made = embedded_or_failed(model, [EmbeddedChunk("", (text,)) for _, text in block], of_block, cancelled)
        if made is None:
            return
        _store(store, rows, [node for node, _ in block], made)
        done += len(block)


def _store(store: Store, rows: VectorRows, nodes: Sequence[int], made: Sequence[PassageVectors | Failure]) -> None:
    """Writes the vectors of nodes, and notes the nodes on which the model failed."""
    vectors = {node: one.chunk for node, one in zip(nodes, made, strict=True) if not isinstance(one, Failure)}
    failures = [(node, one.kind) for node, one in zip(nodes, made, strict=True) if isinstance(one, Failure)]
    with store.transaction():
        for node, kind in failures:
            rows.note_failures([node], kind)
        if vectors:
            rows.put(vectors, np.stack(list(vectors.values())))
    if failures:
        _log.warning("the embedding model failed on the texts of %d nodes", len(failures))


def embed_ranges(store: Store, rows: VectorRows | None = None) -> int:
    """Gives each unit without a vector the mean of its sentences' vectors, scaled to unit length; returns how many.

    Units whose sentences have no vectors yet are skipped; sentences on which the model failed are left out of the mean.
    """
    rows = rows or VectorRows(store)
    missing = rows.missing_nodes(NodeType.SEMANTIC_UNIT)
    parts = GraphRows(store).edges_from(EdgeType.PART, missing)
    sentence_ids, vectors = rows.matrix(NodeType.SENTENCE) if parts else (np.zeros(0, np.int64), None)
    if vectors is None or not len(sentence_ids):
        return 0
    of_unit: dict[int, list[int]] = {}
    for unit, sentence, _ in parts:
        of_unit.setdefault(unit, []).append(sentence)
    known, failed = set(sentence_ids.tolist()), rows.failed_nodes()
    of_unit = {unit: [number for number in found if number not in failed] for unit, found in of_unit.items()}
    rows.note_failures([unit for unit, found in of_unit.items() if not found], NO_SENTENCE)
    whole = {unit: found for unit, found in of_unit.items() if found and known.issuperset(found)}
    if whole:
        means = [_mean(vectors[np.searchsorted(sentence_ids, sorted(found))]) for found in whole.values()]
        with store.transaction():
            rows.put(whole, np.stack(means))
    return len(whole)


def missing_texts(store: Store, kind: NodeType, rows: VectorRows | None = None) -> list[tuple[int, str]]:
    """Returns (node, text to embed) for nodes of one type without a vector, by key; leaves out what `embed_ranges` covers."""
    missing = set((rows or VectorRows(store)).missing_nodes(kind))
    if kind is NodeType.SEMANTIC_UNIT:
        missing -= {unit for unit, _, _ in GraphRows(store).edges_from(EdgeType.PART, sorted(missing))}
    if not missing:
        return []
    ids, _, names = named_nodes(store, kind)
    texts = {node: name for node, name in zip(ids.tolist(), names, strict=True) if node in missing}
    if kind is NodeType.RELATIONSHIP:
        said = FragmentRows(store).of_nodes(texts)
        texts = {node: _statements([text for _, text in said[node]]) or name for node, name in texts.items()}
    if kind is NodeType.PROFILE:
        texts = {node: name.replace("\n", ". ") for node, name in texts.items()}
    return list(texts.items())


def _statements(stored: Sequence[str]) -> str:
    """Joins the distinct statements in sorted order, so that the text does not depend on node ids."""
    return ". ".join(sorted({spoken(statement) for statement in stored if statement}))


def _mean(vectors: NDArray[np.float16]) -> NDArray[np.float32]:
    mean = vectors.astype(np.float32).mean(axis=0)
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-12), dtype=np.float32)
