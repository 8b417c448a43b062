"""Connects every sentence with its nearest sentences by semantic edges (NodeRAG, section 2.3, "HNSW semantic edges").

Up to EXACT_UP_TO sentences, each sentence's list of nearest neighbours is exact. Computing the lists takes a tenth of the
time of embedding, and the edges depend on the vectors alone, so a new sentence changes only the lists that it enters.
Above that number, the neighbours are found by HNSW, and all lists are computed again after each change.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.graph.algorithms.nearest import NearestRows, Nearness
from noderag_local.graph.algorithms.rows import first_of_each
from noderag_local.storage.database.fact_names import CONNECTED_BY
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.neighbour_bounds import NOWHERE, NeighbourBoundRows, NeighbourBounds
from noderag_local.storage.vectors.sentence_vectors import SentenceVectors
from noderag_local.storage.vectors.vector_index import SEARCH_EXACT_UP_TO, VectorIndex

NEIGHBOURS = 10
"""Nearest neighbours of each sentence. On 249 MuSiQue questions at 2,000 tokens, 10 beat 5 by two points; 15 gained nothing."""
EXACT_UP_TO = SEARCH_EXACT_UP_TO
EXACTLY, BY_HNSW = "exactly", "by hnsw"
"""The two ways to connect sentences, as vaults store them; changing these words makes every vault connect its sentences again."""

_Pairs = dict[tuple[int, int], float]


def build_semantic_edges(store: Store, vectors: SentenceVectors, advanced: Callable[[int, int], None]) -> None:
    """Updates the semantic edges to the current vectors; call it inside a transaction. The weight of an edge is the cosine.

    Args:
        store: the vault.
        vectors: the stored vectors of the sentences.
        advanced: called with the number of sentences done and the total.
    """
    way = _way(store)
    if way == BY_HNSW or store.facts.get(CONNECTED_BY) != way:
        NeighbourBoundRows(store).clear()
        GraphRows(store).replace_edges(EdgeType.SEMANTIC, [], [], [])
        store.facts[CONNECTED_BY] = way
    if way == EXACTLY:
        vectors.read(store)
        _Update(store, vectors).run(advanced)
    else:
        vectors.drop()
        _connect_by_hnsw(store, VectorIndex.open(store, NodeType.SENTENCE), advanced)


def edges_are_current(store: Store) -> bool:
    """Returns whether the stored edges were made in the way (exactly or by HNSW) that would be used now."""
    return store.facts.get(CONNECTED_BY) == _way(store)


def _way(store: Store) -> str:
    return EXACTLY if TextRows(store).count_sentences() <= EXACT_UP_TO else BY_HNSW


class _Update:
    """Computes again the lists of neighbours that a change affects. Rows are those of the vectors, ordered by id."""

    def __init__(self, store: Store, vectors: SentenceVectors) -> None:
        self._rows = NeighbourBoundRows(store)
        self._graph = GraphRows(store)
        self._ids = vectors.ids
        self._nearness = Nearness(vectors.rows, lambda: self._rows.ranks(vectors.ids))
        known = self._rows.read()
        places = np.searchsorted(vectors.ids, known.ids)
        self._reach = np.full(len(vectors.ids), -1.0)
        self._reach[places] = known.cosines
        self._last_ids = np.full(len(vectors.ids), NOWHERE)
        self._last_ids[places] = known.last_ids
        self._is_new = np.ones(len(vectors.ids), bool)
        self._is_new[places] = False

    def run(self, advanced: Callable[[int, int], None]) -> None:
        rows = self._moved()
        wanted, done = _Pairs(), 0
        advanced(done, len(rows))
        for block in self._nearness.nearest(rows, NEIGHBOURS):
            wanted |= self._pairs(block)
            self._note(block)
            done += len(block.rows)
            advanced(done, len(rows))
        there = self._there(rows)
        wanted |= self._still_on_lists(there, rows)
        self._graph.remove_edges(EdgeType.SEMANTIC, there.keys() - wanted.keys())
        added = sorted(pair for pair, weight in wanted.items() if there.get(pair) != weight)
        ends = np.array(added, np.int64).reshape(-1, 2)
        self._graph.add_edges(EdgeType.SEMANTIC, ends[:, 0], ends[:, 1], [wanted[pair] for pair in added])

    def _moved(self) -> NDArray[np.int64]:
        """Returns the ascending rows whose lists must be computed: new or incomplete lists, and lists that a new sentence enters."""
        new, gaps = np.flatnonzero(self._is_new), np.flatnonzero(np.isnan(self._reach))
        if len(new) == len(self._ids):
            return new
        reach = np.where(self._is_new | np.isnan(self._reach), 2.0, self._reach)
        entered = self._nearness.within_reach(new, reach) if len(new) else new
        return np.unique(np.concatenate([new, gaps, entered]))

    def _pairs(self, block: NearestRows) -> _Pairs:
        """Returns the edges of a block of neighbour lists, each with the lower id first."""
        sources = np.repeat(self._ids[block.rows], NEIGHBOURS)
        kept = (block.nearest >= 0).ravel() & (block.cosines > 0).ravel()
        ends = np.stack([sources[kept], self._ids[block.nearest.ravel()[kept]]], axis=1)
        ends.sort(axis=1)
        weights = block.cosines.ravel()[kept].astype(np.float32).tolist()
        return dict(zip(map(tuple, ends.tolist()), weights, strict=True))

    def _note(self, block: NearestRows) -> None:
        # A list that is not full takes any sentence with a positive cosine, so its bound is 0.
        is_full = (block.nearest[:, -1] >= 0) & (block.cosines[:, -1] > 0)
        cosines = np.where(is_full, block.cosines[:, -1], 0.0)
        last_ids = np.where(is_full, self._ids[block.nearest[:, -1]], NOWHERE)
        self._reach[block.rows], self._last_ids[block.rows] = cosines, last_ids
        self._rows.put(NeighbourBounds(self._ids[block.rows], cosines, last_ids))

    def _there(self, rows: NDArray[np.int64]) -> _Pairs:
        """Returns the stored edges of these rows."""
        ids = self._ids[rows].tolist()
        edges = (self._graph.edges_from, self._graph.edges_to)
        return {(a, b): weight for read in edges for a, b, weight in read(EdgeType.SEMANTIC, ids)}

    def _still_on_lists(self, there: _Pairs, rows: NDArray[np.int64]) -> _Pairs:
        """Returns the stored edges that stay because the unchanged list of their other end contains one of these rows."""
        pairs = np.array(list(there), np.int64).reshape(-1, 2)
        found = np.searchsorted(self._ids, pairs)
        is_moved = np.zeros(len(self._ids), bool)
        is_moved[rows] = True
        one_moved = is_moved[found].sum(axis=1) == 1
        found = found[one_moved]
        # Puts the row whose list is unchanged first.
        found = np.where(is_moved[found[:, :1]], found[:, ::-1], found)
        holds = self._holds(found[:, 0], found[:, 1])
        kept = map(tuple, np.sort(self._ids[found[holds]], axis=1).tolist())
        return {(a, b): there[a, b] for a, b in kept}

    def _holds(self, lists: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Returns for each connected pair, (m,), whether the list of the first row contains the second."""
        cosines, reach, last_ids = self._nearness.cosines(lists, rows), self._reach[lists], self._last_ids[lists]
        holds = (cosines > reach) | (self._ids[rows] == last_ids)
        tied = np.flatnonzero((cosines == reach) & ~holds & (last_ids != NOWHERE))
        if len(tied):
            rank = self._nearness.rank
            holds[tied] = rank[rows[tied]] < rank[np.searchsorted(self._ids, last_ids[tied])]
        return np.asarray(holds)


def _connect_by_hnsw(store: Store, index: VectorIndex, advanced: Callable[[int, int], None]) -> None:
    """Computes all edges again. usearch does not expose its graph, so the index is searched with each of its own vectors."""
    ends, weights, done = [np.zeros((0, 2), np.int64)], [np.zeros(0, np.float32)], 0
    advanced(done, len(index.ids))
    for block in index.all_neighbours(NEIGHBOURS):
        sources = np.repeat(block.ids, block.neighbours.shape[1])
        targets, cosines = block.neighbours.ravel(), block.cosines.ravel()
        kept = (targets >= 0) & (cosines > 0)
        ends.append(np.sort(np.stack([sources[kept], targets[kept]], axis=1), axis=1))
        weights.append(cosines[kept])
        done += len(block.ids)
        advanced(done, len(index.ids))
    pairs = np.concatenate(ends)
    first = first_of_each(pairs)
    GraphRows(store).replace_edges(EdgeType.SEMANTIC, pairs[first, 0], pairs[first, 1], np.concatenate(weights)[first])
