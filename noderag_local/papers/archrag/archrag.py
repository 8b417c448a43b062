"""ArchRAG.

Paper        Wang et al. 2025, section 3.2: the entities and communities of every level that are nearest to the question, by
             C-HNSW; then relationships of the entities, first those between two of them. The answer comes in two steps:
             the model chooses what helps, then answers from that (answer/filtering.py). `arch-spectral` finds the
             communities by spectral clustering, `arch-plain` without joining near entities first, `arch-flat` has one
             level of them, `arch-entities` none, and `arch-direct` answers from the whole context in one step.
Needs        text, graph, vectors. The hierarchy is made without a language model; as far as one has written summaries
             (`arch` and `arch-direct` alone), these stand for the sentences that tell most of a community.
Deviations   - k = 20, and 20 relationships with one end, for each 1,000 tokens of the budget; the paper has 5 and 10 at any.
               Our entities are found by rules, and what is told of each is one sentence, not a description.
             - Entities that the question names come first, half of k at most, as a name is a part of the paper's key and
               not of ours (search/key_values.py).
             - A sentence that names two entities is a relationship where the model has not read.
             - Summaries of all levels stand by their cosine with the question. Those of each level in turn had sentences of
               the highest levels, which say nothing of any question, take the room of better ones.
             - Levels of up to 50,000 nodes are compared with one by one. Where the walk enters a level: store/chnsw.py.
             - Points are passages copied from the sources, scored 0 to 3, so that citations open the notes. Where the model
               chooses none, it answers from the whole context, and not, as the paper's, from what it knows.
Measured     Coverage in percent at 1,000 / 2,000 / 6,000 / 12,000 tokens, 249 dev questions of MuSiQue; 100 of its training
             set. No language model had read these:
                 arch, arch-direct         52.2  61.8  81.5  86.7    64.0  79.0  89.0  92.0
                 naive, to compare with    50.6  62.7  76.7  83.9    54.0  68.0  85.0  90.0
                 arch-spectral             51.8  63.5  80.7  87.6    59.0  79.0  88.0  90.0
                 arch-plain                53.4  64.7  81.5  87.1    63.0  78.0  89.0  93.0
                 arch-flat                 54.2  65.1  82.3  88.4    65.0  79.0  89.0  92.0
                 arch-entities             52.6  63.9  82.3  86.7    66.0  77.0  87.0  92.0
                 in turn, index before     50.2  60.6  77.5  84.3    61.0  76.0  87.0  90.0
             On the first 50 of the training set, with summaries in turn and no names first: k of 5 and 10 relationships at
             any budget 56 60 66 72, for each 1,000 tokens 56 70 82 86, 20 and 20 of them 64 76 84 88. While summaries are
             sentences, the hierarchy adds no more than a single level of it, or none: what it tells stands in the notes.
             Answers of the 1.5B to 24 training questions at 1,000 tokens, EM and F1: 0 and 13 (naive 17 and 31, covering
             less): so small a model leaves out what it needs when it chooses.
"""

from __future__ import annotations

import time
from dataclasses import replace

from noderag_local.domain.passages import Retrieval
from noderag_local.papers.archrag.arch_evidence import named_first, relationships, summaries
from noderag_local.papers.archrag.arch_levels import community_index, no_communities, told_levels
from noderag_local.papers.archrag.attributed_communities import MOST_LEVELS, HierarchyOptions
from noderag_local.papers.archrag.attributed_layer import Attributed, attributed, attributed_variant
from noderag_local.papers.lightrag.key_value_evidence import KeyValueEvidence
from noderag_local.retrieval.over_graph import OverGraph
from noderag_local.retrieval.packing.budget_shares import in_shares
from noderag_local.retrieval.packing.results import packed_in_order
from noderag_local.retrieval.retriever import Grounds

NEAREST = 20
"""k, of each level, for each FULL_TOKENS of the budget."""
WITH_ONE_END = 20
"""Relationships with one end among the entities, likewise."""
FULL_TOKENS = 1000
SHARES = (0.2, 0.3, 0.5)
"""Of the budget for summaries, entities and relationships."""
GRAPH_STAGES = ("decompose", "attributes")
SUMMARY_STAGES = tuple(f"arch-level-{level}" for level in range(1, MOST_LEVELS + 1))
"""Of which only `arch` and `arch-direct` use the results: other hierarchies have other communities."""


class Arch(OverGraph):
    """See the head of this module."""

    name = "arch"
    draws_on = (*GRAPH_STAGES, *SUMMARY_STAGES)
    communities: staticmethod[[Grounds], Attributed] = staticmethod(attributed)
    """Finds or makes the communities."""
    filtered = True
    """Whether the model chooses what helps before it answers."""

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """As `Retriever.retrieve` says."""
        started = time.perf_counter()
        grounds, vector = self._grounds, self._grounds.encode(question)
        evidence, communities = KeyValueEvidence(grounds), grounds.layer(self.communities)
        times = max(1, round(budget_tokens / FULL_TOKENS))
        index = grounds.layer(community_index(self.communities))
        found = index.search(vector, NEAREST * times, told_levels(grounds, communities))
        entities = named_first(grounds, question, vector, found[0].rows)
        kinds = (
            summaries(grounds, evidence, communities, found[1:], budget_tokens),
            evidence.described(entities.tolist()),
            evidence.stated(relationships(evidence, entities, vector, WITH_ONE_END * times, budget_tokens)),
        )
        pieces = in_shares(zip(SHARES, kinds, strict=True), budget_tokens)
        seeds = evidence.landscape.entities[entities]
        retrieval = packed_in_order(self.name, question, budget_tokens, grounds, pieces, seeds, started)
        return replace(retrieval, filtered=self.filtered)


class ArchSpectral(Arch):
    """See the head of this module."""

    name = "arch-spectral"
    draws_on = GRAPH_STAGES
    communities = staticmethod(attributed_variant(HierarchyOptions(clustering="spectral")))


class ArchPlain(Arch):
    """See the head of this module."""

    name = "arch-plain"
    draws_on = GRAPH_STAGES
    communities = staticmethod(attributed_variant(HierarchyOptions(augment=False)))


class ArchFlat(Arch):
    """See the head of this module."""

    name = "arch-flat"
    draws_on = GRAPH_STAGES
    communities = staticmethod(attributed_variant(HierarchyOptions(levels=1)))


class ArchEntities(Arch):
    """See the head of this module."""

    name = "arch-entities"
    draws_on = GRAPH_STAGES
    communities = staticmethod(no_communities)


class ArchDirect(Arch):
    """See the head of this module."""

    name = "arch-direct"
    filtered = False
