"""The arrays that the default method searches, in a file of which a search reads only the parts that it uses.

`GraphArrays` has all arrays of a vault; making them takes seconds in a large one. Those of `SearchArrays` lie ready in a cache.
Where the vault has changed since, `changed_arrays` brings them up to date; removed sentences and entities then keep their rows,
but nothing leads to them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from noderag_local.graph.algorithms.rows import heaviest
from noderag_local.graph.algorithms.sparse import Edges, spread_rows, symmetric
from noderag_local.retrieval.alias_letters import AliasLetters
from noderag_local.retrieval.graph_arrays import GraphArrays, read_graph_arrays
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.merged_names import MergedNames
from noderag_local.storage.snapshots.array_file import Array, Arrays, read_arrays, write_arrays
from noderag_local.storage.snapshots.cache_file import has_origin
from noderag_local.storage.snapshots.change_log import logged_from
from noderag_local.storage.snapshots.snapshot import Snapshot, origin
from noderag_local.storage.snapshots.word_index import Words
from noderag_local.storage.vectors.vector_index import VectorIndex
from noderag_local.system.freed_memory import keep_freed_memory

FILE_NAME = "search.arrays"
KIND = b"NRSRC002"
"""Its number rises when the arrays change; older files are made anew."""

_COLUMNS = (
    "sentences",
    "tokens",
    "positions",
    "chunk_of",
    "document_of",
    "chunks",
    "documents",
    "entities",
    "entity_kinds",
    "named_counts",
    "is_named",
    "has_date",
    "has_number",
    "name_share",
    "sentence_weights",
    "entity_weights",
    "relationships",
)
_MATRICES = ("similar", "mentions", "sentences_of", "stated")
_EDGES = ("same", "linked")

NOWHERE = 1 << 62
"""Id of the chunk and document of removed sentences."""
LEAST_DEGREE = 1e-4
"""Weight below which a node has no edges: what is left of a sum from which all was taken again."""


class SentenceArrays(Protocol):
    """Protocol of the arrays of sentences and entities that all methods need; `GraphArrays` and `SearchArrays` follow it."""

    @property
    def sentences(self) -> NDArray[np.int64]:
        """(n,) node ids, ascending."""

    @property
    def tokens(self) -> NDArray[np.int32]:
        """(n,) tokens of each sentence."""

    @property
    def positions(self) -> NDArray[np.int32]:
        """(n,) position in reading order within the document."""

    @property
    def chunk_of(self) -> NDArray[np.int64]:
        """(n,) row of its chunk."""

    @property
    def document_of(self) -> NDArray[np.int64]:
        """(n,) row of its document."""

    @property
    def chunks(self) -> NDArray[np.int64]:
        """(c,) node ids, ascending."""

    @property
    def entities(self) -> NDArray[np.int64]:
        """(e,) node ids, ascending."""

    @property
    def words(self) -> Words:
        """Sentences of each word."""

    @property
    def names(self) -> MergedNames:
        """Merged names."""

    @property
    def is_named(self) -> NDArray[np.bool_]:
        """(e,) whether any edge leads to the entity."""

    @property
    def frequencies(self) -> NDArray[np.float32]:
        """(e,) sentences that name the entity, at least 1."""

    def named_by(self, sentences: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Returns (e,) which entities at least one of the chosen sentences names, from a choice (n,)."""


