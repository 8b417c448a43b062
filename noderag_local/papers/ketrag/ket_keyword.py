"""The keyword channel of KET-RAG alone."""

from __future__ import annotations

import time

import numpy as np

from noderag_local.domain.passages import Retrieval
from noderag_local.papers.ketrag.keyword_channel import keyword_scores, keyword_sentences, nearest_keywords
from noderag_local.retrieval.closeness import sentence_cosines
from noderag_local.retrieval.over_graph import OverGraph
from noderag_local.retrieval.packing.results import SHOWN_SEEDS, Found, retrieval
from noderag_local.storage.graph.graph_rows import GraphRows


class KetKeyword(OverGraph):
    """Retriever that uses the keyword channel alone."""

    name = "ket-keyword"
    draws_on: tuple[str, ...] = ()

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """As `Retriever.retrieve` says."""
        started = time.perf_counter()
        search_context = self._search_context
        cosines = sentence_cosines(search_context, search_context.encode(question))
        keywords = keyword_scores(search_context, cosines)
        rows = keyword_sentences(search_context, keywords, cosines, budget_tokens)
        names = GraphRows(search_context.store).names(nearest_keywords(search_context, keywords, SHOWN_SEEDS).tolist())
        scores = np.sort(keywords)[::-1].tolist()
        seeds = tuple(zip(names, scores, strict=False))
        found = Found(rows, cosines[rows], lambda row: (("sentence", float(cosines[row])),), seeds)
        return retrieval(self.name, question, budget_tokens, search_context, found, started)
