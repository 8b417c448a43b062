"""Keeps the tables that every search needs in one file, which opens many times faster than the rows.

The file is a cache of one state of the store, identified by its stamp. For a later state it is used with the rows that changed
since, if these were noted (`change_log`), and is made again for any other. It has no vectors.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import ChunkTable, SentenceTable, TextRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.snapshots.array_file import Arrays, narrowed, read_arrays, write_arrays
from noderag_local.storage.snapshots.cache_file import has_origin
from noderag_local.storage.snapshots.change_log import ChangedEdges, Changes, is_short, logged_from, read_changes
from noderag_local.storage.snapshots.word_index import ChangedWordIndex, WordIndex, Words

FILE_NAME = "snapshot.arrays"
KIND = b"NRARR009"
"""Its number rises when the arrays, or the stems of their words, change; older files are made anew."""

EDGES_A_SENTENCE = 60
"""Edges that are read in the time in which the words of a sentence are."""

Edges = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]
Advanced = Callable[[int, int], None]
Table = TypeVar("Table", SentenceTable, ChunkTable)


class Snapshot:
    """Sentences, chunks, edges and words of one state of the vault; each is loaded when it is first used.

    The arrays are shared and must not be changed.
    """

    def __init__(self, base: Arrays, changes: Changes | None = None) -> None:
        """Takes the arrays of a state, and what changed since."""
        self.base = base
        self.changes = changes

    @classmethod
    def open(cls, store: Store, advanced: Advanced = lambda done, total: None) -> Snapshot:
        """Reads the file, or makes it from the rows if it is missing, damaged or of another state.

        Args:
            store: the vault.
            advanced: called with how much is read and how much there is, while the file is made; see `of_rows`.
        """
        with store.steady():
            snapshot = cls.saved(store)
            if snapshot is None:
                snapshot = cls.of_rows(store, advanced)
                snapshot.save(store)
        return snapshot

    @classmethod
    def saved(cls, store: Store) -> Snapshot | None:
        """Reads the file and what changed since; returns None if it is missing, damaged, of another state, or if too much changed."""
        arrays = read_arrays(store.folder / FILE_NAME, KIND, origin(store.stamp))
        if arrays is not None:
            return cls(arrays)
        since = logged_from(store)
        arrays = read_arrays(store.folder / FILE_NAME, KIND, origin(since)) if since else None
        if arrays is None or not is_short(store, len(arrays["sentences.ids"])):
            return None
        return cls(arrays, read_changes(store))

    def save(self, store: Store) -> None:
        """Writes the file for the store's present state; must be called inside `Store.steady`."""
        write_arrays(store.folder / FILE_NAME, KIND, origin(store.stamp), self._whole())

    @classmethod
    def of_rows(cls, store: Store, advanced: Advanced = lambda done, total: None) -> Snapshot:
        """Makes a snapshot from the store's rows.

        Args:
            store: the vault.
            advanced: called with how much is read and how much there is; the unit is the time that an edge takes.
        """
        texts, graph = TextRows(store), GraphRows(store)
        sentences = texts.sentence_table()
        done, total = 0, len(sentences.ids) * EDGES_A_SENTENCE + graph.count_edges()

        def read(edges: int) -> None:
            nonlocal done
            done += edges
            advanced(done, total)

        words = WordIndex.of_sentences(
            texts.sentences_in_place(), lambda sentences: advanced(sentences * EDGES_A_SENTENCE, total)
        )
        read(len(sentences.ids) * EDGES_A_SENTENCE)
        edges = {kind: graph.edges(kind, read) for kind in EdgeType}
        return cls(_arrays(sentences, texts.chunk_table(), edges, words))

    @cached_property
    def sentences(self) -> SentenceTable:
        """Table of all sentences."""
        before = SentenceTable(
            self._wide("sentences.ids"),
            self._wide("sentences.chunk_ids"),
            self._wide("sentences.document_ids"),
            self._narrow("sentences.positions"),
            self._narrow("sentences.tokens"),
        )
        changes = self.changes
        return before if changes is None else _joined(before, changes.sentence_ids, changes.sentences)

    @cached_property
    def chunks(self) -> ChunkTable:
        """Table of all chunks."""
        before = ChunkTable(
            self._wide("chunks.ids"), self._wide("chunks.document_ids"), self._narrow("chunks.positions")
        )
        return before if self.changes is None else _joined(before, self.changes.chunk_ids, self.changes.chunks)

    @cached_property
    def words(self) -> Words:
        """Sentences of each word."""
        before = WordIndex(**{field.name: self.base[f"words.{field.name}"] for field in fields(WordIndex)})
        return before if self.changes is None else ChangedWordIndex(before, self.changes.word_ids, self.changes.words)

    @cached_property
    def edges(self) -> Mapping[EdgeType, Edges]:
        """Type → sources (n,), targets (n,) and weights (n,) of its edges, ordered by source, then target."""
        return _EdgesByType(self._edges)

    def _edges(self, kind: EdgeType) -> Edges:
        before = _unpacked_edges(kind, self.base)
        changed = None if self.changes is None else self.changes.edges.get(kind)
        return before if changed is None else _with_changed(before, changed)

    def _whole(self) -> Arrays:
        """Returns the arrays of the present state."""
        if self.changes is None:
            return self.base
        words = self.words.whole() if isinstance(self.words, ChangedWordIndex) else self.words
        return _arrays(self.sentences, self.chunks, self.edges, words)

    def _wide(self, name: str) -> NDArray[np.int64]:
        return self.base[name].astype(np.int64)

    def _narrow(self, name: str) -> NDArray[np.int32]:
        return self.base[name].astype(np.int32, copy=False)


