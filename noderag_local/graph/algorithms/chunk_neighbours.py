"""Builds the nearest-neighbour graph of chunks and ranks chunks by centrality (KET-RAG, section 5.1, Algorithm 3, lines 2–8)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from noderag_local.graph.algorithms.pagerank import pagerank
from noderag_local.graph.algorithms.sparse import Edges, incidence, symmetric, transition

COMMON_SHARE = 0.1
"""Words that occur in a larger share of the chunks are ignored where a method does not say otherwise: they join unrelated chunks."""
BLOCK_NUMBERS = 1 << 22
"""Number of similarity scores computed in one step; as float32 they take 16 MB."""


def nearest_chunks(
    chunk_of: NDArray[np.int64],
    keyword_edges: sp.csr_matrix,
    chunk_vectors: NDArray[np.float32],
    neighbours: int = 2,
    common_share: float = COMMON_SHARE,
) -> sp.csr_matrix:
    """Builds the nearest-neighbour graph of the chunks, (c, c) symmetric, 1 where two chunks are neighbours, else 0.

    With `central_chunks` it takes 1.2 s for MuSiQue's 6,801 chunks.

    Args:
        chunk_of: (n,) row of each sentence's chunk.
        keyword_edges: (n, k), nonzero where a sentence contains a keyword.
        chunk_vectors: (c, dim), unit rows; a row of zeros for a chunk without a vector.
        neighbours: K; half of a chunk's neighbours are those with most shared words, half the nearest of the rest. The odd
            one of an odd number is the next nearest.
        common_share: words in a larger share of the chunks are not counted; with 1, all are, as in the paper.
    """
    chunks = len(chunk_vectors)
    near = symmetric(
        _neighbours(_words(chunk_of, keyword_edges, chunks, common_share), chunk_vectors, neighbours), chunks
    )
    near.data[:] = 1
    return near


def central_chunks(near: sp.csr_matrix, teleport: float = 0.15) -> NDArray[np.int64]:
    """Returns the rows of the chunks, (c,), by their PageRank, the most central first, ties by row.

    Args:
        near: (c, c) graph of `nearest_chunks`.
        teleport: α of PageRank, the share of the mass that goes to all chunks alike in each step.
    """
    chunks = near.shape[0]
    ranks = pagerank(transition(near), teleport)
    # Rounded, because rounding errors alone would order chunks that have the same neighbours.
    return np.lexsort((np.arange(chunks), -np.round(ranks * chunks, 9))).astype(np.int64)


def _neighbours(words: sp.csr_matrix, vectors: NDArray[np.float32], neighbours: int) -> Iterator[Edges]:
    """Yields edges from each chunk to its nearest others: half of them by shared words, then by cosine among the rest; ties by row."""
    turned = words.T.tocsr()
    block = max(BLOCK_NUMBERS // max(len(vectors), 1), 1)
    for start in range(0, len(vectors), block):
        own = slice(start, start + block)
        shared = (words[own] @ turned).toarray()
        cosines = vectors[own] @ vectors.T
        itself = np.arange(len(shared))
        shared[itself, itself + start] = cosines[itself, itself + start] = 0
        by_words = _taken(shared, neighbours // 2)
        cosines[by_words] = 0
        for rows, columns in (by_words, _taken(cosines, neighbours - neighbours // 2)):
            yield rows + start, columns, np.ones(len(rows), np.float32)


def _taken(scores: NDArray[np.float32], most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the rows and columns of the largest positive scores of each row, and sets these scores to 0.

    Args:
        scores: (m, n); changed in place.
        most: maximum number of scores per row.
    """
    taken = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    for _ in range(most):
        best = scores.argmax(axis=1)
        rows = np.flatnonzero(scores[np.arange(len(scores)), best] > 0)
        taken.append((rows, best[rows]))
        scores[taken[-1]] = 0
    rows, columns = (np.concatenate(side) for side in zip(*taken, strict=True))
    return rows, columns


def _words(
    chunk_of: NDArray[np.int64], keyword_edges: sp.csr_matrix, chunks: int, common_share: float
) -> sp.csr_matrix:
    """Returns a (c, k) matrix with 1 where a chunk contains a keyword, without the keywords that are too common."""
    sentences = len(chunk_of)
    held = incidence(chunk_of, np.arange(sentences), np.ones(sentences), (chunks, sentences))
    words = ((held @ keyword_edges) > 0).astype(np.float32)
    frequency = np.asarray(words.sum(axis=0)).ravel()
    return words[:, frequency <= max(2, common_share * chunks)].tocsr()
