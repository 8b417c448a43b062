"""Microsoft's GraphRAG: local and global search."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from noderag_local.domain.graph import EdgeType, Layer, NodeType
from noderag_local.domain.passages import Retrieval
from noderag_local.graph.algorithms.rows import top_rows
from noderag_local.papers.graph_evidence.key_value_evidence import KeyValueEvidence, names_in
from noderag_local.retrieval.evidence import EvidenceParameters
from noderag_local.retrieval.over_evidence import OverEvidence
from noderag_local.retrieval.over_graph import OverGraph
from noderag_local.retrieval.packing.budget_shares import Ranked, in_shares
from noderag_local.retrieval.packing.results import packed_in_order
from noderag_local.retrieval.parameters import parameter
from noderag_local.storage.database.distinct import distinct
from noderag_local.storage.graph.graph_rows import GraphRows

SHARES = (0.25, 0.125, 0.125, 0.5)
"""Shares of the budget for reports, entities, relationships and texts (the authors' code, community_prop and text_unit_prop)."""


@dataclass(frozen=True, slots=True)
class GraphRagParameters(EvidenceParameters):
    """Parameters of local search; the defaults are those of the authors' code."""

    entities: int = parameter(10, meaning="entities nearest to the question (top_k_mapped_entities)", least=1)
    relationships: int = parameter(10, meaning="relationships for each entity (top_k_relationships)")


class GraphRagLocal(OverEvidence):
    """Local search: entities by vector, then reports, relationships and texts around them."""

    name = "graphrag-local"
    stages_used = ("decompose", "attributes", "elements")
    parameters: GraphRagParameters = GraphRagParameters()

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """Retrieves the evidence for a question; see `Retriever.retrieve`."""
        started = time.perf_counter()
        evidence = KeyValueEvidence(self._search_context)
        vector, names = self._search_context.encode_all([question, names_in(question)])
        entities = evidence.entities(question, self.parameters.entities, names)
        relationships = self._relationships(evidence, entities)
        chunks = evidence.chunks(entities, relationships, evidence.cosines(vector))
        kinds = (
            self._reports(evidence, evidence.graph_arrays.entities[entities].tolist()),
            evidence.described(entities),
            evidence.stated(relationships),
            evidence.texts(chunks, budget_tokens),
        )
        pieces = in_shares(zip(SHARES, kinds, strict=True), budget_tokens)
        return packed_in_order(
            self.name,
            question,
            budget_tokens,
            self._search_context,
            pieces,
            evidence.graph_arrays.entities[entities],
            started,
        )

    def _relationships(self, evidence: KeyValueEvidence, entities: Sequence[int]) -> list[int]:
        """Returns the rows of relationships of the entities: between two of them first, then those whose ends have most links."""
        stores = evidence.stores
        near = distinct(stores.relationships_of[list(entities)].indices)
        near = near[evidence.allowed_relationships()[near]]
        ends = stores.ends[near]
        within = np.isin(ends.indices, entities).astype(np.float32)
        shared = np.add.reduceat(np.append(within, np.float32(0)), ends.indptr[:-1]) if len(near) else within
        weight = np.asarray(ends @ stores.degrees()).ravel()
        order = np.lexsort((near, -weight, -(shared >= 2).astype(np.int64)))
        return list(map(int, near[order][: self.parameters.relationships * len(entities)]))

    def _reports(self, evidence: KeyValueEvidence, entities: Sequence[int]) -> list[Ranked]:
        """Returns high-level elements of the communities that contain most of the entities."""
        graph = GraphRows(self._search_context.store)
        held = Counter(community for community, _, _ in graph.edges_to(EdgeType.MEMBER, entities))
        communities = sorted(held, key=lambda community: (-held[community], community))
        elements = graph.targets_of((EdgeType.ELEMENT,), communities)
        listed = [element for community in communities for element in elements.get(community, ())]
        return [(0.0, (piece,)) for piece in evidence.pieces.elements(evidence.allowed_summaries(listed))]


class GraphRagGlobal(OverGraph):
    """Global search: high-level elements by their cosine with the question."""

    name = "graphrag-global"
    layers = (*OverGraph.layers, Layer.SUMMARIES)
    stages_used = ("decompose", "attributes", "elements")

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """Retrieves the evidence for a question; see `Retriever.retrieve`."""
        started = time.perf_counter()
        evidence = KeyValueEvidence(self._search_context)
        index = self._search_context.vector_index(NodeType.HIGH_LEVEL_ELEMENT)
        nearest = top_rows(index.cosines(self._search_context.encode(question)[None])[0], len(index.ids))
        elements = evidence.allowed_summaries(index.ids[nearest].tolist())
        pieces = evidence.pieces.elements(elements)
        seeds = np.array(elements, dtype=np.int64)
        return packed_in_order(self.name, question, budget_tokens, self._search_context, pieces, seeds, started)
