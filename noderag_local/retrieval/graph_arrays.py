"""The whole graph of a vault as arrays, which the methods of the papers search; read once and kept until the store changes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType, GraphPart, NodeType
from noderag_local.graph.algorithms.rows import unit_rows
from noderag_local.graph.algorithms.sparse import Edges, between, incidence
from noderag_local.retrieval.evidence import chosen_edges, named_entities
from noderag_local.storage.database.distinct import distinct
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.merged_names import MergedNames
from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.storage.snapshots.word_index import Words
from noderag_local.storage.vectors.vector_index import VectorIndex
from noderag_local.text.number_words import NUMBER_WORDS

SUBJECT_WEIGHT = 0.5
"""Weight of the edge between a sentence and the subject of its paragraph that it does not name; a mention weighs 1."""


@dataclass(frozen=True)
class GraphArrays:
    """Sentences, chunks, entities and keywords of a vault with the edges between them; rows of each are in id order."""

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
    document_ids: NDArray[np.int64]
    """(d,) node ids, ascending."""
    entities: NDArray[np.int64]
    """(e,) node ids, ascending; an entity that was merged into another has no edges."""
    entity_kinds: NDArray[np.int8]
    """(e,) what each name is; see `kinds_of_names`."""
    names: MergedNames
    """Merged names: which entity stands for which others; all edges lead to it."""
    keywords: NDArray[np.int64]
    """(k,) node ids, ascending."""
    mentions: sp.csr_matrix
    """(n, e) weights of mention and subject edges."""
    frequencies: NDArray[np.float32]
    """(e,) sentences that name the entity, at least 1."""
    keyword_edges: sp.csr_matrix
    """(n, k) ones."""
    has_date: NDArray[np.float32]
    """(n,) 1 where the sentence names a year or date, or says "yesterday" and the like."""
    has_number: NDArray[np.float32]
    """(n,) 1 where the sentence has a number, in digits or as a word."""
    name_share: NDArray[np.float32]
    """(n,) names in the sentence that are no dates or quantities, 3 or more counting as 1."""
    relationships: NDArray[np.int64]
    """(r,) node ids, ascending; those that have a vector."""
    relationship_vectors: NDArray[np.float16]
    """(r, dim) unit length."""
    stated: sp.csr_matrix
    """(n, r) ones where a sentence states a relationship."""
    similar: Edges
    """Semantic edges between sentence rows, each once."""
    same: Edges
    """Alias edges between entity rows, each once."""
    linked: Edges
    """Links between document rows."""
    words: Words
    """Sentences of each word, by their ids."""
    is_named: NDArray[np.bool_]
    """(e,) whether any edge leads to the entity; not if it was merged, or belongs to another part of the graph."""
    sentence_index: VectorIndex
    """Vectors of the sentences."""
    chunk_index: VectorIndex
    """Vectors of the chunks."""

    @cached_property
    def sentence_vectors(self) -> NDArray[np.float16]:
        """(n, dim) unit length."""
        return self.sentence_index.aligned(self.sentences)

    @cached_property
    def chunk_vectors(self) -> NDArray[np.float32]:
        """(c, dim) unit length."""
        return self.chunk_index.aligned(self.chunks).astype(np.float32)

    def named_by(self, sentences: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Returns (e,) which entities at least one of the chosen sentences names, from a choice (n,)."""
        return np.asarray(self.sentences_of @ sentences.astype(np.float32)) > 0

    @cached_property
    def sentences_of(self) -> sp.csr_matrix:
        """(e, n) `mentions` the other way round."""
        return self.mentions.T.tocsr()

    @cached_property
    def entity_vectors(self) -> NDArray[np.float32]:
        """(e, dim) mean of the vectors of the sentences that name each entity, unit length; zeros where nothing does."""
        return unit_rows(np.asarray(self.sentences_of @ self.sentence_vectors.astype(np.float32)))

    @cached_property
    def rarity(self) -> NDArray[np.float32]:
        """(k,) inverse document frequency of each keyword over sentences (Robertson and Spärck Jones)."""
        frequency = np.asarray(self.keyword_edges.sum(axis=0)).ravel()
        n = self.keyword_edges.shape[0]
        return np.asarray(np.log1p((n - frequency + 0.5) / (frequency + 0.5)), dtype=np.float32)


