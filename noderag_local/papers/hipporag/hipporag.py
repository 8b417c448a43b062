"""HippoRAG: personalised PageRank over entities, then ranking of the passages that name them."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from noderag_local.domain.passages import Retrieval
from noderag_local.graph.algorithms.rows import top_rows
from noderag_local.graph.algorithms.sparse import symmetric, transition
from noderag_local.papers.graph_evidence.key_values import key_values
from noderag_local.retrieval.closeness import chunk_cosines, inside_only, sentence_cosines
from noderag_local.retrieval.default.seeds import entity_seeds
from noderag_local.retrieval.evidence import EvidenceParameters
from noderag_local.retrieval.graph_arrays import GraphArrays
from noderag_local.retrieval.over_evidence import OverEvidence
from noderag_local.retrieval.packing.results import SHOWN_SEEDS, retrieval, whole_chunks
from noderag_local.retrieval.parameters import parameter
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.storage.graph.graph_rows import GraphRows

TOLERANCE = 1e-4
"""The walk ends when the total change in a step is smaller; with half of the mass back to the seeds, 15 steps are enough."""
MOST_STEPS = 200
"""Maximum number of steps of a walk."""
CHUNKS = 300
"""Maximum number of ranked chunks: more than fit into 12,000 tokens on MuSiQue."""


@dataclass(frozen=True, slots=True)
class HippoParameters(EvidenceParameters):
    """Parameters of the walk and of where it starts."""

    teleport: float = parameter(
        0.5,
        paper=0.5,
        meaning="share of the mass that returns to the seeds in each step, the paper's damping factor",
        most=1,
    )
    name_share: float = parameter(
        0.5, meaning="share of the starting mass for entities that the question names", most=1
    )
    nearest: int = parameter(
        10, meaning="sentences nearest to the question whose entities get the other share", least=1
    )
    seed_power: float = parameter(4.0, meaning="power of a sentence's cosine by which its entities are weighted")


class Hippo(OverEvidence):
    """Retriever that ranks chunks by the PageRank of their entities and by cosine."""

    name = "hippo"
    parameters: HippoParameters = HippoParameters()

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """Retrieves the evidence for a question; see `Retriever.retrieve`."""
        started = time.perf_counter()
        search_context = self._search_context
        graph = search_context.layer(entity_graph)
        vector = search_context.encode(question)
        start = self._start(question, vector, graph)
        inside = None if search_context.inside is None else search_context.inside.chunks
        mass = _scaled(np.asarray(graph.passages @ settled(graph, start, self.parameters.teleport), dtype=np.float32))
        cosines = _scaled(chunk_cosines(search_context, vector))
        scores = inside_only(mass + cosines, inside)
        rows = top_rows(scores, CHUNKS)
        found = whole_chunks(search_context, rows, scores[rows], "passage")
        chunk_of = search_context.graph_arrays().chunk_of

        def reasons(row: int) -> tuple[tuple[str, float], ...]:
            return ("mass", float(mass[chunk_of[row]])), ("chunk", float(cosines[chunk_of[row]]))

        return retrieval(
            self.name,
            question,
            budget_tokens,
            search_context,
            replace(found, reasons=reasons, seeds=self._shown(start)),
            started,
        )

    def _shown(self, start: NDArray[np.float32]) -> tuple[tuple[str, float], ...]:
        best = [row for row in top_rows(start, SHOWN_SEEDS) if start[row] > 0]
        names = GraphRows(self._search_context.store).names(self._search_context.graph_arrays().entities[best].tolist())
        return tuple((name, float(start[row])) for name, row in zip(names, best, strict=True))

    def _start(self, question: str, vector: NDArray[np.float32], graph: EntityGraph) -> NDArray[np.float32]:
        """Returns where the walk starts, (e,); sums to 1, or is all 0 if there is no seed."""
        arrays, inside = self._search_context.graph_arrays(), self._search_context.inside
        named = np.zeros(len(arrays.entities), dtype=np.float64)
        for row, weight in entity_seeds(question, self._search_context.store, arrays).items():
            # These weights are divided by the number of sentences; HippoRAG divides by the number of passages.
            named[row] = weight * float(arrays.frequencies[row]) * graph.specificity[row]
        near = self._of_nearest(vector) * graph.specificity
        parts = [part if inside is None else part * inside.entities for part in (named, near)]
        shares = [self.parameters.name_share, 1 - self.parameters.name_share]
        known = [(share, part / part.sum()) for share, part in zip(shares, parts, strict=True) if part.sum() > 0]
        start = np.zeros(len(named))
        for share, part in known:
            start += part * (share if len(known) > 1 else 1.0)
        return start.astype(np.float32)

    def _of_nearest(self, vector: NDArray[np.float32]) -> NDArray[np.float64]:
        """Returns for each entity, (e,), the sum of the cosines, to a power, of the nearest sentences that name it."""
        arrays, inside = self._search_context.graph_arrays(), self._search_context.inside
        cosines = sentence_cosines(self._search_context, vector)
        nearest = top_rows(inside_only(cosines, None if inside is None else inside.sentences), self.parameters.nearest)
        named = arrays.mentions[nearest] >= 1
        return np.asarray(named.T @ np.maximum(cosines[nearest], 0).astype(np.float64) ** self.parameters.seed_power)


def settled(graph: EntityGraph, start: NDArray[np.float32], teleport: float) -> NDArray[np.float32]:
    """Returns personalised PageRank, (e,), iterated until the change is below TOLERANCE.

    Args:
        graph: the graph to walk.
        start: (e,) starting mass, sums to 1.
        teleport: share of the mass that returns to the start in each step.
    """
    mass = start
    for _ in range(MOST_STEPS):
        spread = teleport * start + (1 - teleport) * (graph.walk @ mass)
        moved = float(np.abs(spread - mass).sum())
        mass = spread
        if moved < TOLERANCE:
            break
    return np.asarray(mass, dtype=np.float32)


def _scaled(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scales values linearly so that the smallest is 0 and the largest is 1."""
    if not len(values):
        return values
    low, high = float(values.min()), float(values.max())
    return np.asarray((values - low) / max(high - low, 1e-9), dtype=np.float32)


