"""Brings the arrays of a search up to date where the vault has changed since their file was made.

What was removed keeps its row, to which nothing leads any more: it belongs to a chunk and a document that do not exist, and the
entries of its edges are 0. What was added comes after all rows. The file itself stays as it is: entries are set to 0 in this
process's view of it. So the time grows with the changes, and the arrays are those that a new file would have, but for the rows
of what was removed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.graph.algorithms.sparse import between, symmetric
from noderag_local.retrieval.graph_arrays import (
    DATE,
    NAME,
    SUBJECT_WEIGHT,
    are_numbers,
    kinds_of_names,
    stated,
)
from noderag_local.retrieval.search_arrays import NOWHERE, SearchArrays
from noderag_local.storage.database.distinct import distinct
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.edge_letters import LETTERS
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.snapshots.change_log import ChangedEdges, Changes
from noderag_local.storage.snapshots.snapshot import Snapshot

MOST_READ_AGAIN = 20_000
"""Sentences whose names are read again at most, after names were merged or parted; for more, all arrays are made anew."""
NAMING = (EdgeType.NAMES, EdgeType.RELATES)
"""Types of edges from what a language model has made to the entities that it tells of."""
NO_EDGES = ChangedEdges(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))

_NAMES = "SELECT id, type, key FROM nodes WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id"
_NAMED = "SELECT source, target, weight FROM edges WHERE type = ? AND source IN (SELECT value FROM json_each(?))"

Rows = NDArray[np.int64]
Number = TypeVar("Number", bound=np.generic)


def brought_up(
    arrays: SearchArrays, merged_before: Mapping[int, int], snapshot: Snapshot, store: Store
) -> SearchArrays | None:
    """Returns the arrays in the present state of the vault, or None if they must be made anew; changes the given ones.

    Args:
        arrays: arrays of the state that the log of changes began at, with the present words, names and vectors.
        merged_before: merged entity → the entity that stood for it in that state.
        snapshot: tables of the present state, with the changes since.
        store: the open vault; call this inside `Store.steady`.
    """
    changes = snapshot.changes
    if changes is None:
        return None
    entity_ids, entity_keys = _new_entities(changes, arrays, store)
    rows = _TextRows.of(arrays, changes)
    read_again = _read_again(arrays, merged_before, changes)
    if rows is None or not _come_after(arrays.entities, entity_ids) or read_again is None:
        return None
    kinds = kinds_of_names(entity_keys)
    arrays.entities = np.concatenate([arrays.entities, entity_ids])
    arrays.entity_kinds = np.concatenate([arrays.entity_kinds, kinds])
    for name in ("named_counts", "entity_weights", "is_named"):
        setattr(arrays, name, _longer(getattr(arrays, name), len(kinds)))
    rows.put(arrays)
    read_again = read_again[np.isin(read_again, arrays.sentences)]
    names = _Names.read(read_again, arrays, store)
    removed = _without(arrays, np.searchsorted(arrays.sentences, read_again))
    _add_names(arrays, names)
    _tell_kinds(arrays, names, store)
    _change_similar(arrays, changes)
    regrouped = _regrouped(merged_before, _merged_now(arrays))
    _renew_small(arrays, changes, snapshot, bool(regrouped))
    _renew_stated(arrays, changes, snapshot)
    ends = regrouped | {merged_before.get(node, node) for node in regrouped} | _ends_of_changed(changes)
    ends |= {arrays.names.stands_for(node) for node in ends}
    touched = arrays.entities[distinct(removed, names.entities)], np.array(sorted(ends), np.int64)
    _tell_named(arrays, distinct(*touched), store)
    return arrays


def _come_after(before: Rows, ids: Rows) -> bool:
    return not len(ids) or not len(before) or bool(ids[0] > before[-1])


def _new_entities(changes: Changes, arrays: SearchArrays, store: Store) -> tuple[Rows, list[str]]:
    """Returns the ids, ascending, and keys of the entities that were added."""
    found = store.rows(_NAMES, (json.dumps(changes.name_ids.tolist()),))
    known = set(arrays.entities[np.isin(arrays.entities, changes.name_ids)].tolist())
    new = [(node, key) for node, kind, key in found if kind == NodeType.ENTITY and node not in known]
    return np.array([node for node, _ in new], np.int64), [key for _, key in new]


def _merged_now(arrays: SearchArrays) -> dict[int, int]:
    return dict(zip(arrays.names.merged.tolist(), arrays.names.into.tolist(), strict=True))


def _regrouped(before: Mapping[int, int], now: Mapping[int, int]) -> set[int]:
    """Returns the ids of the entities for which another one stands now than before."""
    return {node for node in before.keys() | now.keys() if before.get(node) != now.get(node)}


def _read_again(arrays: SearchArrays, merged_before: Mapping[int, int], changes: Changes) -> Rows | None:
    """Returns the ids, ascending, of sentences whose names may have changed; None if they are too many."""
    kinds = (EdgeType.MENTION, EdgeType.RECOGNISED, EdgeType.SUBJECT, EdgeType.KEYWORD)
    moved = [changes.edges[kind].sources for kind in kinds if kind in changes.edges]
    regrouped = _regrouped(merged_before, _merged_now(arrays))
    stood = np.array(sorted({merged_before.get(node, node) for node in regrouped}), np.int64)
    matrix = arrays.sentences_of
    for row in np.flatnonzero(np.isin(arrays.entities, stood)):
        moved.append(arrays.sentences[matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]])
    found = distinct(changes.sentence_ids, changes.word_ids, *moved)
    return found if len(found) <= MOST_READ_AGAIN else None


@dataclass(frozen=True)
class _TextRows:
    """The tables of sentences, chunks and documents in their present state."""

    sentences: Rows
    chunks: Rows
    documents: Rows
    changes: Changes
    gone: Rows
    """ids of removed sentences"""

    @classmethod
    def of(cls, arrays: SearchArrays, changes: Changes) -> _TextRows | None:
        """Returns the tables; None if an added row would have to come before an existing one."""
        added = changes.sentences.ids[~np.isin(changes.sentences.ids, arrays.sentences)]
        chunks = changes.chunks.ids[~np.isin(changes.chunks.ids, arrays.chunks)]
        held = distinct(changes.sentences.document_ids)
        documents = held[~np.isin(held, arrays.documents)]
        if not all(
            _come_after(*pair)
            for pair in ((arrays.sentences, added), (arrays.chunks, chunks), (arrays.documents, documents))
        ):
            return None
        gone = np.setdiff1d(changes.sentence_ids, changes.sentences.ids)
        return cls(
            np.concatenate([arrays.sentences, added]),
            np.concatenate([arrays.chunks, chunks, [NOWHERE]]),
            np.concatenate([arrays.documents, documents, [NOWHERE]]),
            changes,
            gone[np.isin(gone, arrays.sentences)],
        )

    def put(self, arrays: SearchArrays) -> None:
        """Gives the arrays these rows, and makes room in all others."""
        more, table = len(self.sentences) - len(arrays.sentences), self.changes.sentences
        at, gone = np.searchsorted(self.sentences, table.ids), np.searchsorted(self.sentences, self.gone)
        chunk_of = np.searchsorted(self.chunks, table.chunk_ids)
        document_of = np.searchsorted(self.documents, table.document_ids)
        for name, values, of_gone in (
            ("tokens", table.tokens, 0),
            ("positions", table.positions, 0),
            ("chunk_of", chunk_of, len(self.chunks) - 1),
            ("document_of", document_of, len(self.documents) - 1),
            ("has_date", 0, 0),
            ("has_number", 0, 0),
            ("name_share", 0, 0),
        ):
            column = _longer(getattr(arrays, name), more)
            column[at], column[gone] = values, of_gone
            setattr(arrays, name, column)
        arrays.sentence_weights = _longer(arrays.sentence_weights, more)
        entities = len(arrays.entities)
        arrays.similar = _widened(arrays.similar, len(self.sentences), len(self.sentences))
        arrays.mentions = _widened(arrays.mentions, len(self.sentences), entities)
        arrays.sentences_of = _widened(arrays.sentences_of, entities, len(self.sentences))
        arrays.stated = _widened(arrays.stated, len(self.sentences), arrays.stated.shape[1])
        arrays.sentences, arrays.chunks, arrays.documents = self.sentences, self.chunks, self.documents


def _longer(column: NDArray[Number], more: int) -> NDArray[Number]:
    """Returns a copy of a column with zeros behind it."""
    return np.concatenate([column, np.zeros(more, column.dtype)])


def _widened(matrix: sp.csr_matrix, rows: int, columns: int) -> sp.csr_matrix:
    """Returns a matrix with empty rows and columns added, over the same entries."""
    ends = np.full(rows - matrix.shape[0], matrix.indptr[-1], matrix.indptr.dtype)
    indptr = np.concatenate([matrix.indptr, ends])
    return sp.csr_matrix((matrix.data, matrix.indices, indptr), shape=(rows, columns), copy=False)


def _entries(matrix: sp.csr_matrix, rows: Rows) -> tuple[Rows, Rows]:
    """Returns the places in `matrix.data` of all entries of some rows, and the row of each."""
    starts, lengths = matrix.indptr[rows].astype(np.int64), np.diff(matrix.indptr)[rows].astype(np.int64)
    before = np.cumsum(lengths) - lengths
    return np.arange(lengths.sum()) + np.repeat(starts - before, lengths), np.repeat(rows, lengths)


def _places(matrix: sp.csr_matrix, rows: Rows, columns: Rows) -> Rows:
    """Returns the places in `matrix.data` of single entries, -1 where there is none; the columns of each row are ascending."""
    low, end = matrix.indptr[rows].astype(np.int64), matrix.indptr[rows + 1].astype(np.int64)
    high, last = end, len(matrix.indices) - 1
    if last < 0:
        return np.full(len(rows), -1)
    # A binary search in all rows at once; row by row it took a second for the longest log.
    while (is_open := low < high).any():
        middle = (low + high) // 2
        is_before = is_open & (matrix.indices[np.minimum(middle, last)] < columns)
        low, high = np.where(is_before, middle + 1, low), np.where(is_before, high, np.minimum(middle, high))
    is_there = (low < end) & (matrix.indices[np.minimum(low, last)] == columns)
    return np.where(is_there, low, -1)


def _without(arrays: SearchArrays, rows: Rows) -> Rows:
    """Takes all names from some sentences; returns the rows, ascending, of the entities that they had."""
    places, sentences = _entries(arrays.mentions, rows)
    entities, weights = arrays.mentions.indices[places].astype(np.int64), arrays.mentions.data[places]
    back = _places(arrays.sentences_of, entities, sentences)
    np.subtract.at(arrays.sentence_weights, sentences, weights)
    np.subtract.at(arrays.entity_weights, entities, weights)
    arrays.mentions.data[places] = 0
    arrays.sentences_of.data[back[back >= 0]] = 0
    np.subtract.at(arrays.named_counts, entities, np.floor(weights))
    return distinct(entities)


@dataclass(frozen=True)
class _Names:
    """Names of some sentences: m pairs of sentence and entity."""

    read_again: Rows
    """rows, ascending, of the sentences"""
    sentences: Rows
    """(m,) rows"""
    entities: Rows
    """(m,) rows"""
    named: NDArray[np.float32]
    """(m,) weight of the mention; 0 where the entity is the subject only"""
    weights: NDArray[np.float32]
    """(m,) as in `SearchArrays.mentions`"""

    @classmethod
    def read(cls, sentence_ids: Rows, arrays: SearchArrays, store: Store) -> _Names:
        """Reads the names of sentences, some of which may be gone."""
        wanted = json.dumps(sentence_ids.tolist())
        found: dict[tuple[int, int], list[float]] = {}
        for kind, place in ((EdgeType.MENTION, 0), (EdgeType.RECOGNISED, 0), (EdgeType.SUBJECT, 1)):
            for sentence, entity, weight in store.rows(_NAMED, (LETTERS[kind], wanted)):
                of_pair = found.setdefault((sentence, arrays.names.stands_for(entity)), [0.0, 0.0])
                of_pair[place] = max(of_pair[place], weight)
        pairs = np.array(sorted(found), np.int64).reshape(-1, 2)
        named, about = np.array([found[pair] for pair in sorted(found)], np.float32).reshape(-1, 2).T
        return cls(
            np.searchsorted(arrays.sentences, sentence_ids),
            np.searchsorted(arrays.sentences, pairs[:, 0]),
            np.searchsorted(arrays.entities, pairs[:, 1]),
            named,
            named + np.float32(SUBJECT_WEIGHT) * about,
        )


def _add_names(arrays: SearchArrays, names: _Names) -> None:
    shape = arrays.mentions.shape
    arrays.mentions_added = sp.csr_matrix((names.weights, (names.sentences, names.entities)), shape=shape)
    arrays.sentences_of_added = arrays.mentions_added.T.tocsr()
    np.add.at(arrays.named_counts, names.entities, np.floor(names.named))
    np.add.at(arrays.sentence_weights, names.sentences, names.weights)
    np.add.at(arrays.entity_weights, names.entities, names.weights)


def _tell_kinds(arrays: SearchArrays, names: _Names, store: Store) -> None:
    """Tells anew which of the sentences that were read again have dates, numbers and names."""
    size, rows = len(arrays.sentences), names.read_again
    kinds = arrays.entity_kinds[names.entities]

    def counted(which: NDArray[np.bool_]) -> NDArray[np.float32]:
        return np.bincount(names.sentences, names.named * which, minlength=size).astype(np.float32)

    wanted = arrays.sentences[rows]
    says_day = np.isin(wanted, arrays.words.relative)
    arrays.has_date[rows] = (counted(kinds == DATE)[rows] > 0) | says_day
    arrays.has_number[rows] = counted(kinds != NAME)[rows] > 0
    arrays.name_share[rows] = np.minimum(counted(kinds == NAME)[rows], 3) / np.float32(3)
    found = store.rows(_NAMED, (LETTERS[EdgeType.KEYWORD], json.dumps(wanted.tolist())))
    keywords = GraphRows(store).keys_of({keyword for _, keyword, _ in found})
    is_number = dict(zip(keywords, are_numbers(list(keywords.values())).tolist(), strict=True))
    with_number = np.array([sentence for sentence, keyword, _ in found if is_number[keyword]], np.int64)
    arrays.has_number[np.searchsorted(arrays.sentences, with_number)] = 1


def _change_similar(arrays: SearchArrays, changes: Changes) -> None:
    ids, changed = arrays.sentences, changes.edges.get(EdgeType.SEMANTIC, NO_EDGES)
    known = np.isin(changed.sources, ids) & np.isin(changed.targets, ids)
    one, other = (np.searchsorted(ids, ends[known]) for ends in (changed.sources, changed.targets))
    for rows, columns in ((one, other), (other, one)):
        places = _places(arrays.similar, rows, columns)
        rows, places = rows[places >= 0], places[places >= 0]
        np.subtract.at(arrays.sentence_weights, rows, arrays.similar.data[places])
        arrays.similar.data[places] = 0
    weights = changed.weights[known]
    there = ~np.isnan(weights)
    arrays.similar_added = symmetric([(one[there], other[there], weights[there])], len(ids))
    arrays.sentence_weights += np.asarray(arrays.similar_added.sum(axis=1), np.float32).ravel()


def _renew_small(arrays: SearchArrays, changes: Changes, snapshot: Snapshot, names_moved: bool) -> None:
    """Renews the edges between entities and between documents; there are few."""
    if EdgeType.ALIAS in changes.edges or names_moved:
        alias = arrays.names.edges({EdgeType.ALIAS: snapshot.edges[EdgeType.ALIAS]})[EdgeType.ALIAS]
        arrays.same = between(alias, arrays.entities, arrays.entities)
    if EdgeType.LINK in changes.edges:
        arrays.linked = between(snapshot.edges[EdgeType.LINK], arrays.documents, arrays.documents)


def _renew_stated(arrays: SearchArrays, changes: Changes, snapshot: Snapshot) -> None:
    """Renews which sentences state which relationships; their edges are a small part of the graph."""
    ids = arrays.relationship_index.ids
    if EdgeType.STATED in changes.edges or not np.array_equal(arrays.relationships, ids):
        arrays.stated = stated(snapshot.edges, arrays.sentences, ids)
        arrays.relationships = ids


def _ends_of_changed(changes: Changes) -> set[int]:
    """Returns the ids of the ends of edges that came or went and that do not come from a sentence."""
    changed = [changes.edges[kind] for kind in (*NAMING, EdgeType.ALIAS) if kind in changes.edges]
    return {node for edges in changed for ids in (edges.sources, edges.targets) for node in ids.tolist()}


def _tell_named(arrays: SearchArrays, entity_ids: Rows, store: Store) -> None:
    """Tells anew to which of some entities, given by their ids (k,), any edge leads."""
    there = entity_ids[np.isin(entity_ids, arrays.entities)]
    rows = np.searchsorted(arrays.entities, there)
    all_of = {node: arrays.names.all_of(node) for node in there.tolist() if arrays.names.stands_for(node) == node}
    held = [name for names in all_of.values() for name in names]
    named = {arrays.names.stands_for(end) for kind in NAMING for _, end, _ in GraphRows(store).edges_to(kind, held)}
    for row, node in zip(rows.tolist(), there.tolist(), strict=True):
        arrays.is_named[row] = node in named or len(arrays.sentences_naming(row)) > 0
    arrays.is_named[np.concatenate([arrays.same[0], arrays.same[1]])] = True
