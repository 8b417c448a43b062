"""KET-RAG.

Paper        Huang, Zhang and Xiao 2025, section 5, Algorithm 4: two channels, the local search in a graph skeleton made of the
             core chunks, and keywords whose sentences are ranked again. `ket` has core chunks by PageRank, `ket-uniform`
             as many by lot (the paper's KET-RAG-P and KET-RAG-U).
Needs        text, graph, vectors. Builds by itself, without a language model, the nearest neighbour graph of the chunks
             and the lengths of the keywords' vectors.
Deviations   - Entities are those of rules and of the language model together. Where it has not read a chunk, a sentence
               that names two entities stands for a relationship, and a sentence nearest to the question for what is told
               of an entity.
             - A sub-chunk is a sentence in the keyword channel; the skeleton's texts stay whole. Chunks here are as
               short as the paper's sub-chunks.
             - The channels take turns in the context, so that the best of both come first; room that one leaves is
               the other's.
             - In a vault of up to 100 chunks all are core.
             - More in search/keyword_channel.py and search/skeleton_channel.py, as constants.
Measured     Coverage in percent at 2,000 / 12,000 tokens, 249 dev questions of MuSiQue; 100 of its training set:
                 as it is                              68.3  88.4    74.0  96.0
                 naive, to compare with                62.7  83.9    68.0  90.0
                 core chunks by lot (ket-uniform)      67.5  90.0    74.0  96.0
                 all chunks are core (β = 1)           68.3  89.2    73.0  95.0
                 10 seeds, as the paper                69.1  86.7    76.0  97.0
                 θ = 0.2                               65.1  87.1    70.0  96.0
                 θ = 0.6                               67.1  87.6    75.0  96.0
             PageRank gains nothing over the lot, here as in the paper's own coverage (79.6 and 80.2). No language model
             had read these.
"""

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
from noderag_local.retrieval.default.closeness import sentence_cosines
from noderag_local.retrieval.over_graph import OverGraph
from noderag_local.retrieval.packing.budget_shares import in_shares
from noderag_local.retrieval.packing.results import packed_in_order

SKELETON_SHARE = 0.4
"""θ of the paper: part of the budget that the skeleton has; half of it for texts."""
SHOWN_OF_EITHER = 6
"""Seeds, entities and keywords."""


class Ket(OverGraph):
    """See the head of this module."""

    name = "ket"
    core = staticmethod(core_chunks)
    """Builds the chunks that the skeleton is made of."""

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """As `Retriever.retrieve` says."""
        started = time.perf_counter()
        grounds = self._grounds
        vector = grounds.encode(question)
        cosines = sentence_cosines(grounds, vector)
        core = grounds.layer(self.core)
        local = local_evidence(grounds, core, vector, cosines, SKELETON_SHARE * budget_tokens)
        keywords = keyword_scores(grounds, cosines)
        words_share = 1 - SKELETON_SHARE
        rows = keyword_sentences(grounds, keywords, cosines, words_share * budget_tokens)
        sentences = sentence_evidence(grounds, rows, budget_tokens)
        half = SKELETON_SHARE / 2
        pieces = in_shares([(half, local.told), (half, local.texts), (words_share, sentences)], budget_tokens)
        seeds = np.concatenate([local.seeds[:SHOWN_OF_EITHER], nearest_keywords(grounds, keywords, SHOWN_OF_EITHER)])
        return packed_in_order(self.name, question, budget_tokens, grounds, pieces, seeds, started)


class KetUniform(Ket):
    """See the head of this module."""

    name = "ket-uniform"
    core = staticmethod(uniform_chunks)
