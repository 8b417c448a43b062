"""Words that a question and a sentence share, weighed by rarity."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import NodeType
from noderag_local.retrieval.graph_arrays import Landscape
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.text.keywords import keywords


def overlap(question: str, store: Store, landscape: Landscape) -> NDArray[np.float32]:
    """The share of the question's keywords, by rarity, that stand in each sentence.

    The same share for whole documents, as a part of its own, gets no weight in the fit beside this one and the cosines.

    Returns:
        (n,) float32 from 0 to 1; zeros where the notes have none of its words.
    """
    found = GraphRows(store).find(NodeType.KEYWORD, keywords(question))
    columns = np.searchsorted(landscape.keywords, sorted(found.values()))
    weights = np.zeros(len(landscape.keywords), dtype=np.float32)
    weights[columns] = landscape.rarity[columns]
    whole = np.float32(max(float(weights.sum()), 1e-6))
    return np.asarray(landscape.keyword_edges @ weights, dtype=np.float32) / whole
