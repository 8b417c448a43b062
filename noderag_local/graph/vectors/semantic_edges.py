"""Connects every sentence with its nearest sentences by semantic edges (NodeRAG, section 2.4, "HNSW semantic edges").

Each sentence has a list of its nearest sentences, and the edges are those of the lists. A change computes again only the lists
that it can affect: lists of new sentences and lists that have lost a sentence are searched for, and lists that a new sentence
enters are made of what they held before. So it costs a comparison of what came and went with all sentences.

Up to EXACT_UP_TO sentences are compared with each other exactly. Of more, an HNSW index of all sentences finds those that may be
near, and only these are compared. The index is kept beside the vault; a change adds to it and removes from it. So a change costs
what changed at any size, but the lists of a large vault that grew are not always those of one that was made at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.graph.algorithms.nearest import MARGIN, NearestRows, Nearness
from noderag_local.graph.vectors.insertion_order import insertion_order
from noderag_local.storage.database.distinct import distinct
from noderag_local.storage.database.fact_names import CONNECTED_BY
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.neighbour_bounds import NOWHERE, NeighbourBoundRows, NeighbourBounds
from noderag_local.storage.vectors.hnsw import Hnsw
from noderag_local.storage.vectors.sentence_vectors import SentenceVectors
from noderag_local.storage.vectors.vector_index import BLOCK, SPARE, VectorIndex
from noderag_local.storage.vectors.vectors import VectorRows

NEIGHBOURS = 10
"""Nearest neighbours of each sentence. On 249 MuSiQue questions at 2,000 tokens, 10 beat 5 by two points; 15 gained nothing."""
EXACT_UP_TO = 50_000
"""Sentences of a vault that are all compared with each other."""
CANDIDATES = 48
"""Sentences that the HNSW index proposes for a list: those it takes, and those whose own lists may take its sentence."""
FEW = 300
"""Lists up to which all sentences of a large vault are compared if it has no index; making one takes longer."""
AT_ONCE = 256
"""Lists of a large vault that are computed at once."""
ANEW_SHARE = 0.5
"""Share of the sentences that must be without a list for all lists of a large vault to be made anew, which is faster then."""
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
        exact_up_to: sentences of a vault that are all compared with each other.
    """
    if not edges_are_current(store, exact_up_to):
        NeighbourBoundRows(store).clear()
        GraphRows(store).replace_edges(EdgeType.SEMANTIC, [], [], [])
        store.facts[CONNECTED_BY] = EXACTLY
    total = TextRows(store).count_sentences()
    if total <= exact_up_to:
        _compare_all(store, vectors, advanced, stored)
        return
    store.facts[CONNECTED_BY] = BY_HNSW
    behind = NeighbourBoundRows(store).behind()
    if len(behind) <= ANEW_SHARE * total:
        vectors.read_index(store, lambda _, __: advanced(0, len(behind)))
    else:
        vectors.read_anew()
    if vectors.hnsw is not None:
        _insert(store, vectors.hnsw, behind, advanced, stored)
    elif len(behind) <= FEW:
        # As after forgetting, which removes the index with the other caches.
        _compare_all(store, vectors, advanced, stored)
    else:
        vectors.hnsw = _all_by_hnsw(store, advanced, stored)


def edges_are_current(store: Store, exact_up_to: int = EXACT_UP_TO) -> bool:
    """Returns whether the stored edges were made in a present way, and exactly if the sentences are few enough for that."""
    way = store.facts.get(CONNECTED_BY)
    return way == EXACTLY or (way == BY_HNSW and TextRows(store).count_sentences() > exact_up_to)


def _compare_all(store: Store, vectors: SentenceVectors, advanced: Advanced, stored: Advanced) -> None:
    """Computes the lists that are missing or have a gap, and those that new sentences enter, by a comparison with all sentences."""
    vectors.read(store)
    _Update(store, vectors.ids, vectors.rows, NeighbourBoundRows(store).read()).run(advanced, stored)