@dataclass(frozen=True)
class EntityGraph:
    """The graph of entities and the passages that name them; rows are the entities of the graph arrays."""

    walk: sp.csr_matrix
    """(e, e) transition matrix Pᵀ"""
    passages: sp.csr_matrix
    """(c, e) 1 where a chunk names an entity"""
    specificity: NDArray[np.float32]
    """(e,) one divided by the number of chunks that name the entity"""


def entity_graph(search_context: SearchContext) -> EntityGraph:
    """Builds the entity graph of a vault, with an edge for each relationship that two entities share and for each alias."""
    arrays = search_context.graph_arrays()
    # Where no language model has read, a sentence that names two entities counts as a relationship.
    ends = search_context.layer(key_values).ends
    together = (ends.T @ ends).tocsr()
    together.setdiag(0)
    together.eliminate_zeros()
    walk = transition((together + symmetric([arrays.same], len(arrays.entities))).tocsr())
    passages = _passages(arrays)
    named_in = np.maximum(np.asarray(passages.sum(axis=0)).ravel(), 1)
    return EntityGraph(walk, passages, (1 / named_in).astype(np.float32))


def _passages(arrays: GraphArrays) -> sp.csr_matrix:
    sentences, entities = (arrays.mentions >= 1).nonzero()
    shape = (len(arrays.chunks), len(arrays.entities))
    counts = sp.csr_matrix((np.ones(len(sentences), np.float32), (arrays.chunk_of[sentences], entities)), shape=shape)
    return (counts > 0).astype(np.float32).tocsr()
