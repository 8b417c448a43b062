"""Search by a passage that the language model has made up."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import Layer
from noderag_local.domain.passages import Retrieval
from noderag_local.models.llm.engine import Message, Request, Role
from noderag_local.models.llm.prompt_files import turns
from noderag_local.papers.baselines.naive import nearest_chunks
from noderag_local.retrieval.packing.results import retrieval, whole_chunks
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.retrieval.written_by_model import written

PASSAGE_TOKENS = 64


class Hyde:
    """Retriever that searches with a passage made up by the language model."""

    name = "hyde"
    layers = (Layer.TEXT, Layer.VECTORS)
    draws_on: tuple[str, ...] = ()
    asks_model = True

    def __init__(self, search_context: SearchContext) -> None:
        self._search_context = search_context

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """As `Retriever.retrieve` says.

        Raises:
            ModelError: there is no language model, or it failed.
        """
        passage = written(self._search_context, _request(question))
        started = time.perf_counter() - passage.seconds
        rows, cosines = nearest_chunks(self._search_context, self._vector(question, passage.text))
        ranked = whole_chunks(self._search_context, rows, cosines, "chunk")
        ranked = replace(ranked, seeds=((passage.text, 1.0),) if passage.text else ())
        found = retrieval(self.name, question, budget_tokens, self._search_context, ranked, started)
        return replace(found, llm_tokens=passage.tokens)

    def _vector(self, question: str, passage: str) -> NDArray[np.float32]:
        """(dim,) unit length."""
        vector = self._search_context.encode(question)
        if not passage:
            return vector
        both = vector + self._search_context.encode(passage)
        return np.asarray(both / max(float(np.linalg.norm(both)), 1e-9), dtype=np.float32)


def _request(question: str) -> Request:
    asked = Message(Role.USER, f"Question: {' '.join(question.split())}")
    return Request((*turns("papers.baselines", "hyde"), asked), PASSAGE_TOKENS)