@dataclass
class SearchArrays:
    """Sentences, chunks, entities and their edges; rows of each are in id order, and those of removed ones stay."""

    sentences: NDArray[np.int64]
    """(n,) node ids, ascending."""
    tokens: NDArray[np.int32]
    """(n,) tokens of each sentence."""
    positions: NDArray[np.int32]
    """(n,) position in reading order within the document."""
    chunk_of: NDArray[np.int64]
    """(n,) row of its chunk."""
    document_of: NDArray[np.int64]
    """(n,) row of its document."""
    chunks: NDArray[np.int64]
    """(c,) node ids, ascending."""
    documents: NDArray[np.int64]
    """(d,) node ids, ascending."""
    entities: NDArray[np.int64]
    """(e,) node ids, ascending; an entity that was merged into another has no edges."""
    entity_kinds: NDArray[np.int8]
    """(e,) what each name is; see `graph_arrays.kinds_of_names`."""
    named_counts: NDArray[np.float32]
    """(e,) sentences that name the entity."""
    is_named: NDArray[np.bool_]
    """(e,) whether any edge leads to the entity."""
    has_date: NDArray[np.float32]
    """(n,) as in `GraphArrays`."""
    has_number: NDArray[np.float32]
    """(n,) as in `GraphArrays`."""
    name_share: NDArray[np.float32]
    """(n,) as in `GraphArrays`."""
    sentence_weights: NDArray[np.float32]
    """(n,) sum of the weights of each sentence's edges to sentences and entities."""
    entity_weights: NDArray[np.float32]
    """(e,) sum of the weights of each entity's edges to sentences."""
    relationships: NDArray[np.int64]
    """(r,) node ids, ascending; those that have a vector."""
    similar: sp.csr_matrix
    """(n, n) weights of semantic edges, both ways; those of entries of 0 are in `similar_added`, if they are still there."""
    mentions: sp.csr_matrix
    """(n, e) weights of mention and subject edges, likewise with `mentions_added`."""
    sentences_of: sp.csr_matrix
    """(e, n) `mentions` the other way round."""
    stated: sp.csr_matrix
    """(n, r) ones where a sentence states a relationship."""
    same: Edges
    """Alias edges between entity rows, each once."""
    linked: Edges
    """Links between document rows."""
    words: Words
    """Sentences of each word, by their ids."""
    names: MergedNames
    """Merged names: which entity stands for which others; all edges lead to it."""
    sentence_index: VectorIndex
    """Vectors of the sentences."""
    chunk_index: VectorIndex
    """Vectors of the chunks."""
    relationship_index: VectorIndex
    """Vectors of the relationships."""
    read_aliases: Callable[[], Sequence[tuple[int, str]]]
    """Reads (id of a document's first chunk, alias) for all aliases of documents."""
    similar_added: sp.csr_matrix | None = None
    """(n, n) edges that were added since the file was made; None if nothing has changed."""
    mentions_added: sp.csr_matrix | None = None
    """(n, e)"""
    sentences_of_added: sp.csr_matrix | None = None
    """(e, n)"""

    def entities_of(self, sentence: int) -> NDArray[np.int64]:
        """Returns the rows of the entities that a sentence names or is about."""
        return _columns(sentence, self.mentions, self.mentions_added)

    def sentences_naming(self, entity: int) -> NDArray[np.int64]:
        """Returns the rows of the sentences that name an entity or are about it."""
        return _columns(entity, self.sentences_of, self.sentences_of_added)

    def named_by(self, sentences: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Returns (e,) which entities at least one of the chosen sentences names, from a choice (n,)."""
        both_ways = (self.mentions, self.sentences_of), (self.mentions_added, self.sentences_of_added)
        counts = _spread(*both_ways, rows := np.flatnonzero(sentences), np.ones(len(rows), np.float32))
        return np.asarray(counts > 0)

    @cached_property
    def aliases(self) -> Sequence[tuple[int, str]]:
        """(id of the document's first chunk, alias) for all aliases of documents."""
        return self.read_aliases()

    @cached_property
    def alias_letters(self) -> AliasLetters:
        """Tells which of `aliases` contain some letters."""
        return AliasLetters([name for _, name in self.aliases])

    @cached_property
    def frequencies(self) -> NDArray[np.float32]:
        """(e,) sentences that name the entity, at least 1."""
        return np.maximum(self.named_counts, np.float32(1))

    @cached_property
    def chunk_tokens(self) -> NDArray[np.float32]:
        """(c,) tokens of the sentences of each chunk."""
        return np.bincount(self.chunk_of, self.tokens, minlength=len(self.chunks)).astype(np.float32)

    @cached_property
    def is_there(self) -> NDArray[np.bool_]:
        """(n,) whether each sentence still exists."""
        return np.asarray(self.documents[self.document_of] != NOWHERE)

    @property
    def nodes(self) -> int:
        """Number of the nodes that a walk goes through: n + e + d."""
        return len(self.sentences) + len(self.entities) + len(self.documents)

    def spread(self, mass: NDArray[np.float32], most: int) -> NDArray[np.float32]:
        """Returns what a step of the random walk makes of the mass of sentences, then entities, then documents: Pᵀπ.

        A document is the hub of its own sentences. In a large graph only the nodes that give most to each of their neighbours give
        anything, so that a step costs no more than in a smaller one. What any node does not get is less than what these give.

        Args:
            mass: (n + e + d,)
            most: number of nodes that give.
        """
        n, e = self.mentions.shape
        to_each = heaviest(mass * self._inverse_degree, most)
        # A mask first: looking for what is not 0 is several times faster in one of Booleans.
        nodes = np.flatnonzero(to_each != 0)
        given = to_each[nodes]
        ends = np.searchsorted(nodes, [0, n, n + e, len(mass)])
        sentences, entities, documents = (
            (nodes[ends[at] : ends[at + 1]] - first, given[ends[at] : ends[at + 1]])
            for at, first in enumerate((0, n, n + e))
        )
        similar, named_in = (self.similar, self.similar), (self.sentences_of, self.mentions)
        held, same, linked = self._held, (self._between_entities,) * 2, (self._between_documents,) * 2
        added, named_in_added = (self.similar_added,) * 2, (self.sentences_of_added, self.mentions_added)
        made = np.empty_like(mass)
        of_sentences, of_entities, of_documents = made[:n], made[n : n + e], made[n + e :]
        of_sentences[:] = _spread(similar, added, *sentences)
        of_sentences += _spread(named_in, named_in_added, *entities)
        of_sentences += spread_rows(*held, *documents)
        of_entities[:] = _spread(named_in[::-1], named_in_added[::-1], *sentences)
        of_entities += spread_rows(*same, *entities)
        of_documents[:] = spread_rows(*held[::-1], *sentences)
        of_documents += spread_rows(*linked, *documents)
        return made

    @cached_property
    def _inverse_degree(self) -> NDArray[np.float32]:
        """(n + e + d,) one over the weight of all edges of each sentence, entity and document; 0 where there are none."""
        is_there = self.is_there.astype(np.float32)
        held = np.bincount(self.document_of, is_there, minlength=len(self.documents))
        own = (np.asarray(matrix.sum(axis=1)).ravel() for matrix in (self._between_entities, self._between_documents))
        parts = self.sentence_weights + is_there, self.entity_weights + next(own), held + next(own)
        degree = np.concatenate(parts).astype(np.float32)
        return np.divide(1, degree, out=np.zeros_like(degree), where=degree > LEAST_DEGREE)

    @cached_property
    def _held(self) -> _BothWays:
        """Ones where a document (d, n) holds a sentence, and where a sentence (n, d) stands in a document."""
        n = len(self.sentences)
        ones, shape = np.ones(n, np.float32), (n, len(self.documents))
        inside = sp.csr_matrix((ones, self.document_of, np.arange(n + 1)), shape=shape, copy=False)
        return inside.T.tocsr(), inside

    @cached_property
    def _between_entities(self) -> sp.csr_matrix:
        return symmetric([self.same], len(self.entities))

    @cached_property
    def _between_documents(self) -> sp.csr_matrix:
        return symmetric([self.linked], len(self.documents))


def read_search_arrays(
    store: Store, sentences: VectorIndex, chunks: VectorIndex, relationships: VectorIndex
) -> SearchArrays:
    """Returns the arrays of a vault's present state; they are made and saved if no file can be used.

    Args:
        store: the open vault.
        sentences: vectors of the sentences, of the same state of the store.
        chunks: vectors of the chunks, of the same state.
        relationships: vectors of the relationships, of the same state.
    """
    from noderag_local.retrieval.changed_arrays import brought_up

    path, indexes = store.folder / FILE_NAME, (sentences, chunks, relationships)
    keep_freed_memory()
    with store.steady():
        base = read_arrays(path, KIND, origin(store.stamp))
        snapshot = Snapshot.open(store)
        if base is not None:
            return _made(base, snapshot.words, store, indexes)
        since = logged_from(store)
        base = read_arrays(path, KIND, origin(since)) if since and snapshot.changes else None
        if base is not None:
            made = brought_up(_made(base, snapshot.words, store, indexes), _merged_before(base), snapshot, store)
            if made is not None:
                return made
        base = save_search_arrays(store, *indexes)
        return _made(base, snapshot.words, store, indexes)


def are_saved(store: Store, stamp: str) -> bool:
    """Returns whether the file is of the state with this stamp, without a look at its content."""
    return has_origin(store.folder / FILE_NAME, KIND, origin(stamp))


def search_arrays_fit(store: Store) -> bool:
    """Returns whether the file is undamaged and can be used for the store's present state."""
    stamps = [store.stamp, logged_from(store)]
    return any(read_arrays(store.folder / FILE_NAME, KIND, origin(stamp)) is not None for stamp in stamps if stamp)


def save_search_arrays(
    store: Store,
    sentences: VectorIndex,
    chunks: VectorIndex,
    relationships: VectorIndex,
    read: Callable[[], None] = lambda: None,
) -> Arrays:
    """Makes the arrays of a vault's present state and writes their file.

    Args:
        store: the open vault.
        sentences: as for `read_search_arrays`.
        chunks: as for `read_search_arrays`.
        relationships: as for `read_search_arrays`.
        read: called when the graph is read, about half of the work.
    """
    with store.steady():
        arrays = read_graph_arrays(store, sentences, chunks, relationships)
        read()
        base = _arrays_of(arrays)
        write_arrays(store.folder / FILE_NAME, KIND, origin(store.stamp), base)
    return base


def _arrays_of(arrays: GraphArrays) -> Arrays:
    similar = symmetric([arrays.similar], len(arrays.sentences))
    mentions = arrays.mentions.tocsr().sorted_indices()
    columns: dict[str, Array] = {
        "named_counts": np.asarray(mentions.floor().sum(axis=0), np.float32).ravel(),
        "documents": arrays.document_ids,
        "sentence_weights": np.asarray(similar.sum(axis=1) + mentions.sum(axis=1), np.float32).ravel(),
        "entity_weights": np.asarray(mentions.sum(axis=0), np.float32).ravel(),
        "merged": arrays.names.merged,
        "into": arrays.names.into,
    }
    columns |= {name: getattr(arrays, name) for name in _COLUMNS if name not in columns}
    matrices = {
        "similar": similar.sorted_indices(),
        "mentions": mentions,
        "sentences_of": mentions.T.tocsr().sorted_indices(),
        "stated": arrays.stated,
    }
    for name, matrix in matrices.items():
        columns |= {
            f"{name}.data": matrix.data,
            f"{name}.indices": matrix.indices,
            f"{name}.indptr": matrix.indptr,
            f"{name}.shape": np.array(matrix.shape),
        }
    for name in _EDGES:
        for part, column in zip(("sources", "targets", "weights"), getattr(arrays, name), strict=True):
            columns[f"{name}.{part}"] = column
    return columns


def _columns(row: int, matrix: sp.csr_matrix, added: sp.csr_matrix | None) -> NDArray[np.int64]:
    """Returns the columns, ascending, of the entries of a row that are not 0."""
    found = [
        one.indices[one.indptr[row] : one.indptr[row + 1]][one.data[one.indptr[row] : one.indptr[row + 1]] != 0]
        for one in (matrix, added)
        if one is not None
    ]
    return np.sort(np.concatenate(found)).astype(np.int64)


_BothWays = tuple[sp.csr_matrix, sp.csr_matrix]
"""A matrix, and the same matrix the other way round."""


def _spread(
    matrix: _BothWays,
    added: tuple[sp.csr_matrix | None, sp.csr_matrix | None],
    rows: NDArray[np.int64],
    mass: NDArray[np.float32],
) -> NDArray[np.float32]:
    made = spread_rows(*matrix, rows, mass)
    if added[0] is not None:
        # In place: another array of a large vault would come from the system each time.
        made += spread_rows(*added, rows, mass)
    return made


def _made(
    base: Arrays, words: Words, store: Store, indexes: tuple[VectorIndex, VectorIndex, VectorIndex]
) -> SearchArrays:
    matrices: dict[str, Any] = {
        name: sp.csr_matrix(
            (base[f"{name}.data"], base[f"{name}.indices"], base[f"{name}.indptr"]),
            shape=tuple(base[f"{name}.shape"].tolist()),
            copy=False,
        )
        for name in _MATRICES
    }
    columns: dict[str, Any] = {name: base[name] for name in _COLUMNS}
    return SearchArrays(
        **columns,
        **matrices,
        same=_edges(base, "same"),
        linked=_edges(base, "linked"),
        words=words,
        names=MergedNames(store),
        sentence_index=indexes[0],
        chunk_index=indexes[1],
        relationship_index=indexes[2],
        read_aliases=TextRows(store).aliases,
    )


def _edges(base: Arrays, name: str) -> Edges:
    return base[f"{name}.sources"], base[f"{name}.targets"], base[f"{name}.weights"]


def _merged_before(base: Arrays) -> Mapping[int, int]:
    """Returns merged entity → the entity that stood for it when the arrays were made."""
    return dict(zip(base["merged"].tolist(), base["into"].tolist(), strict=True))
