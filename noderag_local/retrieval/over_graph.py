"""What the methods that search text, graph and vectors have alike."""

from __future__ import annotations

from noderag_local.domain.graph import Layer
from noderag_local.retrieval.retriever import Grounds


class OverGraph:
    """A method in its grounds; each has its own `name` and `retrieve`, and names further stages that it draws on."""

    layers: tuple[Layer, ...] = (Layer.TEXT, Layer.GRAPH, Layer.VECTORS)
    draws_on: tuple[str, ...] = ("decompose",)

    def __init__(self, grounds: Grounds) -> None:
        self._grounds = grounds