def _all_by_hnsw(store: Store, advanced: Advanced, stored: Advanced) -> Hnsw:
    """Makes all lists anew and returns the index. Making the index counts as half of the work, finding the lists as the other."""
    index = VectorIndex.open(store, NodeType.SENTENCE)
    ids, vectors, total = index.ids, index.vectors, len(index.ids)
    update = _Update(store, ids, vectors, NeighbourBoundRows(store).read())
    hnsw = Hnsw(vectors.shape[1])
    advanced(0, total)
    # First in the order of the files, so that nothing depends on the ids.
    order = update.by_place()
    order = order[insertion_order(vectors[order])]
    for made in hnsw.add(ids[order], vectors[order]):
        advanced(made // 2, total)
    update.run_all(hnsw, order, lambda done: advanced((total + done) // 2, total), stored)
    return hnsw


def _insert(store: Store, hnsw: Hnsw, behind: NDArray[np.int64], advanced: Advanced, stored: Advanced) -> None:
    """Computes the lists of a large vault that are missing or have a gap, and those that new sentences enter, some at a time."""
    bounds = NeighbourBoundRows(store)
    advanced(0, len(behind))
    for at in range(0, len(behind), AT_ONCE):
        searched = behind[at : at + AT_ONCE]
        wanted, rows = VectorRows(store).of_type_among(NodeType.SENTENCE, searched.tolist())
        near = hnsw.candidates(rows.astype(np.float32), min(CANDIDATES, len(hnsw)), threads=0)
        around = distinct(wanted, near[near >= 0])
        known = bounds.read(around)
        changing = distinct(wanted, _entered_by(wanted, rows, near, known, store))
        ends = [
            edge[:2]
            for read in (GraphRows(store).edges_from, GraphRows(store).edges_to)
            for edge in read(EdgeType.SEMANTIC, changing.tolist())
        ]
        ids = distinct(around, np.array(ends, np.int64).ravel())
        ids, vectors = VectorRows(store).of_type_among(NodeType.SENTENCE, ids.tolist())
        update = _Update(store, ids, vectors.astype(np.float32), bounds.read(ids), np.isin(ids, changing))
        update.run(lambda _, __: None, stored)
        advanced(min(at + AT_ONCE, len(behind)), len(behind))


def _entered_by(
    searched: NDArray[np.int64],
    rows: NDArray[np.float16],
    near: NDArray[np.int64],
    known: NeighbourBounds,
    store: Store,
) -> NDArray[np.int64]:
    """Returns the ids of the sentences near new ones whose lists may take a new one.

    Args:
        searched: (m,) ids of the sentences whose lists are computed.
        rows: (m, dim) their vectors.
        near: (m, CANDIDATES) ids of what is near each of them, or -1.
        known: bounds of the lists of all these.
        store: the vault.
    """
    if not len(known.ids):
        # All that is near the new sentences is new, too, as in a log whose lines are alike.
        return np.empty(0, np.int64)
    is_new = ~np.isin(searched, known.ids)
    found, vectors = VectorRows(store).of_type_among(NodeType.SENTENCE, known.ids.tolist())
    entered = [np.empty(0, np.int64)]
    for one, line in zip(rows[is_new].astype(np.float32), near[is_new], strict=True):
        at = np.flatnonzero(np.isin(found, line))
        cosines = vectors[at].astype(np.float32) @ one
        # The bound of a list with a gap is NaN, which no cosine reaches: it is searched for anyway.
        bounds = known.cosines[np.searchsorted(known.ids, found[at])]
        entered.append(found[at[cosines >= bounds - MARGIN]])
    return distinct(*entered)


class _Update:
    """Computes again the lists of neighbours that a change affects. Rows are those of the vectors, ordered by id."""

    def __init__(
        self,
        store: Store,
        ids: NDArray[np.int64],
        vectors: NDArray[np.float32] | NDArray[np.float16],
        known: NeighbourBounds,
        may_change: NDArray[np.bool_] | None = None,
    ) -> None:
        """Takes the sentences that are compared.

        Args:
            store: the vault.
            ids: (n,) ascending.
            vectors: (n, dim)
            known: bounds of those of them that have a list.
            may_change: (n,) whose lists may change. All that these hold is among the sentences; None if all sentences of the
                vault are there.
        """
        self._store = store
        self._rows = NeighbourBoundRows(store)
        self._graph = GraphRows(store)
        self._ids = ids
        self._may_change = may_change
        self._nearness = Nearness(vectors, lambda: self._rows.ranks(ids))
        places = np.searchsorted(ids, known.ids)
        self._reach = np.full(len(ids), -1.0)
        self._reach[places] = known.cosines
        self._last_ids = np.full(len(ids), NOWHERE)
        self._last_ids[places] = known.last_ids
        self._is_new = np.ones(len(ids), bool)
        self._is_new[places] = False

    def run(self, advanced: Advanced, stored: Advanced) -> None:
        """Computes what is missing or has a gap, exactly among the sentences given."""
        searched = self._behind()
        entered, tied = self._entered()
        searched = distinct(searched, tied)
        entered = entered[~np.isin(entered[:, 0], searched)]
        rows = distinct(searched, entered[:, 0])
        there = self._there(rows)
        wanted = self._listed(self._exactly(searched, advanced))
        wanted = wanted.with_more(self._listed(self._with_entering(entered, there)))
        wanted = wanted.with_more(self._still_on_lists(there, rows))
        self._store_edges(there, wanted, stored)

    def run_all(self, hnsw: Hnsw, order: NDArray[np.int64], advanced: Callable[[int], None], stored: Advanced) -> None:
        """Computes all lists anew from what the index proposes.

        Args:
            hnsw: index of all sentences.
            order: (n,) rows in the order in which they are searched for.
            advanced: called with the number of lists that are made.
            stored: called with the number of edges that are written and their total.
        """
        there = self._there(np.arange(len(self._ids)))
        self._store_edges(there, self._listed(self._by_hnsw(hnsw, order, advanced)), stored)

    def by_place(self) -> NDArray[np.int64]:
        """Returns the rows in the order of the files."""
        return np.argsort(self._nearness.rank)

    def _behind(self) -> NDArray[np.int64]:
        """Returns the rows, ascending, whose lists are missing or have a gap."""
        is_behind = self._is_new | np.isnan(self._reach)
        return np.flatnonzero(is_behind if self._may_change is None else is_behind & self._may_change)

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
        # Lists that are searched for anyway, and those that must stay, have a reach that nothing has.
        is_closed = self._is_new | np.isnan(self._reach)
        if self._may_change is not None:
            new, is_closed = new[self._may_change[new]], is_closed | ~self._may_change
        reach = np.where(is_closed, 2.0, self._reach)
        moved = self._there(new).keys
        for lists, rows in self._nearness.within_reach(new, reach):
            enters = self._holds(lists, rows)
            pairs.append(np.stack([lists[enters], rows[enters]], axis=1))
            keys = _keys(self._ids[lists], self._ids[rows])
            if self._may_change is not None:
                continue
            tied.append(lists[np.isin(keys, moved) & (self._nearness.cosines(lists, rows) == reach[lists])])
        return np.concatenate(pairs), distinct(*tied)

    def _exactly(self, rows: NDArray[np.int64], advanced: Advanced) -> Iterator[NearestRows]:
        done = 0
        advanced(done, len(rows))
        for block in self._nearness.nearest(rows, NEIGHBOURS):
            yield block
            done += len(block.rows)
            advanced(done, len(rows))

    def _by_hnsw(self, hnsw: Hnsw, order: NDArray[np.int64], advanced: Callable[[int], None]) -> Iterator[NearestRows]:
        total = len(self._ids)
        for at in range(0, total, BLOCK):
            block = np.sort(order[at : at + BLOCK])
            queries = self._nearness.vectors[block].astype(np.float32)
            near = hnsw.candidates(queries, min(NEIGHBOURS + 1 + SPARE, total), threads=0)
            lists, candidates = np.repeat(block, near.shape[1]), np.searchsorted(self._ids, near.ravel())
            others = (near.ravel() >= 0) & (lists != candidates)
            yield self._nearness.nearest_among(block, lists[others], candidates[others], NEIGHBOURS)
            advanced(at + len(block))

    def _with_entering(self, entered: NDArray[np.int64], there: _Edges) -> Iterator[NearestRows]:
        """Yields the lists that new sentences enter: the nearest of these and of the sentences that were connected before."""
        rows = distinct(entered[:, 0])
        one, other = (np.searchsorted(self._ids, ends) for ends in there.ends())
        pairs = np.concatenate([entered, np.stack([one, other], axis=1), np.stack([other, one], axis=1)])
        pairs = pairs[np.isin(pairs[:, 0], rows)]
        keys = distinct(pairs[:, 0] << _ID_BITS | pairs[:, 1])
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
        if self._may_change is None and len(rows) == len(self._ids):
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
