"""Cosines of every sentence and chunk with a question."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import NodeType
from noderag_local.retrieval.retriever import SearchContext


def sentence_cosines(search_context: SearchContext, vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n,) cosine of each sentence of the graph arrays; 0 for those that have no vector yet.

    Args:
        search_context: arrays and rows of the vault that is searched.
        vector: (dim,) of the question.
    """
    arrays = search_context.graph_arrays()
    index = search_context.vector_index(NodeType.SENTENCE)
    cosines = np.zeros(len(arrays.sentences), dtype=np.float32)
    if len(index.ids):
        # The index keeps its vectors wide; those of the graph arrays are float16, and slow to multiply.
        cosines[np.searchsorted(arrays.sentences, index.ids)] = index.cosines(vector[None])[0]
    return cosines


def chunk_cosines(search_context: SearchContext, vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """(c,) cosine of each chunk of the graph arrays; arguments as `sentence_cosines`."""
    return np.asarray(search_context.graph_arrays().chunk_vectors @ vector, dtype=np.float32)


def inside_only(values: NDArray[np.float32], inside: NDArray[np.bool_] | None) -> NDArray[np.float32]:
    """Returns the values, with −inf for everything outside a scope.

    Args:
        values: (m,)
        inside: (m,); None: there is no scope.
    """
    if inside is None or inside.all():
        return values
    return np.where(inside, values, np.float32(-np.inf)).astype(np.float32, copy=False)
