"""The default retrieval method, with what it was built from and measured by.

Paper        NodeRAG, section 2.5: dual search, shallow personalised PageRank, selection. Late chunking (Günther et al.
             2024) for the vectors it searches, bridges for second hops.
Needs        text, graph, vectors. No language model; as far as one has read the notes, its entities are among the
             mentions and its statements stand for the sentences in the last quarter of the budget.
Deviations   - Only the MOST_NODES nodes that give most to each neighbour give mass, so that a large vault costs no more.
             - Seeds by name weigh one over the number of sentences with the entity; seeds by vector the fourth power
               of their cosine. The paper weighs all alike.
             - t = 4 steps instead of 2.
             - The walk is one signal of many. Five rankers score the sentences that it or the question's words lead to
               (`rankers`): some for questions that are answered where their own words stand, some for questions whose
               answer is found only through something else. The question tells how far to trust each.
             - Where the embedding model cannot read the question, the walk starts from the sentences with most of its words.
             - The question that a turn of a conversation answers comes with it.
Fitted       By scripts/bench/fit_rankers.py: the likelihood of the sentences that hold the answer.
             - `hop` and `direct`: to English questions about paragraphs of an encyclopedia that take several steps (MuSiQue,
               249 and 100 questions) and a single one (XQuAD, 150), about conversations (LoCoMo, 762) and about a simulated
               year of notes (163). Only the weights of `sentence_alone` and `chunk_alone` were fitted on another language
               as well: German and Spanish questions about English paragraphs (XQuAD, 150 each, multilingual-e5-small).
             - `bridge`, `meaning` and `title`: to the same, and to 784 questions about ten invented people in English,
               German and French (tests/data/lives).
             The weights of `FIRST_PASS` are older, and were fitted on MuSiQue alone.
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
from noderag_local.retrieval.closeness import inside_only
from noderag_local.retrieval.default.asked_turns import with_asked_turns
from noderag_local.retrieval.default.bridges import bridges
from noderag_local.retrieval.default.compounds import parts
from noderag_local.retrieval.default.named_documents import WEIGHT
from noderag_local.retrieval.default.nonsense import is_near_in_meaning
from noderag_local.retrieval.default.notes_language import notes_language
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
from noderag_local.storage.database.distinct import distinct
from noderag_local.storage.graph.graph_rows import GraphRows

TELEPORT = 0.5
"""Teleport probability α: share of the mass that returns to the seeds in each step."""
STEPS = 4
MOST_NODES = 1 << 13
"""Nodes that give mass in each step of the walk. Without this bound, 247 of MuSiQue's 249 contexts of 500 tokens are the same, 243 of 1,000
and 227 of 2,000, and no more of them hold the answer; among 100,000 documents the walk takes five times as long."""
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
    """(m,) rows of the sentences that are scored, ascending; `parts` are theirs."""
    signs: QuestionSigns
    named: NDArray[np.float32]
    """(m,) how well a question that is nothing but a name names the document of each of them, from 0 to 1."""
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
        """Ranks the sentences by all rankers and packs the best into the context."""
        started = time.perf_counter()
        arrays = self._search_context.search_arrays()
        inside = self._search_context.inside
        if not arrays.is_there.any() or (inside is not None and not inside.sentences.any()):
            return Retrieval(self.name, question, budget_tokens, "", 0, (), (), (), 0.0)
        vector = self._search_context.encode(question)
        signals = self.signals(question, vector)
        made = ranked(signals.parts, signals.signs, WEIGHT * signals.named, self._rankers)
        scores = with_asked_turns(made.scores, signals.candidates, arrays, self._search_context.store)
        order = top_rows(scores, len(scores))
        rows = signals.candidates[order]
        place = dict(zip(rows.tolist(), order.tolist(), strict=True))

        def shorten(pieces: list[Piece], of_rows: NDArray[np.int64]) -> list[Piece]:
            return shortened(pieces, of_rows, vector, self._search_context.store, arrays, budget_tokens)

        def reasons(row: int) -> tuple[tuple[str, float], ...]:
            at = place[row]
            brought = made.weights[at] * [signals.parts[name][at] for name in PART_NAMES]
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
        mass = shallow_pagerank(partial(arrays.spread, most=MOST_NODES), start, TELEPORT, STEPS)
        mass = mass[: len(arrays.sentences)]
        around = words.sentence + words.near + words.chunk.all + words.document.all
        allowed = arrays.is_there if inside is None else inside.sentences & arrays.is_there
        rows = _candidates(mass, around, words.named, allowed)
        parts = {
            "walk": _scaled_log(mass, rows),
            "words": words.sentence[rows],
            "words_near": words.near[rows],
            "words_in_chunk": words.chunk.at(rows),
            "words_in_document": words.document.at(rows),
            "bm25": words.bm25.at(rows),
            "title": words.title.at(rows),
            **_answer_parts(question, arrays, rows),
        }
        missing = np.float32(0)
        if self._search_context.knows_language(question):
            missing = np.float32((1 - np.float32(words.chunk.best)) ** WORDS_FADE)
        parts |= self._vector_parts(vector, rows, missing, can_read)
        parts["bridge"] = bridges(rows, _first_pass(parts), asked, arrays)
        nearest = self._best_cosine(parts["sentence"], can_read)
        signs = _signs(question, words, nearest, len(asked))
        is_near = bool(words.words or asked) or is_near_in_meaning(words.unknown, nearest)
        return Signals(parts, rows, signs, words.named[rows], self._shown_seeds(start), is_near)

    def _meant(self, question: str, word: str) -> tuple[frozenset[str], ...]:
        """Returns the stems of the words that stand in the notes for a word which they lack: its parts, or how it is spelt."""
        words = self._search_context.layer(vocabulary)
        spelt = meant(word, words)
        of_notes = partial(self._search_context.layer, notes_language)
        return parts(word, question, words, of_notes) or ((spelt,) if spelt else ())

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
        """Returns the parts of the candidates, (m,), that are made of cosines; zeros where the embedding model cannot read the question.

        Args:
            vector: (dim,) of the question.
            rows: (m,) of the candidates.
            missing: how far the notes lack the question's words, from 0 to 1; 0 where the embedding model was not made for the
                question's language, as its vectors cannot stand for words then.
            can_read: whether the embedding model knows the script of the question.
        """
        arrays = self._search_context.search_arrays()
        sentence = chunk = np.zeros(len(rows), np.float32)
        if can_read:
            sentence = self._above_usual(arrays.sentence_index.wide(arrays.sentences[rows]) @ vector)
            held, of_chunks = np.unique(arrays.chunk_of[rows], return_inverse=True)
            near = arrays.chunk_index.wide(arrays.chunks[held]) @ vector
            chunk = self._above_usual(near[of_chunks])
        return {
            "sentence": sentence,
            "chunk": chunk,
            "sentence_alone": sentence * missing,
            "chunk_alone": chunk * missing,
        }

    def _above_usual(self, cosines: NDArray[np.float32]) -> NDArray[np.float32]:
        """Returns the cosines above what any two sentences of the vault have, as a part of what they could be above it."""
        usual = np.float32(self._search_context.search_arrays().sentence_index.usual_cosine)
        return (cosines - usual) / (1 - usual)

    def _best_cosine(self, of_candidates: NDArray[np.float32], can_read: bool) -> float:
        """Returns the best of the candidates' parts; sentences that are none count as if they had a cosine of 0."""
        found = float(of_candidates.max())
        is_all = len(of_candidates) == len(self._search_context.search_arrays().sentences)
        return found if is_all or not can_read else max(found, float(self._above_usual(np.zeros(1, np.float32))[0]))

    def _shown_seeds(self, start: NDArray[np.float32]) -> tuple[tuple[str, float], ...]:
        arrays = self._search_context.search_arrays()
        n, e = len(arrays.sentences), len(arrays.entities)
        rows = np.flatnonzero(start[: n + e] > 0)
        nodes = np.concatenate([arrays.sentences[rows[rows < n]], arrays.entities[rows[rows >= n] - n]])
        best = np.lexsort((nodes, -start[rows]))[:SHOWN_SEEDS]
        names = GraphRows(self._search_context.store).names(nodes[best].tolist())
        return tuple(zip(names, start[rows[best]].tolist(), strict=True))


