"""No retrieval: what the language model knows by itself."""

from __future__ import annotations

from noderag_local.domain.graph import Layer
from noderag_local.domain.passages import Retrieval
from noderag_local.retrieval.retriever import SearchContext


class ZeroShot:
    """Retriever that finds nothing, so that the model answers from memory."""

    name = "zero-shot"
    layers: tuple[Layer, ...] = ()
    draws_on: tuple[str, ...] = ()

    def __init__(self, search_context: SearchContext) -> None:
        """Take the search context as every method does; nothing of it is used."""

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """An empty context, and word that none is wanted."""
        return Retrieval(self.name, question, budget_tokens, "", 0, (), (), (), 0.0, without_notes=True)
