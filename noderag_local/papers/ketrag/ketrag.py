"""The methods of KET-RAG: both channels together, each channel alone, and two methods that the paper compares with."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.passages import Retrieval
from noderag_local.graph.algorithms.rows import top_rows
from noderag_local.papers.graph_evidence.key_value_evidence import KeyValueEvidence
from noderag_local.papers.ketrag.keyword_channel import (
    KeywordParameters,
    keyword_evidence,
    keyword_scores,
    keyword_texts,
    nearest_keywords,
)
from noderag_local.papers.ketrag.skeleton_channel import (
    BY_LOT,
    ChunkGraphParameters,
    SkeletonParameters,
    chunk_neighbours,
    core_chunks,
    every_chunk,
    local_evidence,
)
from noderag_local.retrieval.closeness import chunk_cosines, inside_only, sentence_cosines
from noderag_local.retrieval.over_graph import OverGraph
from noderag_local.retrieval.packing.budget_shares import in_shares
from noderag_local.retrieval.packing.results import SHOWN_SEEDS, Found, packed_in_order, retrieval, whole_chunks
from noderag_local.retrieval.parameters import at_paper_values, parameter
from noderag_local.storage.graph.graph_rows import GraphRows

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

SHOWN_OF_EITHER = 6
"""Maximum number of entities, and of keywords, that are shown as seeds."""


@dataclass(frozen=True)
class KetParameters(SkeletonParameters, KeywordParameters):
    """Parameters of both channels together."""

    theta: float = parameter(
        0.4, paper=0.4, symbol="θ", meaning="share of the budget for the skeleton, half of it for its texts", most=1
    )
    fills_up: bool = parameter(True, meaning="whether budget that entities, texts or keywords leave goes to the others")


class Ket(OverGraph):
    """KET-RAG with both channels; core chunks are chosen by PageRank."""

    name = "ket"
    parameters: KetParameters = KetParameters()

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """Retrieves the evidence for a question; see `Retriever.retrieve`."""
        started = time.perf_counter()
        search_context = self._search_context
        vector = search_context.encode(question)
        cosines = sentence_cosines(search_context, vector)
        chosen, kinds, seeds = self.parameters, [], []
        if chosen.theta > 0:
            core = core_chunks(search_context, chosen)
            local = local_evidence(search_context, core, vector, cosines, chosen.seeds, chosen.theta * budget_tokens)
            kinds += [(chosen.theta / 2, local.statements), (chosen.theta / 2, local.texts)]
            seeds.append(local.seeds[:SHOWN_OF_EITHER])
        if chosen.theta < 1:
            words_share = 1 - chosen.theta
            keywords = keyword_scores(search_context, cosines, chosen.renormalised)
            texts = keyword_texts(search_context, keywords, cosines, chosen, words_share * budget_tokens)
            kinds.append((words_share, keyword_evidence(search_context, texts, budget_tokens)))
            seeds.append(nearest_keywords(search_context, keywords, SHOWN_OF_EITHER))
        pieces = in_shares(kinds, budget_tokens, fills_up=chosen.fills_up)
        shown = np.concatenate(seeds)
        return packed_in_order(self.name, question, budget_tokens, search_context, pieces, shown, started)

    @classmethod
    def stages_for(cls, parameters: DataclassInstance) -> tuple[str, ...]:
        """Returns no stage where the skeleton has no share of the budget: keywords need no language model."""
        return cls.stages_used if cast(KetParameters, parameters).theta > 0 else ()


class KetPaper(Ket):
    """KET-RAG with all values of its paper (KET-RAG-P); with `beta=1` and `theta=1` it is the paper's MS-Graph-RAG."""

    name = "ket-paper"
    parameters = at_paper_values(KetParameters)


class KetUniform(Ket):
    """KET-RAG with core chunks chosen at random."""

    name = "ket-uniform"
    parameters = KetParameters(core=BY_LOT)