def _scaled_log(mass: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """Returns (m,) log π of some rows, scaled to 0–1 over all."""
    low, high = (float(np.log(bound + np.float32(1e-12))) for bound in (mass.min(), mass.max()))
    logs = np.log(mass[rows] + np.float32(1e-12))
    return np.asarray((logs - low) / max(high - low, 1e-6), np.float32)


def _candidates(
    mass: NDArray[np.float32], words: NDArray[np.float32], named: NDArray[np.float32], allowed: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Returns (m,) rows of the allowed sentences that the walk, the words or the name of a document lead to, ascending."""
    found = [top_rows(inside_only(scores, allowed), most) for scores, most in ((mass, BY_WALK), (words, BY_WORDS))]
    found.append(np.flatnonzero(named))
    rows = distinct(*found)
    return rows[allowed[rows]]


def _first_pass(parts: Parts) -> NDArray[np.float32]:
    """(m,) score of the candidates that bridges start from."""
    return np.asarray(sum(weight * parts[name] for name, weight in FIRST_PASS.items()), np.float32)


def _signs(question: str, words: WordSignals, best_cosine: float, entities: int) -> QuestionSigns:
    return QuestionSigns(
        2 * words.chunk.best - 1,
        2 * float(words.near.max()) - 1,
        2 * float(words.sentence.max()) - 1,
        2 * best_cosine - 1,
        min(entities, 6) / 3 - 1,
        min(words.words, 12) / 6 - 1,
        min(relations(question), 4) / 2 - 1,
    )


def _answer_parts(question: str, arrays: SearchArrays, rows: NDArray[np.int64]) -> Parts:
    kind = answer_kind(question)
    none = np.zeros(len(rows), np.float32)
    by_kind = {AnswerKind.DATE: arrays.has_date, AnswerKind.NUMBER: arrays.has_number}
    return {
        "date_or_number": by_kind[kind][rows] if kind in by_kind else none,
        "names": arrays.name_share[rows] if kind is AnswerKind.NAME else none,
    }
