"""The default retrieval method, with what it was built from and measured by.

Paper        NodeRAG, section 2.4: dual search, shallow personalised PageRank, selection. Late chunking (Günther et al.
             2024) for the vectors it searches, bridges for second hops.
Needs        text, graph, vectors. No language model; as far as one has read the notes, its entities are among the
             mentions and its statements stand for the sentences in the last quarter of the budget.
Deviations   - Seeds by name weigh one over the number of sentences with the entity; seeds by vector the fourth power
               of their cosine. The paper weighs all alike.
             - t = 4 steps instead of 2.
             - The walk is one signal of many. Two rankers score the sentences that it or the question's words lead to
               (`rankers`): one for questions that are answered where their own words stand, one for questions whose
               answer is found only through something else. The question tells how far to trust each.
             - Where the embedding model cannot read the question, the walk starts from the sentences with most of its words.
             - The question that a turn of a conversation answers comes with it.
Fitted       By scripts/bench/fit_rankers.py: the likelihood of the sentences that hold the answer, on English questions
             about paragraphs of an encyclopedia that take several steps (MuSiQue, 249 and 100 questions) and a single one
             (XQuAD, 150), about conversations (LoCoMo, 762) and about a simulated year of notes (163). Only the weights of
             `sentence_alone` and `chunk_alone` were fitted on another language as well: German and Spanish questions about
             English paragraphs (XQuAD, 150 each, multilingual-e5-small). The weights of `FIRST_PASS` are older, and were
             fitted on MuSiQue alone.
Measured     The manual's page on benchmarks has the coverage and recall on each of these, on languages that were not used,
             and what leaving one out costs.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import date
from functools import partial

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import Layer, NodeType
from noderag_local.domain.passages import Retrieval
from noderag_local.graph.algorithms.pagerank import shallow_pagerank
from noderag_local.graph.algorithms.rows import top_rows
from noderag_local.retrieval.default.asked_turns import with_asked_turns
from noderag_local.retrieval.default.bridges import bridges
from noderag_local.retrieval.default.compounds import parts
from noderag_local.retrieval.default.named_documents import WEIGHT
from noderag_local.retrieval.default.nonsense import is_near_in_meaning
from noderag_local.retrieval.default.question_words import AnswerKind, answer_kind, relations
from noderag_local.retrieval.default.rankers import FITTED, PART_NAMES, Parts, QuestionSigns, Rankers, ranked
from noderag_local.retrieval.default.seeds import entity_seeds, sentence_seeds, start_vector
from noderag_local.retrieval.default.spelling import meant, vocabulary
from noderag_local.retrieval.default.word_signals import WordSignals, word_signals
from noderag_local.retrieval.nearest_inside import nearest_inside
from noderag_local.retrieval.packing.packing_budget import Piece
from noderag_local.retrieval.packing.results import Found, retrieval
from noderag_local.retrieval.packing.stated_sentences import shortened
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.retrieval.search_arrays import SearchArrays
from noderag_local.storage.graph.graph_rows import GraphRows

TELEPORT = 0.5
"""Teleport probability α: share of the mass that returns to the seeds in each step."""
STEPS = 4
SENTENCE_SEEDS = 10
SEED_POWER = 4.0
ENTITY_SHARE = 0.5
BY_WALK, BY_WORDS = 3000, 1000
"""Number of sentences with most mass of the walk, and with most words of the question, that are scored in full; 12,000 tokens
hold 500."""
FIRST_PASS = {
    "walk": 1.0,
    "sentence": 0.57,
    "chunk": 0.29,
    "words": 0.32,
    "date_or_number": 0.23,
    "names": 0.26,
}
"""Weights of the sum that says which sentences bridges start from."""
WORDS_FADE = 4
"""Power of the share of the question's words that the best chunk lacks: half of them missing counts for next to nothing."""
SHOWN_SEEDS = 12


@dataclass(frozen=True, slots=True)
class Signals:
    """What the rankers score the sentences of a vault by, for one question."""

    parts: Parts
    candidates: NDArray[np.int64]
    """(m,) rows of the sentences that are scored, ascending."""
    signs: QuestionSigns
    named: NDArray[np.float32]
    """(n,) how well a question that is nothing but a name names the document of each sentence, from 0 to 1."""
    seeds: tuple[tuple[str, float], ...]
    """What the walk starts from, by name, with its weight; heaviest first."""
    is_near: bool
    """As `Retrieval.is_near`."""


