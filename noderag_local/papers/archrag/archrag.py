"""ArchRAG: searches levels of attributed communities from the top down."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from noderag_local.domain.passages import Filtering, Retrieval
from noderag_local.papers.archrag.arch_evidence import named_first, relationships, summaries
from noderag_local.papers.archrag.arch_levels import (
    AttributedLayer,
    allowed_levels,
    attributed_layer,
    community_index,
    layer_in_memory,
    no_communities,
)
from noderag_local.papers.archrag.attributed_communities import MOST_LEVELS, HierarchyOptions
from noderag_local.papers.graph_evidence.key_value_evidence import KeyValueEvidence
from noderag_local.retrieval.over_graph import OverGraph
from noderag_local.retrieval.packing.budget_shares import in_shares
from noderag_local.retrieval.packing.results import packed_in_order
from noderag_local.retrieval.parameters import parameter
from noderag_local.retrieval.retriever import SearchContext

FULL_TOKENS = 1000
"""Tokens of the budget for which the numbers of nodes and relationships are given."""
SHARES = (0.2, 0.3, 0.5)
"""Shares of the budget for summaries, entities and relationships."""
GRAPH_STAGES = ("decompose", "attributes")
SUMMARY_STAGES = tuple(f"arch-level-{level}" for level in range(1, MOST_LEVELS + 1))
"""Stages that write summaries. Only `arch` and `arch-direct` use them; the other variants have other communities."""


@dataclass(frozen=True, slots=True)
class ArchParameters:
    """Parameters of the search."""

    nearest: int = parameter(
        20, paper=5, symbol="k", meaning="nodes found on each level, for each 1,000 tokens of the budget", least=1
    )
    one_end: int = parameter(
        20, paper=10, meaning="relationships with one end among the entities, for each 1,000 tokens of the budget"
    )


class Arch(OverGraph):
    """ArchRAG with the communities that the vault stores and their summaries."""

    name = "arch"
    parameters: ArchParameters = ArchParameters()
    stages_used = (*GRAPH_STAGES, *SUMMARY_STAGES)
    communities: staticmethod[[SearchContext], AttributedLayer] = staticmethod(attributed_layer)
    """Reads or computes the communities."""
    filtering: Filtering | None = Filtering()
    """How the model selects helpful passages before it answers."""

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """Retrieves the evidence for a question; see `Retriever.retrieve`."""
        started = time.perf_counter()
        search_context, vector = self._search_context, self._search_context.encode(question)
        evidence, communities = KeyValueEvidence(search_context), search_context.layer(self.communities)
        times = max(1, round(budget_tokens / FULL_TOKENS))
        index = search_context.layer(community_index(self.communities))
        found = index.search(vector, self.parameters.nearest * times, allowed_levels(search_context, communities))
        entities = named_first(search_context, question, vector, found[0].rows)
        kinds = (
            summaries(search_context, evidence, communities, found[1:], budget_tokens),
            evidence.described(entities.tolist()),
            evidence.stated(relationships(evidence, entities, vector, self.parameters.one_end * times, budget_tokens)),
        )
        pieces = in_shares(zip(SHARES, kinds, strict=True), budget_tokens)
        seeds = evidence.graph_arrays.entities[entities]
        retrieval = packed_in_order(self.name, question, budget_tokens, search_context, pieces, seeds, started)
        return replace(retrieval, filtering=self.filtering)


class ArchSpectral(Arch):
    """ArchRAG with communities found by spectral clustering."""

    name = "arch-spectral"
    stages_used = GRAPH_STAGES
    communities = staticmethod(layer_in_memory(HierarchyOptions(clustering="spectral")))


class ArchPlain(Arch):
    """ArchRAG that does not connect similar entities before it finds communities."""

    name = "arch-plain"
    stages_used = GRAPH_STAGES
    communities = staticmethod(layer_in_memory(HierarchyOptions(augment=False)))


class ArchFlat(Arch):
    """ArchRAG with one level of communities."""

    name = "arch-flat"
    stages_used = GRAPH_STAGES
    communities = staticmethod(layer_in_memory(HierarchyOptions(levels=1)))


class ArchEntities(Arch):
    """ArchRAG without communities."""

    name = "arch-entities"
    stages_used = GRAPH_STAGES
    communities = staticmethod(no_communities)


class ArchDirect(Arch):
    """ArchRAG that answers in one step from the whole context."""

    name = "arch-direct"
    filtering = None