class _EdgesByType(Mapping[EdgeType, Edges]):
    """Edges of every type, loaded when they are first used."""

    def __init__(self, load: Callable[[EdgeType], Edges]) -> None:
        self._load = load
        self._loaded: dict[EdgeType, Edges] = {}

    def __getitem__(self, kind: EdgeType) -> Edges:
        if kind not in self._loaded:
            self._loaded[kind] = self._load(kind)
        return self._loaded[kind]

    def __iter__(self) -> Iterator[EdgeType]:
        return iter(EdgeType)

    def __len__(self) -> int:
        return len(EdgeType)


def snapshot_fits(store: Store) -> bool:
    """Returns whether the file exists, is undamaged, and can be used for the store's present state."""
    return Snapshot.saved(store) is not None


def is_saved(store: Store, stamp: str) -> bool:
    """Returns whether the file is of the state with this stamp, without a look at its content."""
    return bool(stamp) and has_origin(store.folder / FILE_NAME, KIND, origin(stamp))


def origin(stamp: str) -> bytes:
    """Returns what marks a cache as made from the state with this stamp, 32 bytes."""
    # Includes the types of edges, so that a file without a new type is made again.
    return hashlib.sha256(" ".join((stamp, *EdgeType)).encode()).digest()


def _arrays(sentences: SentenceTable, chunks: ChunkTable, edges: Mapping[EdgeType, Edges], words: WordIndex) -> Arrays:
    arrays: dict[str, NDArray[np.generic]] = {}
    for table_name, table in (("sentences", sentences), ("chunks", chunks), ("words", words)):
        arrays |= {f"{table_name}.{field.name}": getattr(table, field.name) for field in fields(table)}
    for kind, edges_of_kind in edges.items():
        arrays |= _packed_edges(kind, edges_of_kind)
    return {name: narrowed(array) for name, array in arrays.items()}


def _packed_edges(kind: EdgeType, edges: Edges) -> Arrays:
    """Returns the arrays of some edges: each source once, with the number of its edges, and one weight where all are the same."""
    sources, targets, weights = edges
    distinct, counts = np.unique(sources, return_counts=True)
    is_one = bool(len(weights)) and bool((weights == weights[0]).all())
    return {
        f"{kind}.sources": distinct,
        f"{kind}.counts": counts.astype(np.min_scalar_type(int(counts.max(initial=0)))),
        f"{kind}.targets": targets,
        f"{kind}.weights": weights[:1] if is_one else weights,
    }


def _unpacked_edges(kind: EdgeType, arrays: Arrays) -> Edges:
    """Returns the edges of `_packed_edges`."""
    sources = np.repeat(arrays[f"{kind}.sources"].astype(np.int64), arrays[f"{kind}.counts"])
    weights = arrays[f"{kind}.weights"]
    if len(weights) < len(sources):
        weights = np.repeat(weights, len(sources))
    return sources, arrays[f"{kind}.targets"].astype(np.int64), weights


def _joined(before: Table, gone: NDArray[np.int64], added: Table) -> Table:
    """Returns a table without some rows and with others, ordered by id.

    Args:
        before: the table.
        gone: (g,) ids of rows to leave out.
        added: rows to take in.
    """
    kept = ~np.isin(before.ids, gone)
    ids = np.concatenate([before.ids[kept], added.ids])
    order = np.argsort(ids, kind="stable")
    columns = {
        field.name: np.concatenate([getattr(before, field.name)[kept], getattr(added, field.name)])[order]
        for field in fields(before)
    }
    return type(before)(**columns)


def _with_changed(before: Edges, changed: ChangedEdges) -> Edges:
    """Returns edges with those that changed in their present state."""
    keys, moved = (ends[0] << 32 | ends[1] for ends in (before, (changed.sources, changed.targets)))
    kept, stays = ~np.isin(keys, moved), ~np.isnan(changed.weights)
    joined = np.concatenate([keys[kept], moved[stays]])
    weights = np.concatenate([before[2][kept], changed.weights[stays]])
    order = np.argsort(joined, kind="stable")
    joined = joined[order]
    return joined >> 32, joined & ((1 << 32) - 1), weights[order].astype(np.float32)
