"""The default retrieval method, with what it was built from and measured by.

Paper        NodeRAG, section 2.4: dual search, shallow personalised PageRank, selection. Late chunking (Günther et al.
             2024) for the vectors it searches, bridges for second hops.
Needs        text, graph, vectors. No language model; as far as one has read the notes, its entities are among the
             mentions and its statements stand for the sentences in the last quarter of the budget.
Deviations   - Seeds by name weigh one over the number of sentences with the entity; seeds by vector the fourth power
               of their cosine. The paper weighs all alike.
             - t = 4 steps instead of 2.
             - The walk finds the candidates and is one part of their score; cosine, rare words of the question,
               the kind of answer and bridges are the others.
             - Weights are fitted by scripts/bench/fit_weights.py: the likelihood of the sentences that hold the
               answer, on the dev questions of MuSiQue and on questions of its training set; either set alone
               gives much the same weights.
Measured     Coverage in percent at 1,000 / 2,000 / 6,000 / 12,000 tokens, 249 dev questions of MuSiQue:
                 as it is                  70.3  78.7  90.0  93.6
                 names as seeds only where they match exactly (the rows below, too; counted roughly)
                                           69.9  76.3  90.0  92.8
                 2 steps                   69.5  76.3  88.8  91.2
                 names as seeds all alike  71.1  76.7  89.6  92.8
                 no bridges                61.0  71.9  89.6  92.4
                 no kind of answer         67.9  77.1  90.0  92.4
                 the walk alone            51.4  64.3  81.1  88.0
             Parts of other methods, fitted with these on the same questions and 100 of the training set, three folds held
             out, share of questions with the answer among the first 40 sentences (79.2 and 85.0 without): HippoRAG's mass of
             the passage gets the weight 0.01 (78.8 and 85.0), KET-RAG's mean cosine of a sentence's keywords 0.48 (80.8 and
             85.0; among the first 10, 60.4 as before and 63.0 for 65.0), the neighbours' cosine −0.11 (79.2 and 85.0).
             None is taken.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import Layer, NodeType
from noderag_local.domain.passages import Retrieval
from noderag_local.graph.algorithms.pagerank import shallow_pagerank
from noderag_local.graph.algorithms.rows import top_rows
from noderag_local.retrieval.default.bridges import bridges
from noderag_local.retrieval.default.question_words import AnswerKind, answer_kind
from noderag_local.retrieval.default.seeds import entity_seeds, sentence_seeds, start_vector
from noderag_local.retrieval.graph_arrays import GraphArrays
from noderag_local.retrieval.nearest_inside import nearest_inside
from noderag_local.retrieval.packing.packing_budget import Piece
from noderag_local.retrieval.packing.results import Found, retrieval
from noderag_local.retrieval.packing.stated_sentences import shortened
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.text.keywords import keywords

Parts = dict[str, NDArray[np.float32]]
"""Name of a part in `Weights` → (n,) its value for every sentence row."""

TELEPORT = 0.5
"""Teleport probability α, also called damping: share of the mass that returns to the seeds in each step."""
STEPS = 4
SENTENCE_SEEDS = 10
SEED_POWER = 4.0
ENTITY_SHARE = 0.5
CANDIDATES = 4000
"""Number of sentences, those with most mass of the walk, that are scored in full; 12,000 tokens hold 500."""
SHOWN_SEEDS = 12


@dataclass(frozen=True, slots=True)
class Weights:
    """Weight of each part of the score; the weight of the walk is 1 by definition."""

    walk: float = 1.0
    """log π of the sentence, scaled to 0–1 over all sentences"""
    sentence: float = 0.57
    """cosine of the sentence with the question"""
    chunk: float = 0.29
    """cosine of its chunk"""
    words: float = 0.32
    """share of the question's words, by rarity, that stand in the sentence"""
    date_or_number: float = 0.23
    """1 where a date or number is asked for and the sentence has one"""
    names: float = 0.26
    """names in the sentence, 3 or more counting as 1, where a name is asked for"""
    bridge: float = 0.89
    """how well it continues one of the best sentences"""


