"""Connects every sentence with its nearest sentences by semantic edges (NodeRAG, section 2.3, "HNSW semantic edges").

Each sentence has a list of its nearest sentences, and the edges are those of the lists. A change computes again only the lists
that it can affect: lists of new sentences and lists that have lost a sentence are searched for, and lists that a new sentence
enters are made of what they held before. So it costs a comparison of what came and went with all sentences.

Up to EXACT_UP_TO lists at a time are searched for exactly. If more are needed, as for the first index of a large folder, all
lists are made anew by HNSW.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType
from noderag_local.graph.algorithms.nearest import NearestRows, Nearness
from noderag_local.storage.database.fact_names import CONNECTED_BY
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.neighbour_bounds import NOWHERE, NeighbourBoundRows, NeighbourBounds
from noderag_local.storage.vectors.hnsw import Hnsw
from noderag_local.storage.vectors.sentence_vectors import SentenceVectors
from noderag_local.storage.vectors.vector_index import BLOCK, SPARE

NEIGHBOURS = 10
"""Nearest neighbours of each sentence. On 249 MuSiQue questions at 2,000 tokens, 10 beat 5 by two points; 15 gained nothing."""
EXACT_UP_TO = 50_000
"""Lists that are searched for exactly in one run."""
EXACTLY, BY_HNSW = "exactly", "some by hnsw"
"""How the lists of a vault were made, as it stores that; changing these words makes every vault connect its sentences again."""
EDGES_AT_ONCE = 1 << 14
"""Edges that are read or written between two reports of progress."""
_ID_BITS = 31

Advanced = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class _Edges:
    """Undirected edges, each once, ascending."""

    keys: NDArray[np.int64]
    """(e,) the two ids of each edge in one number, the lower id in the upper bits"""
    weights: NDArray[np.float32]
    """(e,) cosine"""

    @classmethod
    def of(cls, one: NDArray[np.int64], other: NDArray[np.int64], weights: NDArray[np.floating]) -> _Edges:
        """Makes edges of the ids (p,) of their ends; an edge may come several times, in both directions."""
        keys, first = np.unique(_keys(one, other), return_index=True)
        return cls(keys, weights[first].astype(np.float32))

    def ends(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Returns the lower and the higher id of each edge."""
        return self.keys >> _ID_BITS, self.keys & ((1 << _ID_BITS) - 1)

    def chosen(self, which: NDArray[np.bool_]) -> _Edges:
        """Returns some of the edges."""
        return _Edges(self.keys[which], self.weights[which])

    def with_more(self, more: _Edges) -> _Edges:
        """Returns both; an edge of both has the weight that it has here."""
        keys, first = np.unique(np.concatenate([self.keys, more.keys]), return_index=True)
        return _Edges(keys, np.concatenate([self.weights, more.weights])[first])

    def same_in(self, others: _Edges) -> NDArray[np.bool_]:
        """Returns for each edge whether the others have it with the same weight."""
        at = np.minimum(np.searchsorted(others.keys, self.keys), max(len(others.keys) - 1, 0))
        if not len(others.keys):
            return np.zeros(len(self.keys), bool)
        return np.asarray((others.keys[at] == self.keys) & (others.weights[at] == self.weights))