class NodeRag:
    """Default retriever: seeds, walk, ranking."""

    name = "noderag"
    layers = (Layer.TEXT, Layer.GRAPH, Layer.VECTORS)
    stages_used = ("decompose",)
    is_whole = False

    def __init__(self, search_context: SearchContext, rankers: Rankers = FITTED) -> None:
        self._search_context = search_context
        self._rankers = rankers

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """Ranks the sentences by both rankers and packs the best into the context."""
        started = time.perf_counter()
        arrays = self._search_context.search_arrays()
        inside = self._search_context.inside
        if not arrays.is_there.any() or (inside is not None and not inside.sentences.any()):
            return Retrieval(self.name, question, budget_tokens, "", 0, (), (), (), 0.0)
        vector = self._search_context.encode(question)
        signals = self.signals(question, vector)
        favour = WEIGHT * signals.named[signals.candidates]
        made = ranked(signals.parts, signals.candidates, signals.signs, favour, self._rankers)
        scores = with_asked_turns(made.scores, signals.candidates, arrays, self._search_context.store)
        order = top_rows(scores, len(scores))
        rows = signals.candidates[order]
        place = dict(zip(rows.tolist(), order.tolist(), strict=True))

        def shorten(pieces: list[Piece], of_rows: NDArray[np.int64]) -> list[Piece]:
            return shortened(pieces, of_rows, vector, self._search_context.store, arrays, budget_tokens)

        def reasons(row: int) -> tuple[tuple[str, float], ...]:
            at = place[row]
            brought = made.weights[at] * [signals.parts[name][row] for name in PART_NAMES]
            shares = scores[at] * brought / float(brought.sum() or 1)
            return tuple(zip(PART_NAMES, shares.tolist(), strict=True))

        found = Found(rows, scores[order], reasons, signals.seeds, shorten)
        made_of = retrieval(self.name, question, budget_tokens, self._search_context, found, started)
        return replace(made_of, is_near=signals.is_near)

    def signals(self, question: str, vector: NDArray[np.float32]) -> Signals:
        """Returns all that the rankers need to know of a question.

        The walk goes through all notes, also where the search keeps to a scope: two notes inside may be connected by one
        outside.

        Args:
            question: the question, as the person typed it.
            vector: (dim,) of the question.
        """
        arrays, inside = self._search_context.search_arrays(), self._search_context.inside
        asked = entity_seeds(question, self._search_context.store, arrays)
        if inside is not None:
            asked = {row: weight for row, weight in asked.items() if inside.entities[row]}
        words = word_signals(question, self._search_context.store, arrays, date.today(), partial(self._meant, question))
        can_read = self._search_context.can_read(question)
        start = start_vector(
            self._nearest(vector) if can_read else self._with_words(words), asked, ENTITY_SHARE, arrays
        )
        mass = shallow_pagerank(arrays.spread, start, TELEPORT, STEPS)[: len(arrays.sentences)]
        parts = {
            "walk": _scaled_log(mass),
            "words": words.sentence,
            "words_near": words.near,
            "words_in_chunk": words.chunk,
            "words_in_document": words.document,
            "bm25": words.bm25,
            "title": words.title,
            **_answer_parts(question, arrays),
        }
        around = words.sentence + words.near + words.chunk + words.document
        allowed = arrays.is_there if inside is None else inside.sentences & arrays.is_there
        candidates = _candidates(mass, around, words.named, allowed)
        missing = (1 - words.chunk.max()) ** WORDS_FADE if self._search_context.knows_language(question) else 0
        parts |= self._vector_parts(vector, candidates, np.float32(missing), can_read)
        parts["bridge"] = bridges(_first_pass(parts, candidates), asked, arrays)
        signs = _signs(question, words, parts, len(asked))
        is_near = bool(words.words or asked) or is_near_in_meaning(words.unknown, float(parts["sentence"].max()))
        return Signals(parts, candidates, signs, words.named, self._shown_seeds(start), is_near)

    def _meant(self, question: str, word: str) -> tuple[frozenset[str], ...]:
        """Returns the stems of the words that stand in the notes for a word which they lack: its parts, or how it is spelt."""
        words = self._search_context.layer(vocabulary)
        spelt = meant(word, words)
        return parts(word, question, words) or ((spelt,) if spelt else ())

    def _nearest(self, vector: NDArray[np.float32]) -> dict[int, float]:
        sentences, inside = self._search_context.search_arrays().sentences, self._search_context.inside
        index = self._search_context.vector_index(NodeType.SENTENCE)
        if inside is not None:
            near, scores = nearest_inside(index, sentences[inside.sentences], vector, SENTENCE_SEEDS)
            return sentence_seeds(scores, np.searchsorted(sentences, near), SEED_POWER)
        ids, cosines = index.search(vector[None], SENTENCE_SEEDS)
        found = ids[0] >= 0
        rows = np.searchsorted(sentences, ids[0][found])
        return sentence_seeds(cosines[0][found], rows, SEED_POWER)

    def _with_words(self, words: WordSignals) -> dict[int, float]:
        """Returns the rows of the sentences with most of the question's words in and near them, each with its share."""
        inside = self._search_context.inside
        shares = words.near if inside is None else words.near * inside.sentences
        rows = top_rows(shares, SENTENCE_SEEDS)
        return {int(row): float(shares[row]) ** SEED_POWER for row in rows if shares[row] > 0}

    def _vector_parts(
        self, vector: NDArray[np.float32], rows: NDArray[np.int64], missing: np.float32, can_read: bool
    ) -> Parts:
        """Returns the parts of the candidates that are made of cosines; zeros where the embedding model cannot read the question.

        Args:
            vector: (dim,) of the question.
            rows: (m,) of the candidates.
            missing: how far the notes lack the question's words, from 0 to 1; 0 where the embedding model was not made for the
                question's language, as its vectors cannot stand for words then.
            can_read: whether the embedding model knows the script of the question.
        """
        arrays = self._search_context.search_arrays()
        sentence = np.zeros(len(arrays.sentences), dtype=np.float32)
        chunk = sentence
        if can_read:
            usual = np.float32(arrays.sentence_index.usual_cosine)
            sentence[rows] = arrays.sentence_index.of(arrays.sentences[rows]).astype(np.float32) @ vector
            sentence = (sentence - usual) / (1 - usual)
            chunk = np.zeros_like(sentence)
            held, of_chunks = np.unique(arrays.chunk_of[rows], return_inverse=True)
            near = arrays.chunk_index.of(arrays.chunks[held]).astype(np.float32) @ vector
            chunk[rows] = (near[of_chunks] - usual) / (1 - usual)
        return {
            "sentence": sentence,
            "chunk": chunk,
            "sentence_alone": sentence * missing,
            "chunk_alone": chunk * missing,
        }

    def _shown_seeds(self, start: NDArray[np.float32]) -> tuple[tuple[str, float], ...]:
        arrays = self._search_context.search_arrays()
        nodes = np.concatenate([arrays.sentences, arrays.entities])
        mass = start[: len(nodes)]
        rows = [row for row in np.lexsort((nodes, -mass))[:SHOWN_SEEDS] if mass[row] > 0]
        names = GraphRows(self._search_context.store).names([int(nodes[row]) for row in rows])
        return tuple((name, float(mass[row])) for name, row in zip(names, rows, strict=True))


