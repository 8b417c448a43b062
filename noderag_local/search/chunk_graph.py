"""The nearest neighbour graph of chunks, and which chunks are central in it (KET-RAG, section 5.1, Algorithm 3, 2–8)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from noderag_local.graph.pagerank import pagerank
from noderag_local.graph.sparse import Edges, incidence, symmetric, transition
from noderag_local.search.landscape import Landscape
from noderag_local.search.retriever import Grounds

LEXICAL_NEIGHBOURS = 1
SEMANTIC_NEIGHBOURS = 1
"""K = 2, half of them of either kind; the paper finds 4 and 10 within a point of it (table 5)."""
COMMON_SHARE = 0.1
"""Words in more than this share of the chunks join anything to anything and are left out."""
BLOCK_NUMBERS = 1 << 22
"""Of either kind of nearness at a time: 16 MB."""
CORE_SHARE = 0.8
"""β of the paper: part of the chunks that the skeleton is made of."""
ALL_CORE_UP_TO = 100
"""Chunks; a vault of so few gains nothing by leaving some out."""


@dataclass(frozen=True)
class ChunkGraph:
    """Rows are the chunks of the landscape."""

    near: sp.csr_matrix
    """(c, c) symmetric; its entries say which chunks are neighbours"""
    central: NDArray[np.int64]
    """(c,) rows of the chunks by their PageRank, the most central first, ties by row"""


def chunk_graph(grounds: Grounds) -> ChunkGraph:
    """The graph of a vault: 1.2 s for the 6,801 chunks of MuSiQue."""
    landscape = grounds.landscape()
    chunks = len(landscape.chunks)
    near = symmetric(_neighbours(landscape), chunks)
    near.data[:] = 1
    ranks = pagerank(transition(near))
    # Chunks with the same neighbours differ in the last digits by the order of the sums alone.
    order = np.lexsort((np.arange(chunks), -np.round(ranks * chunks, 9)))
    return ChunkGraph(near, order.astype(np.int64))


def core_chunks(grounds: Grounds) -> NDArray[np.bool_]:
    """(c,) the chunks with the highest PageRank."""
    return _first_of(grounds.layer(chunk_graph).central)


def every_chunk(grounds: Grounds) -> NDArray[np.bool_]:
    """(c,) all of them, as where nothing is spared (β = 1)."""
    return np.ones(len(grounds.landscape().chunks), dtype=bool)


def uniform_chunks(grounds: Grounds) -> NDArray[np.bool_]:
    """(c,) as many chunks, chosen by lot; the same ones each time."""
    return _first_of(np.random.default_rng(0).permutation(len(grounds.landscape().chunks)))


def _first_of(order: NDArray[np.int64]) -> NDArray[np.bool_]:
    share = CORE_SHARE if len(order) > ALL_CORE_UP_TO else 1.0
    core = np.zeros(len(order), dtype=bool)
    core[order[: math.ceil(share * len(order))]] = True
    return core


def _neighbours(landscape: Landscape) -> Iterator[Edges]:
    """Each chunk's nearest others: by the words that they share, then by cosine those that are not among these; ties by row."""
    words, vectors = _words(landscape), landscape.chunk_vectors
    turned = words.T.tocsr()
    block = max(BLOCK_NUMBERS // max(len(vectors), 1), 1)
    for start in range(0, len(vectors), block):
        own = slice(start, start + block)
        shared = (words[own] @ turned).toarray()
        cosines = vectors[own] @ vectors.T
        itself = np.arange(len(shared))
        shared[itself, itself + start] = cosines[itself, itself + start] = 0
        by_words = _taken(shared, LEXICAL_NEIGHBOURS)
        cosines[by_words] = 0
        for rows, columns in (by_words, _taken(cosines, SEMANTIC_NEIGHBOURS)):
            yield rows + start, columns, np.ones(len(rows), np.float32)


def _taken(scores: NDArray[np.float32], most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows and columns of the largest scores of each row that are over 0; those are 0 afterwards.

    Args:
        scores: (m, n), changed.
    """
    taken = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    for _ in range(most):
        best = scores.argmax(axis=1)
        rows = np.flatnonzero(scores[np.arange(len(scores)), best] > 0)
        taken.append((rows, best[rows]))
        scores[taken[-1]] = 0
    rows, columns = (np.concatenate(side) for side in zip(*taken, strict=True))
    return rows, columns


def _words(landscape: Landscape) -> sp.csr_matrix:
    """(c, k) ones where a chunk has a keyword that is not too common."""
    sentences, chunks = len(landscape.chunk_of), len(landscape.chunks)
    held = incidence(landscape.chunk_of, np.arange(sentences), np.ones(sentences), (chunks, sentences))
    words = ((held @ landscape.keyword_edges) > 0).astype(np.float32)
    frequency = np.asarray(words.sum(axis=0)).ravel()
    return words[:, frequency <= max(2, COMMON_SHARE * chunks)].tocsr()
