"""NodeRAG with the paper's own settings.

Paper        NodeRAG, section 2.4 and table 6: exact matches on entity names and the ten nearest vectors as entry
             points, shallow personalised PageRank with α = 0.5 and t = 2, nodes by mass.
Needs        text, graph, vectors. On the instant tier sentences stand for semantic units.
Deviations   The language model call that lists the question's entities is replaced by matching runs of its words.
             Entities route the walk and are not packed, as the paper's N are not.
"""

from __future__ import annotations

import time

import numpy as np

from noderag_local.graph.pagerank import shallow_pagerank
from noderag_local.graph.top import top_rows
from noderag_local.records import Layer, NodeType, Retrieval
from noderag_local.search.found import Found, retrieval
from noderag_local.search.retriever import Grounds
from noderag_local.search.seeds import entity_seeds, sentence_seeds, teleport

RESTART = 0.5
STEPS = 2
NEAREST = 10


class NodeRagPaper:
    """See the head of this module."""

    name = "noderag-paper"
    layers = (Layer.TEXT, Layer.GRAPH, Layer.VECTORS)

    def __init__(self, grounds: Grounds) -> None:
        self._grounds = grounds

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """As `Retriever.retrieve` says."""
        started = time.perf_counter()
        landscape = self._grounds.landscape()
        ids, cosines = self._grounds.vector_index(NodeType.SENTENCE).search(
            self._grounds.encode(question)[None], NEAREST
        )
        near = np.searchsorted(landscape.sentences, ids[0][ids[0] >= 0])
        sentences = sentence_seeds(np.ones_like(cosines[0][: len(near)]), near, power=1)
        entities = dict.fromkeys(entity_seeds(question, self._grounds.store, landscape), 1.0)
        share = len(entities) / max(len(entities) + len(sentences), 1)
        start = teleport(sentences, entities, share, landscape)
        mass = shallow_pagerank(landscape.walk, start, RESTART, STEPS)[: len(landscape.sentences)]
        rows = top_rows(mass, int((mass > 0).sum()))
        found = Found(rows, mass[rows], lambda row: (("walk", float(mass[row])),))
        return retrieval(self.name, question, budget_tokens, self._grounds, found, started)
