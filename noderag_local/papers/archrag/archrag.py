"""ArchRAG: searches levels of attributed communities from the top down."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.passages import Filtering, Retrieval
from noderag_local.generation.filtering import PAPER_SCORE
from noderag_local.papers.archrag.arch_evidence import named_first, relationships, summaries, told
from noderag_local.papers.archrag.arch_levels import (
    WALK_ALL,
    AttributedLayer,
    allowed_levels,
    attributed_layer,
    community_index,
)
from noderag_local.papers.archrag.attributed_communities import ARCHRAG, MOST_LEVELS, HierarchyOptions
from noderag_local.papers.archrag.clustering import CLUSTERINGS, Clustering
from noderag_local.papers.graph_evidence.key_value_evidence import KeyValueEvidence
from noderag_local.retrieval.over_graph import OverGraph
from noderag_local.retrieval.packing.budget_shares import Ranked, in_shares
from noderag_local.retrieval.packing.results import packed_in_order
from noderag_local.retrieval.parameters import at_paper_values, parameter
from noderag_local.storage.graph.attributed_rows import EXTRACT_SENTENCES
from noderag_local.storage.vectors.chnsw import LEVEL_EXACT_UP_TO, Nearest

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

FULL_TOKENS = 1000
"""Tokens of the budget for which the numbers of nodes and relationships are given, where they grow with it."""
SHARES = (0.2, 0.3, 0.5)
"""Shares of the budget for summaries, entities and relationships, where layers are not kept apart."""
GRAPH_STAGES = ("decompose", "attributes")
SUMMARY_STAGES = tuple(f"arch-level-{level}" for level in range(1, MOST_LEVELS + 1))
"""Stages that write summaries of the stored communities."""


@dataclass(frozen=True, slots=True)
class ArchParameters:
    """Parameters of the communities, the search and the filter."""

    nearest: int = parameter(20, paper=5, symbol="k", meaning="nodes found on each level", least=1)
    one_end: int = parameter(
        20, paper=0, meaning="relationships with one end among the entities; the authors' code has 10"
    )
    grows: bool = parameter(
        True, paper=False, meaning="whether these two numbers are for each 1,000 tokens of the budget"
    )
    named: bool = parameter(True, paper=False, meaning="whether entities that the question names come first")
    by_layer: bool = parameter(
        False,
        paper=True,
        meaning="whether each layer has an equal share and a filter of its own; else summaries are ranked together",
    )
    walk: bool = parameter(
        False,
        paper=True,
        meaning="whether levels are searched along the links of C-HNSW; else exactly, if not too large",
    )
    clustering: str = parameter(
        "leiden", paper="leiden", meaning="how communities are found", choices=tuple(CLUSTERINGS)
    )
    augment: bool = parameter(
        True, paper=True, meaning="whether similar entities are connected before communities are found"
    )
    levels: int = parameter(
        MOST_LEVELS, meaning="most levels of communities; the authors' code has 4", least=0, most=MOST_LEVELS
    )
    scores: str = parameter(
        "coarse",
        paper="fine",
        meaning="how the model rates passages before it answers: from 0 to 3, from 0 to 100, or not at all",
        choices=("coarse", "fine", "none"),
    )

    @property
    def hierarchy(self) -> HierarchyOptions:
        """Options of the hierarchy of communities."""
        return HierarchyOptions(cast(Clustering, self.clustering), self.augment, self.levels)


class Arch(OverGraph):
    """ArchRAG with the communities that the vault stores and their summaries."""

    name = "arch"
    parameters: ArchParameters = ArchParameters()
    stages_used = (*GRAPH_STAGES, *SUMMARY_STAGES)

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """Retrieves the evidence for a question; see `Retriever.retrieve`."""
        started = time.perf_counter()
        vector = self._search_context.encode(question)
        times = max(1, round(budget_tokens / FULL_TOKENS)) if self.parameters.grows else 1
        evidence = KeyValueEvidence(self._search_context)
        bottom, *upper = self._found(vector, self.parameters.nearest * times)
        entities = bottom.rows
        if self.parameters.named:
            entities = named_first(self._search_context, question, vector, entities)
        described = evidence.described(entities.tolist())
        one_end = self.parameters.one_end * times
        stated = evidence.stated(relationships(evidence, entities, vector, one_end, budget_tokens))
        if self.parameters.by_layer:
            layers: Sequence[Sequence[Ranked]] = ((*described, *stated), *self._layers(evidence, upper))
            kinds = [(1 / len(layers), layer) for layer in layers]
        else:
            layers = ()
            communities = self._communities
            ranked = summaries(self._search_context, evidence, communities, upper, budget_tokens)
            kinds = list(zip(SHARES, (ranked, described, stated), strict=True))
        pieces = in_shares(kinds, budget_tokens)
        seeds = evidence.graph_arrays.entities[entities]
        found = packed_in_order(self.name, question, budget_tokens, self._search_context, pieces, seeds, started)
        return replace(found, filtering=self._filtering(layers, found))

    @property
    def _communities(self) -> AttributedLayer:
        return self._search_context.layer(attributed_layer, self.parameters.hierarchy)

    def _found(self, vector: NDArray[np.float32], most: int) -> tuple[Nearest, ...]:
        """Returns the nearest nodes of each layer, the entities first; `vector` is that of the question, (dim,)."""
        exact_up_to = WALK_ALL if self.parameters.walk else LEVEL_EXACT_UP_TO
        index = self._search_context.layer(community_index, self.parameters.hierarchy, exact_up_to)
        return index.search(vector, most, allowed_levels(self._search_context, self._communities))

    def _layers(self, evidence: KeyValueEvidence, found: Sequence[Nearest]) -> list[list[Ranked]]:
        """Returns the summaries of the communities that were found on each level."""
        communities = self._communities
        return [
            told(
                self._search_context,
                evidence,
                communities,
                [(level, row) for row in nearest.rows.tolist()],
                EXTRACT_SENTENCES,
            )
            for level, nearest in enumerate(found)
        ]

    @classmethod
    def stages_for(cls, parameters: DataclassInstance) -> tuple[str, ...]:
        """Returns the stages of the summaries too, unless the communities are others than the stored ones."""
        is_stored = cast(ArchParameters, parameters).hierarchy == ARCHRAG
        return (*GRAPH_STAGES, *SUMMARY_STAGES) if is_stored else GRAPH_STAGES

    def _filtering(self, layers: Sequence[Sequence[Ranked]], found: Retrieval) -> Filtering | None:
        if self.parameters.scores == "none":
            return None
        return Filtering(PAPER_SCORE if self.parameters.scores == "fine" else 3, _sources_of(layers, found))


def _sources_of(layers: Sequence[Sequence[Ranked]], found: Retrieval) -> tuple[tuple[int, ...], ...]:
    """Returns the numbers of the sources of each layer; a source belongs to the layer of its best piece."""
    layer_of: dict[int, int] = {}
    for layer, ranked in enumerate(layers):
        for _, pieces in ranked:
            for piece in pieces:
                layer_of.setdefault(piece.node, layer)
    of_source: dict[int, int] = {}
    for one in found.ranked if layers else ():
        of_source.setdefault(one.source, layer_of[one.node])
    numbers = (tuple(source for source, own in of_source.items() if own == layer) for layer in range(len(layers)))
    return tuple(filter(None, numbers))


class ArchPaper(Arch):
    """ArchRAG with the paper's numbers at any budget, each layer by itself (sections 3.2 and 4.1)."""

    name = "arch-paper"
    parameters = at_paper_values(ArchParameters)


class ArchSpectral(Arch):
    """ArchRAG with communities found by spectral clustering."""

    name = "arch-spectral"
    parameters = ArchParameters(clustering="spectral")


class ArchPlain(Arch):
    """ArchRAG that does not connect similar entities before it finds communities."""

    name = "arch-plain"
    parameters = ArchParameters(augment=False)


class ArchFlat(Arch):
    """ArchRAG with one level of communities."""

    name = "arch-flat"
    parameters = ArchParameters(levels=1)


class ArchEntities(Arch):
    """ArchRAG without communities."""

    name = "arch-entities"
    parameters = ArchParameters(levels=0)


class ArchDirect(Arch):
    """ArchRAG that answers in one step from the whole context."""

    name = "arch-direct"
    parameters = ArchParameters(scores="none")