def _scaled_log(mass: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n,) log π, scaled to 0–1."""
    logs = np.log(mass + np.float32(1e-12))
    low, high = float(logs.min()), float(logs.max())
    return np.asarray((logs - low) / max(high - low, 1e-6), np.float32)


def _candidates(
    mass: NDArray[np.float32], words: NDArray[np.float32], named: NDArray[np.float32], allowed: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Returns (m,) rows of the allowed sentences that the walk, the words or the name of a document lead to, ascending."""
    found = [
        top_rows(np.where(allowed, scores, np.float32(-np.inf)), most)
        for scores, most in ((mass, BY_WALK), (words, BY_WORDS))
    ]
    found.append(np.flatnonzero(named))
    rows = np.unique(np.concatenate(found))
    return rows[allowed[rows]]


def _first_pass(parts: Parts, candidates: NDArray[np.int64]) -> NDArray[np.float32]:
    """(n,) score that bridges start from; −inf for what is no candidate."""
    sums = sum(weight * parts[name][candidates] for name, weight in FIRST_PASS.items())
    scores = np.full(len(parts["walk"]), -np.inf, np.float32)
    scores[candidates] = sums
    return scores


def _signs(question: str, words: WordSignals, parts: Parts, entities: int) -> QuestionSigns:
    def best(values: NDArray[np.float32]) -> float:
        return 2 * float(values.max()) - 1

    return QuestionSigns(
        best(words.chunk),
        best(words.near),
        best(words.sentence),
        best(parts["sentence"]),
        min(entities, 6) / 3 - 1,
        min(words.words, 12) / 6 - 1,
        min(relations(question), 4) / 2 - 1,
    )


def _answer_parts(question: str, arrays: SearchArrays) -> Parts:
    kind = answer_kind(question)
    none = np.zeros(len(arrays.sentences), dtype=np.float32)
    by_kind = {AnswerKind.DATE: arrays.has_date, AnswerKind.NUMBER: arrays.has_number}
    return {
        "date_or_number": by_kind.get(kind, none),
        "names": arrays.name_share if kind is AnswerKind.NAME else none,
    }
