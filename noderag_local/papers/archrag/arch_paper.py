"""ArchRAG as the paper has it: the same few nodes of every layer, whatever the budget, and a filter for each layer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from noderag_local.domain.passages import Filtering, Retrieval
from noderag_local.generation.filtering import PAPER_SCORE
from noderag_local.papers.archrag.arch_evidence import relationships, told
from noderag_local.papers.archrag.arch_levels import WALK_ALL, allowed_levels, attributed_layer, community_index
from noderag_local.papers.archrag.archrag import GRAPH_STAGES, SUMMARY_STAGES
from noderag_local.papers.graph_evidence.key_value_evidence import KeyValueEvidence
from noderag_local.retrieval.over_graph import OverGraph
from noderag_local.retrieval.packing.budget_shares import Ranked, in_shares
from noderag_local.retrieval.packing.packing_budget import Piece
from noderag_local.retrieval.packing.results import packed_in_order
from noderag_local.storage.graph.attributed_rows import EXTRACT_SENTENCES

NEAREST = 5
"""Number of nodes that are searched for on each layer (k, section 4.1)."""


class ArchPaper(OverGraph):
    """ArchRAG with the paper's counts (sections 3.2 and 4.1)."""

    name = "arch-paper"
    stages_used = (*GRAPH_STAGES, *SUMMARY_STAGES)

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """Retrieves the evidence for a question; see `Retriever.retrieve`.

        Every layer has an equal share of the budget, and what one leaves is for the others.
        """
        started = time.perf_counter()
        search_context, vector = self._search_context, self._search_context.encode(question)
        evidence, communities = KeyValueEvidence(search_context), search_context.layer(attributed_layer)
        index = search_context.layer(community_index(attributed_layer, WALK_ALL))
        bottom, *upper = index.search(vector, NEAREST, allowed_levels(search_context, communities))
        entities = bottom.rows
        connected = relationships(evidence, entities, vector, 0, budget_tokens)
        layers: list[list[Ranked]] = [[*evidence.described(entities.tolist()), *evidence.stated(connected)]]
        for level, nearest in enumerate(upper):
            listed = [(level, row) for row in nearest.rows.tolist()]
            layers.append(told(search_context, evidence, communities, listed, EXTRACT_SENTENCES))
        pieces = in_shares([(1 / len(layers), layer) for layer in layers], budget_tokens)
        seeds = evidence.graph_arrays.entities[entities]
        found = packed_in_order(self.name, question, budget_tokens, search_context, pieces, seeds, started)
        return replace(found, filtering=Filtering(PAPER_SCORE, _sources_of(layers, found)))


def _sources_of(layers: Sequence[Sequence[Ranked]], found: Retrieval) -> tuple[tuple[int, ...], ...]:
    """Returns the numbers of the sources of each layer; a source belongs to the layer of its best piece."""
    layer_of: dict[int, int] = {}
    for layer, ranked in enumerate(layers):
        for piece in _pieces(ranked):
            layer_of.setdefault(piece.node, layer)
    of_source: dict[int, int] = {}
    for one in found.ranked:
        of_source.setdefault(one.source, layer_of[one.node])
    numbers = [tuple(source for source, own in of_source.items() if own == layer) for layer in range(len(layers))]
    return tuple(filter(None, numbers))


def _pieces(ranked: Sequence[Ranked]) -> list[Piece]:
    return [piece for _, pieces in ranked for piece in pieces]