class KetKeyword(OverGraph):
    """Retriever that uses the keyword channel alone."""

    name = "ket-keyword"
    stages_used: tuple[str, ...] = ()
    parameters: KeywordParameters = KeywordParameters()

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """Retrieves the evidence for a question; see `Retriever.retrieve`."""
        started = time.perf_counter()
        search_context = self._search_context
        cosines = sentence_cosines(search_context, search_context.encode(question))
        keywords = keyword_scores(search_context, cosines, self.parameters.renormalised)
        texts = keyword_texts(search_context, keywords, cosines, self.parameters, budget_tokens)
        names = GraphRows(search_context.store).names(nearest_keywords(search_context, keywords, SHOWN_SEEDS).tolist())
        scores = np.sort(keywords)[::-1].tolist()
        seeds = tuple(zip(names, scores, strict=False))
        found = Found(texts.rows, texts.cosines, lambda row: (("sentence", float(cosines[row])),), seeds)
        return retrieval(self.name, question, budget_tokens, search_context, found, started)


class KetSkeleton(OverGraph):
    """Retriever that uses the skeleton alone."""

    name = "ket-skeleton"
    parameters: SkeletonParameters = SkeletonParameters()

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """Retrieves the evidence for a question; see `Retriever.retrieve`."""
        started = time.perf_counter()
        search_context = self._search_context
        vector = search_context.encode(question)
        core, seeds = core_chunks(search_context, self.parameters), self.parameters.seeds
        cosines = sentence_cosines(search_context, vector)
        local = local_evidence(search_context, core, vector, cosines, seeds, budget_tokens)
        pieces = in_shares([(0.5, local.statements), (0.5, local.texts)], budget_tokens)
        return packed_in_order(self.name, question, budget_tokens, search_context, pieces, local.seeds, started)


CHUNKS = 200
"""Maximum number of nearest chunks, without their neighbours: more than fit into 12,000 tokens on MuSiQue."""


class KetKnn(OverGraph):
    """Retriever that adds the neighbours of each nearest chunk."""

    name = "ket-knn"
    stages_used: tuple[str, ...] = ()
    parameters: ChunkGraphParameters = ChunkGraphParameters()

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """Retrieves the evidence for a question; see `Retriever.retrieve`."""
        started = time.perf_counter()
        inside = None if self._search_context.inside is None else self._search_context.inside.chunks
        cosines = inside_only(chunk_cosines(self._search_context, self._search_context.encode(question)), inside)
        rows = self._with_neighbours(top_rows(cosines, CHUNKS), cosines)
        return retrieval(
            self.name,
            question,
            budget_tokens,
            self._search_context,
            whole_chunks(self._search_context, rows, cosines[rows], "chunk"),
            started,
        )

    def _with_neighbours(self, seeds: NDArray[np.int64], cosines: NDArray[np.float32]) -> NDArray[np.int64]:
        """Returns the row of each seed, followed by its neighbours inside the scope; each row once."""
        near = self._search_context.layer(chunk_neighbours, self.parameters.neighbours, self.parameters.common)
        found: dict[int, None] = {}
        for seed in seeds:
            beside = np.sort(near.indices[near.indptr[seed] : near.indptr[seed + 1]])
            found[int(seed)] = None
            nearest = beside[np.argsort(-cosines[beside], kind="stable")]
            found.update(dict.fromkeys(int(row) for row in nearest if np.isfinite(cosines[row])))
        return np.fromiter(found, np.int64, len(found))


SHARES = (0.5, 0.25, 0.25)
"""Shares of the budget for the nearest chunks, for entities and relationships, and for the chunks that these come from."""


@dataclass(frozen=True, slots=True)
class HybridParameters:
    """Parameters of the half that searches the graph."""

    seeds: int = parameter(
        40, paper=10, meaning="entities nearest to the question, from which the search starts", least=1
    )


class Hybrid(OverGraph):
    """Retriever that spends half of the budget on plain retrieval and half on local search."""

    name = "hybrid"
    parameters: HybridParameters = HybridParameters()

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """Retrieves the evidence for a question; see `Retriever.retrieve`."""
        started = time.perf_counter()
        search_context = self._search_context
        vector = search_context.encode(question)
        evidence = KeyValueEvidence(search_context)
        cosines = evidence.cosines(vector)
        near = evidence.texts(top_rows(cosines, len(cosines)).tolist(), budget_tokens)
        sentences = sentence_cosines(search_context, vector)
        graph_tokens = sum(SHARES[1:]) * budget_tokens
        core, seeds = every_chunk(search_context), self.parameters.seeds
        local = local_evidence(search_context, core, vector, sentences, seeds, graph_tokens)
        pieces = in_shares(zip(SHARES, (near, local.statements, local.texts), strict=True), budget_tokens)
        return packed_in_order(self.name, question, budget_tokens, search_context, pieces, local.seeds, started)
