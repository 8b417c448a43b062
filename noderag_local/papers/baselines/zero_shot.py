"""No retrieval: what the language model knows by itself, to tell what the notes add.

Paper        The row "zero-shot" or "direct LLM" in the tables of the papers of the field (ArchRAG, table 3).
Needs        nothing of the vault; a language model to answer.
Deviations   none.
"""

from __future__ import annotations

from noderag_local.domain.graph import Layer
from noderag_local.domain.passages import Retrieval
from noderag_local.retrieval.retriever import Grounds


class ZeroShot:
    """See the head of this module."""

    name = "zero-shot"
    layers: tuple[Layer, ...] = ()
    draws_on: tuple[str, ...] = ()

    def __init__(self, grounds: Grounds) -> None:
        """As every method; it needs no grounds."""

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """An empty context, and word that none is wanted."""
        return Retrieval(self.name, question, budget_tokens, "", 0, (), (), (), 0.0, without_notes=True)
