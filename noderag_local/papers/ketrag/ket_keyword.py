"""The keyword channel of KET-RAG alone.

Paper        Huang, Zhang and Xiao 2025, "Keyword-RAG": Algorithm 4, lines 2–5, with the whole budget.
Needs        text, graph (keywords), vectors. No language model.
Deviations   - Sub-chunks are sentences, in place of 2^τ equal parts of a chunk.
             - Keywords are stored where they stand in two sentences or are capitalised or numbers somewhere; the
               authors' code has every word.
             - The mean of a keyword's sentences is brought half-way back to length 1 (keyword_channel.RENORMALISED).
Measured     Coverage in percent at 2,000 / 12,000 tokens, 249 dev questions of MuSiQue; 100 of its training set:
                 as it is                                       62.2  85.1    68.0  95.0
                 naive, to compare with                         62.7  83.9    68.0  90.0
                 RENORMALISED = 1, the paper                    53.4  81.1    74.0  96.0
                 RENORMALISED = 0, the authors' code            59.4  83.1    66.0  93.0
                 RENORMALISED = 1, four times the candidates    58.2  86.3    73.0  94.0
                 sub-chunks are whole chunks (τ = 0), 1         52.6  76.3    64.0  90.0
                 sub-chunks are whole chunks (τ = 0), 0         61.8  83.5    68.0  90.0
                 no keywords of one sentence, 1                 53.4  81.1    75.0  96.0
                 no keywords of one sentence, 0                 55.0  81.5    67.0  93.0
"""

from __future__ import annotations

import time

import numpy as np

from noderag_local.domain.passages import Retrieval
from noderag_local.papers.ketrag.keyword_channel import keyword_scores, keyword_sentences, nearest_keywords
from noderag_local.retrieval.default.closeness import sentence_cosines
from noderag_local.retrieval.over_graph import OverGraph
from noderag_local.retrieval.packing.results import SHOWN_SEEDS, Found, retrieval
from noderag_local.storage.graph.graph_rows import GraphRows


class KetKeyword(OverGraph):
    """See the head of this module."""

    name = "ket-keyword"
    draws_on: tuple[str, ...] = ()

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """As `Retriever.retrieve` says."""
        started = time.perf_counter()
        grounds = self._grounds
        cosines = sentence_cosines(grounds, grounds.encode(question))
        keywords = keyword_scores(grounds, cosines)
        rows = keyword_sentences(grounds, keywords, cosines, budget_tokens)
        names = GraphRows(grounds.store).names(nearest_keywords(grounds, keywords, SHOWN_SEEDS).tolist())
        scores = np.sort(keywords)[::-1].tolist()
        seeds = tuple(zip(names, scores, strict=False))
        found = Found(rows, cosines[rows], lambda row: (("sentence", float(cosines[row])),), seeds)
        return retrieval(self.name, question, budget_tokens, grounds, found, started)
