"""Where the walk starts: the question's entities by name, the sentences nearest to it by vector (NodeRAG, 2.4)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import NodeType
from noderag_local.retrieval.default.question_words import possible_names
from noderag_local.retrieval.search_arrays import SearchArrays, SentenceArrays
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.text.capitals import capitalised_runs, stop_words_of
from noderag_local.text.identity import entity_key

CONTAINING = 8
"""Most entities whose name contains one name of the question, shortest first."""
LOOKED_AT = 64
"""Maximum number of such entities that are looked up, since those outside the searched part of the graph are passed over."""
CONTAINING_WEIGHT = 0.3
"""Weight of such an entity; an exact match weighs 1."""


def entity_seeds(question: str, store: Store, arrays: SentenceArrays) -> dict[int, float]:
    """Returns the entities whose name stands in the question.

    Every run of words is looked up, so "University of Chicago" finds "Chicago" too. Names that only contain what the
    question names in capitals come after: "Big Eye" finds "Big Eye (2014 film)". A name counts by one over the number
    of sentences with it.

    Returns:
        Row of each entity and its weight, rows ascending.
    """
    stopped = stop_words_of(question)
    keys = {entity_key(name) for name in possible_names(question)}
    found = GraphRows(store).find(NodeType.ENTITY, sorted(key for key in keys if key and key not in stopped))
    exact = _rows(found.values(), arrays)
    around = [
        row
        for run in capitalised_runs(question)
        for row in _rows(GraphRows(store).entities_containing(run, LOOKED_AT), arrays, CONTAINING)
    ]
    weights = dict.fromkeys(around, CONTAINING_WEIGHT) | dict.fromkeys(exact, 1.0)
    return {row: weights[row] / float(arrays.frequencies[row]) for row in sorted(weights)}


def _rows(nodes: Iterable[int], arrays: SentenceArrays, most: int | None = None) -> list[int]:
    """Returns the rows of the first entities that something in the searched part of the graph leads to."""
    rows = np.searchsorted(arrays.entities, [arrays.names.stands_for(node) for node in nodes])
    return [int(row) for row in rows[arrays.is_named[rows]][:most]]


def sentence_seeds(cosines: NDArray[np.float32], rows: NDArray[np.int64], power: float) -> dict[int, float]:
    """Returns the rows of the nearest sentences, each weighted by a power of its cosine.

    Args:
        cosines: (m,) of the sentences with the question.
        rows: (m,) of the sentences.
        power: 4 in the default method.
    """
    weights = np.maximum(cosines, 0).astype(np.float64) ** power
    return {int(row): float(weight) for row, weight in zip(rows, weights, strict=True) if weight > 0}


def start_vector(
    sentences: dict[int, float], entities: dict[int, float], entity_share: float, arrays: SearchArrays
) -> NDArray[np.float32]:
    """Returns the vector that the walk starts from and teleports to, over the rows of `SearchArrays.spread`.

    Its sum is 1, or 0 where there is no seed.

    Args:
        sentences: row of each seed sentence, with its weight.
        entities: row of each seed entity, with its weight.
        entity_share: part of the mass that entities get; all of it where no sentence is a seed, and the reverse.
        arrays: arrays of the vault's graph.
    """
    n = len(arrays.sentences)
    mass = np.zeros(arrays.nodes, dtype=np.float32)
    shares = (entity_share, 1 - entity_share) if entities and sentences else (1.0, 1.0)
    for offset, seeds, share in ((n, entities, shares[0]), (0, sentences, shares[1])):
        total = sum(seeds.values())
        for row, weight in seeds.items():
            mass[offset + row] += share * weight / total
    return mass
