"""Methods to compare with: full text, plain vectors, HyDE and no retrieval."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import Layer, NodeType
from noderag_local.domain.passages import Retrieval
from noderag_local.models.llm.engine import Message, Request, Role
from noderag_local.models.llm.prompt_files import turns
from noderag_local.retrieval.nearest_inside import nearest_inside
from noderag_local.retrieval.packing.results import retrieval, whole_chunks
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.retrieval.written_by_model import written
from noderag_local.storage.documents.fulltext import search_chunks

CHUNKS = 200
"""Maximum number of ranked chunks: more than fit into 12,000 tokens on MuSiQue."""


class Bm25:
    """Retriever that ranks chunks by BM25."""

    name = "bm25"
    layers = (Layer.TEXT,)
    stages_used: tuple[str, ...] = ()

    def __init__(self, search_context: SearchContext) -> None:
        self._search_context = search_context

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """Retrieves the evidence for a question; see `Retriever.retrieve`."""
        started = time.perf_counter()
        inside, chunks = self._search_context.inside, self._search_context.graph_arrays().chunks
        hits = search_chunks(self._search_context.store, question, CHUNKS if inside is None else len(chunks))
        rows = np.searchsorted(chunks, [chunk for chunk, _ in hits]).astype(np.int64)
        scores = np.array([score for _, score in hits], dtype=np.float32)
        if inside is not None:
            kept = np.flatnonzero(inside.chunks[rows])[:CHUNKS]
            rows, scores = rows[kept], scores[kept]
        ranked = whole_chunks(self._search_context, rows, scores, "bm25")
        return retrieval(self.name, question, budget_tokens, self._search_context, ranked, started)


class Naive:
    """Retriever that ranks chunks by cosine."""

    name = "naive"
    layers = (Layer.TEXT, Layer.VECTORS)
    stages_used: tuple[str, ...] = ()

    def __init__(self, search_context: SearchContext) -> None:
        self._search_context = search_context

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """Retrieves the evidence for a question; see `Retriever.retrieve`."""
        started = time.perf_counter()
        vector = self._search_context.encode(question)
        rows, cosines = nearest_chunks(self._search_context, vector)
        ranked = whole_chunks(self._search_context, rows, cosines, "chunk")
        return retrieval(self.name, question, budget_tokens, self._search_context, ranked, started)


def nearest_chunks(
    search_context: SearchContext, vector: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Returns the rows of the chunks, nearest first, and their cosines.

    Args:
        search_context: the vault with the scope of the question.
        vector: (dim,) vector of unit length.
    """
    chunks, inside = search_context.graph_arrays().chunks, search_context.inside
    index = search_context.vector_index(NodeType.TEXT)
    if inside is not None:
        ids, cosines = nearest_inside(index, chunks[inside.chunks], vector, CHUNKS)
        return np.searchsorted(chunks, ids), cosines
    found, scores = index.search(vector[None], CHUNKS)
    there = found[0] >= 0
    return np.searchsorted(chunks, found[0][there]), scores[0][there]


PASSAGE_TOKENS = 64


class Hyde:
    """Retriever that searches with a hypothetical passage written by the language model."""

    name = "hyde"
    layers = (Layer.TEXT, Layer.VECTORS)
    stages_used: tuple[str, ...] = ()
    asks_model = True

    def __init__(self, search_context: SearchContext) -> None:
        self._search_context = search_context

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """Retrieves the evidence for a question; see `Retriever.retrieve`.

        Raises:
            ModelError: there is no language model, or it failed.
        """
        passage = written(self._search_context, _request(question))
        started = time.perf_counter() - passage.seconds
        rows, cosines = nearest_chunks(self._search_context, self._vector(question, passage.text))
        ranked = whole_chunks(self._search_context, rows, cosines, "chunk")
        ranked = replace(ranked, seeds=((passage.text, 1.0),) if passage.text else ())
        found = retrieval(self.name, question, budget_tokens, self._search_context, ranked, started)
        return replace(found, llm_use=passage.use)

    def _vector(self, question: str, passage: str) -> NDArray[np.float32]:
        """Returns the vector to search with, (dim,) of unit length: the mean of the question's and the passage's vector."""
        vector = self._search_context.encode(question)
        if not passage:
            return vector
        both = vector + self._search_context.encode(passage)
        return np.asarray(both / max(float(np.linalg.norm(both)), 1e-9), dtype=np.float32)


def _request(question: str) -> Request:
    asked = Message(Role.USER, f"Question: {' '.join(question.split())}")
    return Request((*turns("papers.baselines", "hyde"), asked), PASSAGE_TOKENS)


class ZeroShot:
    """Retriever that returns no evidence, so that the model answers from its own knowledge."""

    name = "zero-shot"
    layers: tuple[Layer, ...] = ()
    stages_used: tuple[str, ...] = ()

    def __init__(self, search_context: SearchContext) -> None:
        """Accepts the search context like every method, but does not use it."""

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """Returns an empty context, marked as answered without notes."""
        return Retrieval(self.name, question, budget_tokens, "", 0, (), (), (), 0.0, without_notes=True)
