"""How near every sentence and chunk is to a question."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import NodeType
from noderag_local.retrieval.retriever import Grounds


def sentence_cosines(grounds: Grounds, vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n,) cosine of each sentence of the landscape; 0 for those that have no vector yet.

    Args:
        vector: (dim,) of the question.
    """
    landscape = grounds.landscape()
    index = grounds.vector_index(NodeType.SENTENCE)
    cosines = np.zeros(len(landscape.sentences), dtype=np.float32)
    if len(index.ids):
        # The index keeps its vectors wide; those of the landscape are float16, and slow to multiply.
        cosines[np.searchsorted(landscape.sentences, index.ids)] = index.cosines(vector[None])[0]
    return cosines


def chunk_cosines(grounds: Grounds, vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """(c,) cosine of each chunk of the landscape; arguments as `sentence_cosines`."""
    return np.asarray(grounds.landscape().chunk_vectors @ vector, dtype=np.float32)


def inside_only(values: NDArray[np.float32], inside: NDArray[np.bool_] | None) -> NDArray[np.float32]:
    """The values, −inf for whatever is outside of a scope.

    Args:
        values: (m,)
        inside: (m,); None: there is no scope.
    """
    return values if inside is None else np.where(inside, values, -np.inf).astype(np.float32)
