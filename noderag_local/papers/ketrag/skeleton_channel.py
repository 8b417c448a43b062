"""Searches the skeleton of KET-RAG, the graph of its core chunks (section 2.3, Algorithm 2).

Seeds are the entities nearest to the question. The evidence is a sentence about each seed, the seeds' relationships and the
chunks that these come from. The skeleton acts as a scope: only entities, sentences and texts of its chunks are found. The vectors
by which its entities are ranked are those of the whole vault.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from noderag_local.graph.algorithms.chunk_neighbours import COMMON_SHARE, central_chunks, nearest_chunks
from noderag_local.graph.algorithms.rows import top_rows
from noderag_local.papers.graph_evidence.key_value_evidence import KeyValueEvidence
from noderag_local.retrieval.closeness import inside_only
from noderag_local.retrieval.graph_arrays import GraphArrays
from noderag_local.retrieval.packing.budget_shares import Ranked
from noderag_local.retrieval.parameters import parameter
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.retrieval.scope import Inside

BY_PAGERANK, BY_LOT = "pagerank", "uniform"


@dataclass(frozen=True)
class ChunkGraphParameters:
    """Parameters of the nearest-neighbour graph of the chunks."""

    neighbours: int = parameter(
        2,
        paper=2,
        symbol="K",
        meaning="neighbours of a chunk, half of them by shared words, half and the odd one by vector",
        least=2,
    )
    common: float = parameter(
        COMMON_SHARE,
        paper=1.0,
        meaning="words in a larger share of the chunks are not counted as shared",
        most=1,
    )


@dataclass(frozen=True)
class CoreParameters(ChunkGraphParameters):
    """Parameters of the choice of the core chunks."""

    beta: float = parameter(0.8, paper=0.8, symbol="β", meaning="share of the chunks that are core chunks", most=1)
    core: str = parameter(
        BY_PAGERANK,
        paper=BY_PAGERANK,
        meaning="how core chunks are chosen: by their PageRank, or by lot",
        choices=(BY_PAGERANK, BY_LOT),
    )
    teleport: float = parameter(
        0.15, symbol="α", meaning="share of PageRank's mass that goes to all chunks alike in each step", most=1
    )
    whole_up_to: int = parameter(100, paper=0, meaning="with at most so many chunks, all of them are core chunks")


@dataclass(frozen=True)
class SkeletonParameters(CoreParameters):
    """Parameters of the skeleton's index and search."""

    seeds: int = parameter(
        40, paper=10, meaning="entities nearest to the question, from which the search starts", least=1
    )


def chunk_neighbours(search_context: SearchContext, neighbours: int, common: float) -> sp.csr_matrix:
    """Returns the nearest-neighbour graph of a vault's chunks, (c, c); its rows are the chunks of the graph arrays."""
    arrays = search_context.graph_arrays()
    return nearest_chunks(arrays.chunk_of, arrays.keyword_edges, arrays.chunk_vectors, neighbours, common)


def ranked_chunks(search_context: SearchContext, neighbours: int, common: float, teleport: float) -> NDArray[np.int64]:
    """Returns the rows of a vault's chunks, (c,), by PageRank in the nearest-neighbour graph, the most central first."""
    return central_chunks(search_context.layer(chunk_neighbours, neighbours, common), teleport)


def core_chunks(search_context: SearchContext, options: CoreParameters) -> NDArray[np.bool_]:
    """Returns which chunks, (c,), are core: those with the highest PageRank, or as many drawn at random with a fixed seed."""
    chunks = len(search_context.graph_arrays().chunks)
    most = chunks if chunks <= options.whole_up_to else math.ceil(options.beta * chunks)
    if most == chunks:
        return every_chunk(search_context)
    if options.core == BY_LOT:
        order = np.random.default_rng(0).permutation(chunks)
    else:
        order = search_context.layer(ranked_chunks, options.neighbours, options.common, options.teleport)
    core = np.zeros(chunks, dtype=bool)
    core[order[:most]] = True
    return core


def every_chunk(search_context: SearchContext) -> NDArray[np.bool_]:
    """Returns (c,) True for all chunks (β = 1)."""
    return np.ones(len(search_context.graph_arrays().chunks), dtype=bool)


RELATIONSHIP_TOKENS = 20
"""Most relationships have at least this many tokens; limits how many are collected for a budget."""


@dataclass(frozen=True, slots=True)
class LocalEvidence:
    """Evidence found by a local search."""

    seeds: NDArray[np.int64]
    """(s,) node ids of the entities, nearest first"""
    statements: list[Ranked]
    """A sentence about each seed in turn with the model's relationships, then the sentences that count as one; best first"""
    texts: list[Ranked]
    """Chunks that these sentences and relationships come from, best first"""