def _keys(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the numbers of edges, (e,), from the ids of their ends in any order."""
    return np.asarray(np.minimum(one, other) << _ID_BITS | np.maximum(one, other))


def build_semantic_edges(
    store: Store,
    vectors: SentenceVectors,
    advanced: Advanced,
    stored: Advanced,
    exact_up_to: int = EXACT_UP_TO,
) -> None:
    """Updates the semantic edges to the current vectors; call it inside a transaction. The weight of an edge is the cosine.

    Args:
        store: the vault.
        vectors: the stored vectors of the sentences.
        advanced: called with the number of sentences whose neighbours are found and their total.
        stored: called with the number of edges that are written and their total.
        exact_up_to: lists that are searched for exactly in one run.
    """
    if not edges_are_current(store, exact_up_to):
        NeighbourBoundRows(store).clear()
        GraphRows(store).replace_edges(EdgeType.SEMANTIC, [], [], [])
        store.facts[CONNECTED_BY] = EXACTLY
    vectors.read(store)
    _Update(store, vectors).run(advanced, stored, exact_up_to)


def edges_are_current(store: Store, exact_up_to: int = EXACT_UP_TO) -> bool:
    """Returns whether the stored edges were made in a present way, and exactly if the sentences are few enough for that."""
    way = store.facts.get(CONNECTED_BY)
    return way == EXACTLY or (way == BY_HNSW and TextRows(store).count_sentences() > exact_up_to)


class _Update:
    """Computes again the lists of neighbours that a change affects. Rows are those of the vectors, ordered by id."""

    def __init__(self, store: Store, vectors: SentenceVectors) -> None:
        self._store = store
        self._rows = NeighbourBoundRows(store)
        self._graph = GraphRows(store)
        self._ids = vectors.ids
        self._vectors = vectors.rows
        self._nearness = Nearness(vectors.rows, lambda: self._rows.ranks(vectors.ids))
        known = self._rows.read()
        places = np.searchsorted(vectors.ids, known.ids)
        self._reach = np.full(len(vectors.ids), -1.0)
        self._reach[places] = known.cosines
        self._last_ids = np.full(len(vectors.ids), NOWHERE)
        self._last_ids[places] = known.last_ids
        self._is_new = np.ones(len(vectors.ids), bool)
        self._is_new[places] = False

    def run(self, advanced: Advanced, stored: Advanced, exact_up_to: int) -> None:
        searched = np.flatnonzero(self._is_new | np.isnan(self._reach))
        if len(searched) <= exact_up_to:
            entered, tied = self._entered()
            searched = np.union1d(searched, tied)
        if len(searched) > exact_up_to:
            rows = np.arange(len(self._ids))
            self._store.facts[CONNECTED_BY] = BY_HNSW
            there = self._there(rows)
            wanted = self._listed(self._by_hnsw(rows, advanced))
        else:
            entered = entered[~np.isin(entered[:, 0], searched)]
            rows = np.union1d(searched, entered[:, 0])
            there = self._there(rows)
            wanted = self._listed(self._exactly(searched, advanced))
            wanted = wanted.with_more(self._listed(self._with_entering(entered, there)))
            wanted = wanted.with_more(self._still_on_lists(there, rows))
        self._store_edges(there, wanted, stored)

    def _entered(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Returns what new sentences do to the known lists.

        Returns:
            Pairs (p, 2) of known rows and the new rows that enter their lists. And known rows, ascending, with a list whose last
            sentence has a twin that has moved to another place. Places decide between twins, so these lists are searched for.
        """
        new = np.flatnonzero(self._is_new)
        pairs, tied = [np.zeros((0, 2), np.int64)], [np.zeros(0, np.int64)]
        if len(new) == len(self._ids):
            return pairs[0], tied[0]
        # Lists that are searched for anyway have a reach that nothing has.
        reach = np.where(self._is_new | np.isnan(self._reach), 2.0, self._reach)
        moved = self._there(new).keys
        for lists, rows in self._nearness.within_reach(new, reach):
            enters = self._holds(lists, rows)
            pairs.append(np.stack([lists[enters], rows[enters]], axis=1))
            keys = _keys(self._ids[lists], self._ids[rows])
            tied.append(lists[np.isin(keys, moved) & (self._nearness.cosines(lists, rows) == reach[lists])])
        return np.concatenate(pairs), np.unique(np.concatenate(tied))

    def _exactly(self, rows: NDArray[np.int64], advanced: Advanced) -> Iterator[NearestRows]:
        done = 0
        advanced(done, len(rows))
        for block in self._nearness.nearest(rows, NEIGHBOURS):
            yield block
            done += len(block.rows)
            advanced(done, len(rows))

    def _by_hnsw(self, rows: NDArray[np.int64], advanced: Advanced) -> Iterator[NearestRows]:
        """Yields the lists of all rows. Making the index counts as half of the work, finding the lists as the other."""
        index, total = Hnsw(self._vectors.shape[1]), len(rows)
        advanced(0, total)
        # In the order of the files, which does not depend on the ids.
        for made in index.add(np.argsort(self._nearness.rank), self._vectors):
            advanced(made // 2, total)
        for at in range(0, total, BLOCK):
            block = rows[at : at + BLOCK]
            near = index.candidates(self._vectors[block], min(NEIGHBOURS + 1 + SPARE, total))
            lists, candidates = np.repeat(block, near.shape[1]), near.ravel()
            others = lists != candidates
            yield self._nearness.nearest_among(block, lists[others], candidates[others], NEIGHBOURS)
            advanced((total + at + len(block)) // 2, total)

    def _with_entering(self, entered: NDArray[np.int64], there: _Edges) -> Iterator[NearestRows]:
        """Yields the lists that new sentences enter: the nearest of these and of the sentences that were connected before."""
        rows = np.unique(entered[:, 0])
        one, other = (np.searchsorted(self._ids, ends) for ends in there.ends())
        pairs = np.concatenate([entered, np.stack([one, other], axis=1), np.stack([other, one], axis=1)])
        pairs = pairs[np.isin(pairs[:, 0], rows)]
        keys = np.unique(pairs[:, 0] << _ID_BITS | pairs[:, 1])
        if len(keys):
            yield self._nearness.nearest_among(rows, keys >> _ID_BITS, keys & ((1 << _ID_BITS) - 1), NEIGHBOURS)

    def _listed(self, blocks: Iterator[NearestRows]) -> _Edges:
        """Notes the bounds of lists and returns their edges."""
        sources, targets = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        weights = [np.zeros(0, np.float32)]
        for block in blocks:
            self._note(block)
            kept = (block.nearest >= 0) & (block.cosines > 0)
            sources.append(self._ids[np.broadcast_to(block.rows[:, None], kept.shape)[kept]])
            targets.append(self._ids[block.nearest[kept]])
            weights.append(block.cosines[kept].astype(np.float32))
        return _Edges.of(np.concatenate(sources), np.concatenate(targets), np.concatenate(weights))

    def _note(self, block: NearestRows) -> None:
        # A list that is not full takes any sentence with a positive cosine, so its bound is 0.
        is_full = (block.nearest[:, -1] >= 0) & (block.cosines[:, -1] > 0)
        cosines = np.where(is_full, block.cosines[:, -1], 0.0)
        last_ids = np.where(is_full, self._ids[block.nearest[:, -1]], NOWHERE)
        self._reach[block.rows], self._last_ids[block.rows] = cosines, last_ids
        self._rows.put(NeighbourBounds(self._ids[block.rows], cosines, last_ids))

    def _there(self, rows: NDArray[np.int64]) -> _Edges:
        """Returns the stored edges of these rows."""
        if len(rows) == len(self._ids):
            return _Edges.of(*self._graph.edges(EdgeType.SEMANTIC))
        found = [(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))]
        for at in range(0, len(rows), EDGES_AT_ONCE):
            ids = self._ids[rows[at : at + EDGES_AT_ONCE]].tolist()
            for read in (self._graph.edges_from, self._graph.edges_to):
                edges = read(EdgeType.SEMANTIC, ids)
                ends = np.array([edge[:2] for edge in edges], np.int64).reshape(-1, 2)
                found.append((ends[:, 0], ends[:, 1], np.array([edge[2] for edge in edges], np.float32)))
        one, other, weights = (np.concatenate(column) for column in zip(*found, strict=True))
        return _Edges.of(one, other, weights)

    def _still_on_lists(self, there: _Edges, rows: NDArray[np.int64]) -> _Edges:
        """Returns the stored edges that stay because the unchanged list of their other end contains one of these rows."""
        found = np.stack([np.searchsorted(self._ids, ends) for ends in there.ends()], axis=1)
        is_changed = np.zeros(len(self._ids), bool)
        is_changed[rows] = True
        stays = is_changed[found].sum(axis=1) == 1
        found = found[stays]
        # Puts the row whose list is unchanged first.
        found = np.where(is_changed[found[:, :1]], found[:, ::-1], found)
        stays[stays] = self._holds(found[:, 0], found[:, 1])
        return there.chosen(stays)

    def _holds(self, lists: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Returns for each pair, (m,), whether the list of the first row contains the second, or must take it."""
        cosines, reach, last_ids = self._nearness.cosines(lists, rows), self._reach[lists], self._last_ids[lists]
        holds = (cosines > reach) | (self._ids[rows] == last_ids)
        tied = np.flatnonzero((cosines == reach) & ~holds & (last_ids != NOWHERE))
        if len(tied):
            rank = self._nearness.rank
            holds[tied] = rank[rows[tied]] < rank[np.searchsorted(self._ids, last_ids[tied])]
        return np.asarray(holds)

    def _store_edges(self, there: _Edges, wanted: _Edges, stored: Advanced) -> None:
        gone = there.chosen(~np.isin(there.keys, wanted.keys, assume_unique=True))
        self._graph.remove_edges(EdgeType.SEMANTIC, zip(*(ends.tolist() for ends in gone.ends()), strict=True))
        added = wanted.chosen(~wanted.same_in(there))
        sources, targets = added.ends()
        for at in range(0, len(added.keys), EDGES_AT_ONCE):
            part = slice(at, at + EDGES_AT_ONCE)
            self._graph.add_edges(EdgeType.SEMANTIC, sources[part], targets[part], added.weights[part])
            stored(min(part.stop, len(added.keys)), len(added.keys))
