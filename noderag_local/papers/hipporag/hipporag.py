"""HippoRAG.

Paper        Gutiérrez et al. 2024, section 2.3: personalised PageRank over the graph of entities, damping 0.5, until it
             stands; it starts from the entities of the question, weighed by specificity (one over the passages that
             name them); a passage has the mass of its entities.
Needs        text, graph, vectors. No language model; relationships that one has found join entities, too.
Deviations   - Entities are joined where a sentence names both, besides the language model's relationships; synonyms are
               the alias edges, not near vectors.
             - The question's entities come from its words, not from a call. They have half of the start; the entities
               of the sentences nearest to the question have the other half, for the paper's link by vector.
             - A passage is ranked by its mass and its cosine with the question, each scaled to 0–1: the ensemble of the
               authors' code, which takes it where it is not sure of the question's entities.
Measured     Coverage in percent at 2,000 / 12,000 tokens, 249 dev questions of MuSiQue; 100 of its training set:
                 as it is                                66.7  89.2    79.0  94.0
                 naive, to compare with                  62.7  83.9    68.0  90.0
                 by mass alone                           60.6  75.1    72.0  84.0
                 by mass alone, names alone as seeds     28.5  50.6    53.0  77.0
                 edges by 1/√(passages of either end)    67.9  89.2    78.0  94.0
                 entities joined within a chunk          66.7  89.2    76.0  94.0
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.passages import Retrieval
from noderag_local.graph.algorithms.top import top_rows
from noderag_local.papers.hipporag.entity_graph import EntityGraph, entity_graph
from noderag_local.retrieval.default.closeness import chunk_cosines, inside_only, sentence_cosines
from noderag_local.retrieval.default.seeds import entity_seeds
from noderag_local.retrieval.over_graph import OverGraph
from noderag_local.retrieval.packing.results import SHOWN_SEEDS, retrieval, whole_chunks
from noderag_local.storage.graph.graph_rows import GraphRows

RESTART = 0.5
"""The paper's damping factor: part of the mass that returns to the seeds in each step."""
TOLERANCE = 1e-4
"""The walk ends when all masses together move by less; each step at least halves what moves, so 15 are enough."""
MOST_STEPS = 50
"""In any case."""
NAME_SHARE = 0.5
"""Of the start, for entities that the question names."""
NEAREST_SENTENCES = 10
SEED_POWER = 4.0
CHUNKS = 300
"""More than 12,000 tokens hold on MuSiQue."""


class Hippo(OverGraph):
    """See the head of this module."""

    name = "hippo"

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """As `Retriever.retrieve` says."""
        started = time.perf_counter()
        grounds = self._grounds
        graph = grounds.layer(entity_graph)
        vector = grounds.encode(question)
        start = self._start(question, vector, graph)
        inside = None if grounds.inside is None else grounds.inside.chunks
        mass = _scaled(np.asarray(graph.passages @ settled(graph, start), dtype=np.float32))
        cosines = _scaled(chunk_cosines(grounds, vector))
        scores = inside_only(mass + cosines, inside)
        rows = top_rows(scores, CHUNKS)
        found = whole_chunks(grounds, rows, scores[rows], "passage")
        chunk_of = grounds.landscape().chunk_of

        def reasons(row: int) -> tuple[tuple[str, float], ...]:
            return ("mass", float(mass[chunk_of[row]])), ("chunk", float(cosines[chunk_of[row]]))

        return retrieval(
            self.name,
            question,
            budget_tokens,
            grounds,
            replace(found, reasons=reasons, seeds=self._shown(start)),
            started,
        )

    def _shown(self, start: NDArray[np.float32]) -> tuple[tuple[str, float], ...]:
        best = [row for row in top_rows(start, SHOWN_SEEDS) if start[row] > 0]
        names = GraphRows(self._grounds.store).names(self._grounds.landscape().entities[best].tolist())
        return tuple((name, float(start[row])) for name, row in zip(names, best, strict=True))

    def _start(self, question: str, vector: NDArray[np.float32], graph: EntityGraph) -> NDArray[np.float32]:
        """(e,) where the walk starts, sum 1; 0 where there is no seed at all."""
        landscape, inside = self._grounds.landscape(), self._grounds.inside
        named = np.zeros(len(landscape.entities), dtype=np.float64)
        for row, weight in entity_seeds(question, self._grounds.store, landscape).items():
            # What it weighs is over its sentences; here it is over its passages.
            named[row] = weight * float(landscape.frequencies[row]) * graph.specificity[row]
        near = self._of_nearest(vector) * graph.specificity
        parts = [part if inside is None else part * inside.entities for part in (named, near)]
        shares = [NAME_SHARE, 1 - NAME_SHARE]
        known = [(share, part / part.sum()) for share, part in zip(shares, parts, strict=True) if part.sum() > 0]
        start = np.zeros(len(named))
        for share, part in known:
            start += part * (share if len(known) > 1 else 1.0)
        return start.astype(np.float32)

    def _of_nearest(self, vector: NDArray[np.float32]) -> NDArray[np.float64]:
        """(e,) the cosines, to the power of SEED_POWER, of those of the nearest sentences that name each entity."""
        landscape, inside = self._grounds.landscape(), self._grounds.inside
        cosines = sentence_cosines(self._grounds, vector)
        nearest = top_rows(inside_only(cosines, None if inside is None else inside.sentences), NEAREST_SENTENCES)
        named = landscape.mentions[nearest] >= 1
        return np.asarray(named.T @ np.maximum(cosines[nearest], 0).astype(np.float64) ** SEED_POWER)


def settled(graph: EntityGraph, start: NDArray[np.float32]) -> NDArray[np.float32]:
    """(e,) personalised PageRank, as far as TOLERANCE.

    Args:
        start: (e,) sum 1.
    """
    mass = start
    for _ in range(MOST_STEPS):
        spread = RESTART * start + (1 - RESTART) * (graph.walk @ mass)
        moved = float(np.abs(spread - mass).sum())
        mass = spread
        if moved < TOLERANCE:
            break
    return np.asarray(mass, dtype=np.float32)


def _scaled(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """The values between 0 for the least and 1 for the largest."""
    if not len(values):
        return values
    low, high = float(values.min()), float(values.max())
    return np.asarray((values - low) / max(high - low, 1e-9), dtype=np.float32)
