"""KET-RAG: the skeleton and the keywords together."""

from __future__ import annotations

import time

import numpy as np

from noderag_local.domain.passages import Retrieval
from noderag_local.papers.ketrag.chunk_graph import core_chunks, uniform_chunks
from noderag_local.papers.ketrag.keyword_channel import (
    keyword_scores,
    keyword_sentences,
    nearest_keywords,
    sentence_evidence,
)
from noderag_local.papers.ketrag.skeleton_channel import local_evidence
from noderag_local.retrieval.closeness import sentence_cosines
from noderag_local.retrieval.over_graph import OverGraph
from noderag_local.retrieval.packing.budget_shares import in_shares
from noderag_local.retrieval.packing.results import packed_in_order

SKELETON_SHARE = 0.4
"""θ of the paper: part of the budget that the skeleton has; half of it for texts."""
SHOWN_OF_EITHER = 6
"""Seeds, entities and keywords."""


class Ket(OverGraph):
    """Retriever with both channels; core chunks by PageRank."""

    name = "ket"
    core = staticmethod(core_chunks)
    """Builds the chunks that the skeleton is made of."""

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """As `Retriever.retrieve` says."""
        started = time.perf_counter()
        search_context = self._search_context
        vector = search_context.encode(question)
        cosines = sentence_cosines(search_context, vector)
        core = search_context.layer(self.core)
        local = local_evidence(search_context, core, vector, cosines, SKELETON_SHARE * budget_tokens)
        keywords = keyword_scores(search_context, cosines)
        words_share = 1 - SKELETON_SHARE
        rows = keyword_sentences(search_context, keywords, cosines, words_share * budget_tokens)
        sentences = sentence_evidence(search_context, rows, budget_tokens)
        half = SKELETON_SHARE / 2
        pieces = in_shares([(half, local.told), (half, local.texts), (words_share, sentences)], budget_tokens)
        seeds = np.concatenate(
            [local.seeds[:SHOWN_OF_EITHER], nearest_keywords(search_context, keywords, SHOWN_OF_EITHER)]
        )
        return packed_in_order(self.name, question, budget_tokens, search_context, pieces, seeds, started)


class KetUniform(Ket):
    """KET-RAG with core chunks chosen by lot."""

    name = "ket-uniform"
    core = staticmethod(uniform_chunks)
