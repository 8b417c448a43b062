"""The second hop: sentences that share a rare entity with one of the best sentences so far.

A question of two hops names the first entity only: "the performer of Think of Laura" leads to a sentence that names
Christopher Cross, and what is asked stands where he is named again. The walk alone gives such a sentence little mass,
since the entity spreads it over all its sentences.
"""

from __future__ import annotations

from collections.abc import Container

import numpy as np
from numpy.typing import NDArray

from noderag_local.graph.algorithms.rows import top_rows
from noderag_local.retrieval.search_arrays import SearchArrays

FIRST_SENTENCES = 20
"""Number of best sentences that bridges start from; 10 and 40 differ by less than a point."""
SHARPNESS = 8.0
"""How fast the weight of a first sentence falls with its distance from the best score."""
COMMON = 200
"""Most sentences that may name an entity of a bridge; a more common entity leads anywhere."""


def bridges(
    candidates: NDArray[np.int64], scores: NDArray[np.float32], asked: Container[int], arrays: SearchArrays
) -> NDArray[np.float32]:
    """Returns how well each of the candidates continues one of the best of them.

    A bridge is worth exp(−SHARPNESS·(best − score)) of its first sentence, over 1 + ln(sentences with the entity).

    Args:
        candidates: (m,) rows of sentences, ascending.
        scores: (m,) from the first pass.
        asked: rows of the entities that the question itself names; they are left out.
        arrays: arrays of the vault's graph.

    Returns:
        (m,) float32 from 0 to 1; a sentence takes its best bridge, and none within its own document.
    """
    worth = np.zeros(len(arrays.sentences), dtype=np.float32)
    first = top_rows(scores, FIRST_SENTENCES)
    for at in first.tolist():
        sentence = candidates[at]
        start = np.exp(-SHARPNESS * (scores[first[0]] - scores[at]))
        for entity in arrays.entities_of(sentence).tolist():
            frequency = arrays.frequencies[entity]
            if entity in asked or frequency > COMMON:
                continue
            others = arrays.sentences_naming(entity)
            others = others[arrays.document_of[others] != arrays.document_of[sentence]]
            worth[others] = np.maximum(worth[others], start / (1 + np.log(frequency)))
    return worth[candidates]
