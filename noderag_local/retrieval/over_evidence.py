"""The base class of methods that can search the language model's part of the graph alone, or that of the rules."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from noderag_local.domain.errors import LayerMissing
from noderag_local.domain.graph import EdgeType, GraphPart, NodeType
from noderag_local.retrieval.evidence import EvidenceParameters
from noderag_local.retrieval.full_graph import FullGraph, read_full_graph
from noderag_local.retrieval.graph_arrays import GraphArrays, read_graph_arrays
from noderag_local.retrieval.over_graph import OverGraph
from noderag_local.retrieval.retriever import LayerKey, SearchContext
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.vectors.vector_index import VectorIndex

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

READ_SOME = "Let it read some with 'noderag enrich', or search with evidence=all."


class OverEvidence(OverGraph):
    """Base of a method with the parameter `evidence`; its search context has the arrays of the chosen part."""

    parameters: EvidenceParameters = EvidenceParameters()

    def __init__(self, search_context: SearchContext, parameters: EvidenceParameters | None = None) -> None:
        """Keeps what is searched and the values of the parameters; the arguments are those of `OverGraph`.

        Raises:
            LayerMissing: a part is chosen although the language model has read no chunk, so that the parts do not differ.
        """
        super().__init__(search_context, parameters)
        chosen = GraphPart(self.parameters.evidence)
        if chosen is not GraphPart.ALL:
            if not GraphRows(search_context.store).has_edges(EdgeType.INSERTED):
                raise LayerMissing(
                    f"The method {self.name!r} compares what the language model found with what rules found, and the model"
                    f" has read no chunk of this vault. {READ_SOME}"
                )
            self._search_context = limited(search_context, chosen)

    @classmethod
    def stages_for(cls, parameters: DataclassInstance) -> tuple[str, ...]:
        """Returns the stages that the method uses with these values: none where it leaves out what the model found."""
        is_of_rules = cast(EvidenceParameters, parameters).evidence == GraphPart.RULES
        return () if is_of_rules else super().stages_for(parameters)


def limited(search_context: SearchContext, evidence: GraphPart) -> SearchContext:
    """Returns a search context with the arrays of a part of the graph; they are kept with those of the whole."""
    layers = search_context.layer(_layers_of, evidence)
    part = replace(search_context, evidence=evidence, layers=layers)
    return replace(
        part, graph_arrays=lambda: part.layer(_graph_arrays), full_graph=lambda: part.layer(full_graph_without, ())
    )


def _layers_of(_: SearchContext, part: GraphPart) -> dict[LayerKey, object]:
    """Returns the layers of a part of the graph: none yet."""
    return {}


def _graph_arrays(part: SearchContext) -> GraphArrays:
    kinds = (NodeType.SENTENCE, NodeType.TEXT, NodeType.RELATIONSHIP)
    sentences, chunks, relationships = (part.vector_index(kind) for kind in kinds)
    if part.evidence is GraphPart.RULES:
        relationships = VectorIndex(relationships.ids[:0], relationships.vectors[:0])
    return read_graph_arrays(part.store, sentences, chunks, relationships, part.evidence)


def full_graph_without(search_context: SearchContext, kinds: tuple[EdgeType, ...]) -> FullGraph:
    """Returns the whole graph of the searched part without the edges of some types."""
    arrays = search_context.graph_arrays()
    entities = arrays.entities[arrays.is_named]
    return read_full_graph(search_context.store, entities, search_context.evidence, without=kinds)