class NodeRag:
    """Default retriever: seeds, walk, ranking."""

    name = "noderag"
    layers = (Layer.TEXT, Layer.GRAPH, Layer.VECTORS)
    draws_on = ("decompose",)

    def __init__(self, search_context: SearchContext, weights: Weights = Weights()) -> None:
        self._search_context = search_context
        self._weights = weights

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        started = time.perf_counter()
        arrays = self._search_context.graph_arrays()
        if not len(arrays.sentences):
            return Retrieval(self.name, question, budget_tokens, "", 0, (), (), (), 0.0)
        vector = self._search_context.encode(question)
        parts, seeds = self.parts(question, vector)
        scores = total(parts, self._weights)
        rows = top_rows(scores, CANDIDATES)

        def shorten(pieces: list[Piece], of_rows: NDArray[np.int64]) -> list[Piece]:
            return shortened(pieces, of_rows, vector, self._search_context.store, arrays, budget_tokens)

        found = Found(rows, scores[rows], lambda row: self._reasons(parts, row), seeds, shorten)
        return retrieval(self.name, question, budget_tokens, self._search_context, found, started)

    def parts(self, question: str, vector: NDArray[np.float32]) -> tuple[Parts, tuple[tuple[str, float], ...]]:
        """Returns every part of the score, (n,) each, under its name in `Weights`, and the seeds with most weight by name.

        Sentences that are no candidates, or lie outside the scope, have −inf as their walk. The walk itself
        goes through all notes: two notes inside may be connected by one outside.

        Args:
            vector: (dim,) of the question.
        """
        arrays = self._search_context.graph_arrays()
        inside = self._search_context.inside
        asked = entity_seeds(question, self._search_context.store, arrays)
        if inside is not None:
            asked = {row: weight for row, weight in asked.items() if inside.entities[row]}
        start = start_vector(self._nearest(vector), asked, ENTITY_SHARE, arrays)
        n = len(arrays.sentences)
        mass = shallow_pagerank(arrays.walk, start, TELEPORT, STEPS)[:n]
        parts = {"walk": _walk_part(mass, mass if inside is None else np.where(inside.sentences, mass, -np.inf))}
        candidates = np.flatnonzero(np.isfinite(parts["walk"]))
        parts |= self._vector_parts(vector, candidates)
        parts["words"] = _word_overlap(question, self._search_context.store, arrays)
        parts |= _answer_parts(question, arrays)
        first_pass = total(parts, self._weights)
        parts["bridge"] = bridges(first_pass, asked, arrays)
        return parts, self._shown_seeds(start)

    def _nearest(self, vector: NDArray[np.float32]) -> dict[int, float]:
        sentences, inside = self._search_context.graph_arrays().sentences, self._search_context.inside
        index = self._search_context.vector_index(NodeType.SENTENCE)
        if inside is not None:
            near, scores = nearest_inside(index, sentences[inside.sentences], vector, SENTENCE_SEEDS)
            return sentence_seeds(scores, np.searchsorted(sentences, near), SEED_POWER)
        ids, cosines = index.search(vector[None], SENTENCE_SEEDS)
        found = ids[0] >= 0
        rows = np.searchsorted(sentences, ids[0][found])
        return sentence_seeds(cosines[0][found], rows, SEED_POWER)

    def _vector_parts(self, vector: NDArray[np.float32], rows: NDArray[np.int64]) -> Parts:
        arrays = self._search_context.graph_arrays()
        sentence = np.zeros(len(arrays.sentences), dtype=np.float32)
        sentence[rows] = arrays.sentence_vectors[rows].astype(np.float32) @ vector
        chunk = np.asarray(arrays.chunk_vectors @ vector)[arrays.chunk_of]
        return {"sentence": sentence, "chunk": chunk}

    def _reasons(self, parts: Parts, row: int) -> tuple[tuple[str, float], ...]:
        return tuple((part, float(getattr(self._weights, part) * values[row])) for part, values in parts.items())

    def _shown_seeds(self, start: NDArray[np.float32]) -> tuple[tuple[str, float], ...]:
        arrays = self._search_context.graph_arrays()
        nodes = np.concatenate([arrays.sentences, arrays.entities])
        mass = start[: len(nodes)]
        rows = [row for row in np.lexsort((nodes, -mass))[:SHOWN_SEEDS] if mass[row] > 0]
        names = GraphRows(self._search_context.store).names([int(nodes[row]) for row in rows])
        return tuple((name, float(mass[row])) for name, row in zip(names, rows, strict=True))


def total(parts: Parts, weights: Weights) -> NDArray[np.float32]:
    """Returns the weighted sum of the parts, (n,); −inf for sentences that are no candidates."""
    return np.asarray(sum(np.float32(getattr(weights, part)) * values for part, values in parts.items()), np.float32)


def _walk_part(mass: NDArray[np.float32], allowed: NDArray[np.float32]) -> NDArray[np.float32]:
    """log π scaled to 0–1, −inf for all but the CANDIDATES with most mass.

    Args:
        mass: (n,) π.
        allowed: (n,) the same, −inf for what may be no candidate.
    """
    logs = np.log(mass + np.float32(1e-12))
    low, high = float(logs.min()), float(logs.max())
    scaled = (logs - low) / max(high - low, 1e-6)
    part = np.full(len(mass), -np.inf, dtype=np.float32)
    candidates = top_rows(allowed, CANDIDATES)
    part[candidates] = scaled[candidates]
    return part


def _word_overlap(question: str, store: Store, arrays: GraphArrays) -> NDArray[np.float32]:
    """Share of the question's keywords, weighed by rarity, that stand in each sentence.

    The same share for whole documents, as a part of its own, gets no weight in the fit beside this one and the cosines.

    Returns:
        (n,) float32 from 0 to 1; zeros where the notes have none of its words.
    """
    found = GraphRows(store).find(NodeType.KEYWORD, keywords(question))
    columns = np.searchsorted(arrays.keywords, sorted(found.values()))
    weights = np.zeros(len(arrays.keywords), dtype=np.float32)
    weights[columns] = arrays.rarity[columns]
    whole = np.float32(max(float(weights.sum()), 1e-6))
    return np.asarray(arrays.keyword_edges @ weights, dtype=np.float32) / whole


def _answer_parts(question: str, arrays: GraphArrays) -> Parts:
    kind = answer_kind(question)
    none = np.zeros(len(arrays.sentences), dtype=np.float32)
    by_kind = {AnswerKind.DATE: arrays.has_date, AnswerKind.NUMBER: arrays.has_number}
    return {
        "date_or_number": by_kind.get(kind, none),
        "names": arrays.name_share if kind is AnswerKind.NAME else none,
    }
