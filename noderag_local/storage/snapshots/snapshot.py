"""Keeps the arrays that every search needs in one file, which opens many times faster than the rows.

The file is a cache of one state of the store, identified by its stamp, and is made again for any other state. It has no vectors.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import ChunkTable, SentenceTable, TextRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.snapshots.cache_file import Part, read_payload, write_payload
from noderag_local.storage.snapshots.word_index import WordIndex

FILE_NAME = "snapshot.arrays"
KIND = b"NRARR005"
"""Its number rises when the arrays, or the stems of their words, change; older files are made anew."""

Edges = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]
_Arrays = dict[str, NDArray[np.generic]]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Sentences, chunks, edges and words of one state of the vault. The arrays are shared and must not be changed."""

    sentences: SentenceTable
    chunks: ChunkTable
    edges: Mapping[EdgeType, Edges]
    """Type → sources (n,), targets (n,) and weights (n,) of its edges, ordered by source, then target."""
    words: WordIndex

    @classmethod
    def open(cls, store: Store) -> Snapshot:
        """Reads the file, or makes it from the rows if it is missing, damaged or of another state."""
        with store.steady():
            snapshot = cls.saved(store)
            if snapshot is None:
                snapshot = cls.of_rows(store)
                snapshot.save(store)
        return snapshot

    @classmethod
    def saved(cls, store: Store) -> Snapshot | None:
        """Reads the file; returns None if it is missing, damaged or of another state."""
        payload = read_payload(store.folder / FILE_NAME, KIND, _origin(store))
        try:
            return None if payload is None else _unpacked(payload)
        except (ValueError, KeyError, TypeError, OverflowError):
            # The MAC is right, but the content is not a snapshot.
            return None

    def save(self, store: Store) -> None:
        """Writes the file for the store's present state; must be called inside `Store.steady`."""
        write_payload(store.folder / FILE_NAME, KIND, _origin(store), *_packed(self))

    @classmethod
    def of_rows(cls, store: Store) -> Snapshot:
        """Makes a snapshot from the store's rows."""
        texts, graph = TextRows(store), GraphRows(store)
        sentences = texts.sentence_table()
        words = WordIndex.of_sentences(texts.sentences_in_place())
        return cls(sentences, texts.chunk_table(), {kind: graph.edges(kind) for kind in EdgeType}, words)


def snapshot_fits(store: Store) -> bool:
    """Returns whether the file exists, is undamaged, and has the store's present state."""
    return read_payload(store.folder / FILE_NAME, KIND, _origin(store)) is not None


def _origin(store: Store) -> bytes:
    # Includes the types of edges, so that a file without a new type is made again.
    return hashlib.sha256(" ".join((store.stamp, *EdgeType)).encode()).digest()


def _packed(snapshot: Snapshot) -> list[Part]:
    """Returns a table of contents and the arrays as separate parts, since joining them would block other threads."""
    arrays = {name: _narrowed(array) for name, array in _arrays(snapshot).items()}
    places: dict[str, tuple[str, int, int]] = {}
    end = 0
    for name, array in arrays.items():
        places[name] = (array.dtype.str, end, len(array))
        end += array.nbytes
    table = json.dumps(places).encode()
    return [
        len(table).to_bytes(8, "little") + table,
        *(np.ascontiguousarray(array).data for array in arrays.values()),
    ]


def _unpacked(payload: memoryview) -> Snapshot:
    start = 8 + int.from_bytes(payload[:8], "little")
    places = json.loads(bytes(payload[8:start]))
    arrays = {
        name: np.frombuffer(payload, np.dtype(kind), length, start + at) for name, (kind, at, length) in places.items()
    }
    return _snapshot(arrays)


def _arrays(snapshot: Snapshot) -> _Arrays:
    arrays: _Arrays = {}
    for table_name in ("sentences", "chunks", "words"):
        table = getattr(snapshot, table_name)
        arrays |= {f"{table_name}.{field.name}": getattr(table, field.name) for field in fields(table)}
    for kind, columns in snapshot.edges.items():
        sources, targets, weights = columns
        arrays |= {f"{kind}.sources": sources, f"{kind}.targets": targets, f"{kind}.weights": weights}
    return arrays


def _snapshot(arrays: _Arrays) -> Snapshot:
    def wide(name: str) -> NDArray[np.int64]:
        return arrays[name].astype(np.int64)

    def narrow(name: str) -> NDArray[np.int32]:
        return arrays[name].astype(np.int32)

    return Snapshot(
        SentenceTable(
            wide("sentences.ids"),
            wide("sentences.chunk_ids"),
            wide("sentences.document_ids"),
            narrow("sentences.positions"),
            narrow("sentences.tokens"),
        ),
        ChunkTable(wide("chunks.ids"), wide("chunks.document_ids"), narrow("chunks.positions")),
        {
            kind: (wide(f"{kind}.sources"), wide(f"{kind}.targets"), arrays[f"{kind}.weights"].astype(np.float32))
            for kind in EdgeType
        },
        WordIndex(
            arrays["words.stems"].astype(np.uint64),
            wide("words.ends"),
            wide("words.sentences"),
            wide("words.relative"),
            narrow("words.written"),
        ),
    )


def _narrowed(array: NDArray[np.generic]) -> NDArray[np.generic]:
    """Converts an int64 array to int32 if every number fits, which halves the file."""
    if array.dtype == np.int64 and (len(array) == 0 or int(array.max()) < 2**31):
        return array.astype(np.int32)
    return array
