"""Divides chunks into the sub-chunks that keywords lead to (KET-RAG, section 5.1): equal parts, or single sentences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from noderag_local.graph.algorithms.sparse import incidence
from noderag_local.retrieval.graph_arrays import GraphArrays
from noderag_local.retrieval.retriever import SearchContext

SENTENCES, EQUAL_PARTS = "sentences", "equal"


@dataclass(frozen=True)
class SubChunks:
    """The sub-chunks of a vault, in reading order."""

    members: sp.csr_matrix
    """(p, n) 1 where a sub-chunk has a sentence of the graph arrays."""
    keyword_edges: sp.csr_matrix
    """(p, k) nonzero where a sub-chunk contains a keyword."""
    tokens: NDArray[np.float32]
    """(p,) tokens of the sentences."""
    lengths: NDArray[np.float32]
    """(p,) length of the sum of the sentences' vectors; infinite where no sentence has a vector."""

    def cosines(self, cosines: NDArray[np.float32]) -> NDArray[np.float32]:
        """Returns the cosine of the mean vector of each sub-chunk's sentences with a question, (p,).

        Args:
            cosines: (n,) cosine of each sentence with the question.
        """
        return np.asarray(self.members @ cosines, dtype=np.float32) / self.lengths

    def sentences(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Returns the rows of the sentences of some sub-chunks, in the order given, and for each its sub-chunk."""
        chosen = self.members[rows]
        return chosen.indices.astype(np.int64), np.repeat(rows, np.diff(chosen.indptr))


def sub_chunks(search_context: SearchContext, kind: str, tau: int) -> SubChunks:
    """Divides the chunks of a vault.

    Args:
        search_context: the vault.
        kind: `SENTENCES`, or `EQUAL_PARTS` for 2^τ parts of each chunk that are as equal as whole sentences allow.
        tau: τ.
    """
    arrays = search_context.graph_arrays()
    rows = np.arange(len(arrays.sentences))
    part_of = rows if kind == SENTENCES else parts_of(arrays.chunk_of, arrays.tokens, 2**tau)
    return _divided(arrays, rows, part_of)


def parts_of(chunk_of: NDArray[np.int64], tokens: NDArray[np.int32], parts: int) -> NDArray[np.int64]:
    """Returns the row of each sentence's part, (n,): the part of its chunk in which the sentence has its middle.

    Args:
        chunk_of: (n,) row of each sentence's chunk, ascending.
        tokens: (n,) tokens of each sentence.
        parts: number of parts of a chunk; a chunk of fewer sentences has fewer.
    """
    if not len(chunk_of):
        return np.zeros(0, np.int64)
    ends = np.cumsum(tokens, dtype=np.float64)
    _, first, which = np.unique(chunk_of, return_index=True, return_inverse=True)
    starts = (ends - tokens)[first][which]
    totals = np.bincount(which, tokens)[which]
    middles = (ends - tokens / 2 - starts) / np.maximum(totals, 1)
    places = np.minimum((middles * parts).astype(np.int64), parts - 1)
    return np.unique(which * parts + places, return_inverse=True)[1].astype(np.int64)


def _divided(arrays: GraphArrays, rows: NDArray[np.int64], part_of: NDArray[np.int64]) -> SubChunks:
    parts = int(part_of.max()) + 1 if len(part_of) else 0
    members = incidence(part_of, rows, np.ones(len(rows)), (parts, len(rows)))
    lengths = np.linalg.norm(members @ arrays.sentence_vectors.astype(np.float32), axis=1)
    return SubChunks(
        members,
        (members @ arrays.keyword_edges).tocsr(),
        np.bincount(part_of, arrays.tokens, minlength=parts).astype(np.float32),
        np.where(lengths > 0, lengths, np.inf).astype(np.float32),
    )
