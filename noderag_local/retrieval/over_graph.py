"""The base class of methods that search text, graph and vectors."""

from __future__ import annotations

from noderag_local.domain.graph import Layer
from noderag_local.retrieval.retriever import SearchContext


class OverGraph:
    """Base of a method that needs text, graph and vectors; subclasses add `name`, `retrieve` and further stages."""

    layers: tuple[Layer, ...] = (Layer.TEXT, Layer.GRAPH, Layer.VECTORS)
    stages_used: tuple[str, ...] = ("decompose",)

    def __init__(self, search_context: SearchContext) -> None:
        self._search_context = search_context