def local_evidence(
    search_context: SearchContext,
    core: NDArray[np.bool_],
    vector: NDArray[np.float32],
    cosines: NDArray[np.float32],
    most_seeds: int,
    budget_tokens: float,
) -> LocalEvidence:
    """Searches the skeleton of the core chunks.

    Args:
        search_context: the vault with the scope of the question.
        core: (c,) which chunks are core; only their entities and relationships are searched.
        vector: (dim,) vector of the question.
        cosines: (n,) cosine of each sentence with the question.
        most_seeds: number of entities that the search starts from.
        budget_tokens: tokens that the evidence has room for.
    """
    within = _within(search_context, core)
    skeleton = replace(search_context, inside=within)
    evidence = KeyValueEvidence(skeleton)
    seeds = _seeds(evidence.graph_arrays, within, vector, most_seeds)
    related = _relationships(evidence, skeleton, seeds, vector)[: 20 + int(budget_tokens) // RELATIONSHIP_TOKENS]
    chunks = evidence.chunks(seeds.tolist(), related.tolist(), evidence.cosines(vector))
    about = _about(skeleton, seeds, inside_only(cosines, within.sentences))
    plain = evidence.pieces.sentences(evidence.graph_arrays.sentences[about].tolist())
    descriptions: list[Ranked] = [(0.0, (piece,)) for piece in plain]
    is_of_model = evidence.stores.sentence_rows[related] < 0
    of_model, of_sentences = (evidence.stated(related[one].tolist()) for one in (is_of_model, ~is_of_model))
    # The model's statements take turns with the descriptions, which would fill the share of both where there are many seeds.
    in_turn = [one for pair in zip_longest(descriptions, of_model) for one in pair if one is not None]
    statements = [*in_turn, *of_sentences]
    return LocalEvidence(evidence.graph_arrays.entities[seeds], statements, evidence.texts(chunks, int(budget_tokens)))


def _within(search_context: SearchContext, core: NDArray[np.bool_]) -> Inside:
    """Returns the part of a scope that lies in the core chunks."""
    arrays, inside = search_context.graph_arrays(), search_context.inside
    sentences = core[arrays.chunk_of]
    if inside is not None:
        core, sentences = core & inside.chunks, sentences & inside.sentences
    named = np.asarray(arrays.sentences_of @ sentences.astype(np.float32)) > 0
    return Inside(sentences, core, named)


def _seeds(arrays: GraphArrays, within: Inside, vector: NDArray[np.float32], most: int) -> NDArray[np.int64]:
    """Returns the rows of the entities nearest to a question, nearest first."""
    cosines = np.asarray(arrays.entity_vectors @ vector, dtype=np.float32)
    return top_rows(inside_only(cosines, within.entities), most)


def _about(skeleton: SearchContext, seeds: NDArray[np.int64], cosines: NDArray[np.float32]) -> list[int]:
    """Returns for each seed the row of its sentence nearest to the question, which describes it.

    It does so in chunks that a model has read, too. Without it, the context had only the model's short statements there and
    lost what they leave out.

    Args:
        skeleton: the vault with the skeleton as its scope.
        seeds: (s,) rows of the seeds.
        cosines: (n,) cosine of each sentence with the question; −inf outside the skeleton.
    """
    arrays = skeleton.graph_arrays()
    named = arrays.sentences_of
    found = []
    for seed in seeds:
        rows = np.sort(named.indices[named.indptr[seed] : named.indptr[seed + 1]])
        best = rows[cosines[rows].argmax()]
        if np.isfinite(cosines[best]):
            found.append(int(best))
    return list(dict.fromkeys(found))


def _relationships(
    evidence: KeyValueEvidence, skeleton: SearchContext, seeds: NDArray[np.int64], vector: NDArray[np.float32]
) -> NDArray[np.int64]:
    """Returns the rows of relationships: those between two seeds first, then those of one seed; by cosine, ties by row."""
    stores, arrays = evidence.stores, evidence.graph_arrays
    rows, ends = np.unique(stores.relationships_of[seeds].indices, return_counts=True)
    sentences = stores.sentence_rows[rows]
    kept = evidence.allowed_relationships()[rows] & (
        (sentences < 0) | ~skeleton.layer(read_chunks)[arrays.chunk_of[sentences]]
    )
    rows, ends = rows[kept], ends[kept]
    closeness = stores.vectors[rows] @ vector
    return np.asarray(rows[np.lexsort((rows, -closeness, -np.minimum(ends, 2)))], dtype=np.int64)


def read_chunks(search_context: SearchContext) -> NDArray[np.bool_]:
    """Returns which chunks, (c,), have relationships from a language model; their sentences do not count as relationships."""
    arrays = search_context.graph_arrays()
    read = np.zeros(len(arrays.chunks), dtype=bool)
    read[arrays.chunk_of[np.flatnonzero(np.diff(arrays.stated.indptr))]] = True
    return read