def read_graph_arrays(
    store: Store,
    sentences: VectorIndex,
    chunks: VectorIndex,
    relationships: VectorIndex,
    evidence: GraphPart = GraphPart.ALL,
) -> GraphArrays:
    """Reads all arrays of a vault; they are empty where nothing is indexed. What has no vector yet has a row of zeros.

    Args:
        store: the open vault.
        sentences: vectors of the sentences, of the same state of the store.
        chunks: vectors of the chunks, of the same state.
        relationships: vectors of the relationships, of the same state.
        evidence: part of the graph whose edges are read; the rows are the same for every part.
    """
    with store.steady():
        snapshot = Snapshot.open(store)
        entities, entity_keys, _ = GraphRows(store).nodes_of(NodeType.ENTITY)
        names = MergedNames(store)
        keywords, keyword_keys, _ = GraphRows(store).nodes_of(NodeType.KEYWORD)
    table = snapshot.sentences
    edges = chosen_edges(names.edges(snapshot.edges), table, evidence)
    ids, chunk_ids = table.ids, snapshot.chunks.ids
    documents = distinct(table.document_ids)

    mentions, about = _mentions(edges, ids, entities)
    words = incidence(*between(edges[EdgeType.KEYWORD], ids, keywords), (len(ids), len(keywords)))
    kinds = kinds_of_names(entity_keys)
    return GraphArrays(
        sentences=ids,
        tokens=table.tokens,
        positions=table.positions,
        chunk_of=np.searchsorted(chunk_ids, table.chunk_ids),
        document_of=np.searchsorted(documents, table.document_ids),
        chunks=chunk_ids,
        document_ids=documents,
        sentence_index=sentences,
        chunk_index=chunks,
        entities=entities,
        entity_kinds=kinds,
        names=names,
        keywords=keywords,
        mentions=(mentions + SUBJECT_WEIGHT * about).tocsr().astype(np.float32),
        frequencies=np.maximum(np.asarray(mentions.sum(axis=0)).ravel(), 1).astype(np.float32),
        keyword_edges=words,
        has_date=np.maximum(
            _any(mentions, kinds == DATE),
            np.isin(ids, snapshot.words.relative).astype(np.float32),
        ),
        has_number=np.maximum(_any(mentions, kinds > NAME), _any(words, are_numbers(keyword_keys))),
        name_share=np.minimum(mentions @ (kinds == NAME).astype(np.float32), 3) / np.float32(3),
        relationships=relationships.ids,
        relationship_vectors=relationships.vectors,
        stated=stated(edges, ids, relationships.ids),
        similar=between(edges[EdgeType.SEMANTIC], ids, ids),
        same=between(edges[EdgeType.ALIAS], entities, entities),
        linked=between(edges[EdgeType.LINK], documents, documents),
        words=snapshot.words,
        is_named=np.isin(entities, named_entities(edges)),
    )


def _mentions(
    edges: Mapping[EdgeType, Edges], sentences: NDArray[np.int64], entities: NDArray[np.int64]
) -> tuple[sp.csr_matrix, sp.csr_matrix]:
    """Returns which sentences name which entities, and whose paragraphs are about which, both (n, e)."""
    kinds = (EdgeType.MENTION, EdgeType.RECOGNISED, EdgeType.SUBJECT)
    shape = (len(sentences), len(entities))
    named, recognised, about = (incidence(*between(edges[kind], sentences, entities), shape) for kind in kinds)
    return named.maximum(recognised), about


def stated(
    edges: Mapping[EdgeType, Edges], sentences: NDArray[np.int64], relationships: NDArray[np.int64]
) -> sp.csr_matrix:
    """Returns which sentences state which relationships, (n, r) ones.

    Args:
        edges: edges of the vault, between node ids.
        sentences: (n,) ids of the sentences, ascending.
        relationships: (r,) ids of the relationships, ascending.
    """
    stating, stated_by, ones = between(edges[EdgeType.STATED], relationships, sentences)
    return incidence(stated_by, stating, ones, (len(sentences), len(relationships)))


NAME, NUMBER, DATE = 0, 1, 2
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_DIGIT = re.compile(r"\d")


def kinds_of_names(keys: Sequence[str]) -> NDArray[np.int8]:
    """(e,) what an entity's key is: with a year of four digits a date, with another digit a number, else a name."""
    kinds = (DATE if _YEAR.search(key) else NUMBER if _DIGIT.search(key) else NAME for key in keys)
    return np.fromiter(kinds, np.int8, len(keys))


def are_numbers(keys: Sequence[str]) -> NDArray[np.bool_]:
    """(k,) whether a keyword is a number, in digits or as a word."""
    return np.fromiter((key in NUMBER_WORDS or bool(_DIGIT.search(key)) for key in keys), np.bool_, len(keys))


def _any(incident: sp.csr_matrix, marked: NDArray[np.bool_]) -> NDArray[np.float32]:
    """(n,) 1 where a sentence has an edge to a marked column."""
    return np.asarray((incident @ marked.astype(np.float32)) > 0, dtype=np.float32)
