"""Rankers of sentences, one for each kind of question, and how far to trust each of them with a question.

Some questions are answered where their own words stand ("When did Anna buy the tent?"): words decide, and what stands around
them. Others name one thing and ask for another that is found only through it ("Who is married to the singer of Think of
Laura?"): the walk and the bridges decide, and too much trust in words fills the context with the first half of the answer.
No fixed sum of signals serves both. Each ranker is a sum that was fitted for its kind; what a question shows of itself
tells how likely it is of each kind; a sentence's score is the probability, over all rankers, that the answer stands there
(a mixture of experts, Jacobs et al. 1991). The rankers come of two fits, one of them to more kinds of notes. Their mistakes differ, so
that both together should carry over better to notes that neither has seen (Breiman 1996); the manual has what was measured. A signal that carries nothing here, such as vectors in a language that the
embedding model does not know, is nearly the same for every sentence, and moves none of them. Where words carry nothing, as
in a question in another language than the notes, vectors count the more.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Parts = dict[str, Floats]
"""Name of a field of `Weights` → (m,) its value for every candidate."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Weight of each signal in a ranker's sum."""

    walk: float
    """log π of the sentence, scaled to 0–1 over all sentences"""
    sentence: float
    """cosine of the sentence with the question, above what any two sentences here have (`GraphArrays.usual_cosine`)"""
    chunk: float
    """cosine of its chunk, likewise"""
    sentence_alone: float
    """cosine of the sentence, times how far the notes lack the question's words"""
    chunk_alone: float
    """cosine of its chunk, times the same"""
    words: float
    """share of the question's words, by rarity, that stand in the sentence"""
    words_near: float
    """… in it or the sentences beside it"""
    words_in_chunk: float
    """… in its chunk"""
    words_in_document: float
    """… in its document"""
    bm25: float
    """BM25 of its chunk as a part of the best chunk's"""
    title: float
    """share of the question's words in the title or the headings above it"""
    date_or_number: float
    """1 where a date or number is asked for and the sentence has one"""
    names: float
    """names in the sentence, 3 or more counting as 1, where a name is asked for"""
    bridge: float
    """how well it continues one of the best sentences"""


@dataclass(frozen=True, slots=True)
class QuestionSigns:
    """What a question and these notes show about the kind of the question; each about −1 to 1."""

    best_chunk: float
    """largest share of the question's words in one chunk"""
    best_near: float
    """… in one sentence and those beside it"""
    best_sentence: float
    """… in one sentence"""
    best_cosine: float
    """of any sentence with the question"""
    entities: float
    """number of entities that the question names"""
    words: float
    """number of content words"""
    relations: float
    """number of words that tell of one thing by another"""


@dataclass(frozen=True, slots=True)
class Ranker:
    """A sum of signals for one kind of question, and what tells that a question is of this kind."""

    name: str
    """Short name of the kind."""
    weights: Weights
    bias: float
    signs: QuestionSigns
    """How far to trust the ranker: in proportion to exp(`bias` plus the sum of the question's signs, each times this)."""


Rankers = tuple[Ranker, ...]
PART_NAMES = tuple(field.name for field in fields(Weights))
FITTED: Rankers = (
    Ranker(
        "hop",
        Weights(7.6, 3.2, 2.5, 1.5, 1.0, 4.5, 0.4, 1.0, 1.1, -2.8, -2.3, 2.2, 1.4, 7.3),
        -1.6,
        QuestionSigns(0, 0, 0, 0, 0, 0, 0),
    ),
    Ranker(
        "direct",
        Weights(1.8, 1.5, 4.9, 7.8, 5.0, 3.6, 3.1, 1.4, 5.9, -0.1, 1.8, 0.6, -0.4, 0.6),
        -2.4,
        QuestionSigns(0.7, 0.7, -0.8, -2.6, 0.2, 0.2, -2.0),
    ),
    Ranker(
        "bridge",
        Weights(9.2, 3.3, 2.0, -1.4, -0.6, 3.9, 0.1, 1.8, 2.5, -3.0, -2.3, 2.2, 1.3, 8.0),
        -0.9,
        QuestionSigns(-0.8, -0.8, 1.5, 2.3, -0.3, -0.8, 1.5),
    ),
    Ranker(
        "meaning",
        Weights(1.8, 11.7, 1.0, 10.3, 2.6, 6.8, 4.3, 7.1, 0.2, -2.2, 3.1, 1.3, 0.7, 1.6),
        -2.4,
        QuestionSigns(-0.3, -0.6, -1.3, -1.9, -0.6, 0.8, -0.9),
    ),
    Ranker(
        "title",
        Weights(0.6, 2.0, 4.0, 0.2, 0.8, 3.2, 2.4, 2.0, 2.3, 0.9, 5.6, 1.0, -0.4, 0.6),
        -3.5,
        QuestionSigns(1.2, 1.5, -0.2, -0.4, 0.9, 0.0, -0.6),
    ),
)
"""Two for answers through something else (`hop`, `bridge`), three for those where the question's words stand, its meaning, or its
title. `default_method` says on what they were fitted."""


@dataclass(frozen=True, slots=True)
class ScoredCandidates:
    """Candidates with their probabilities; m candidates."""

    scores: Floats
    """(m,) probability of each sentence to hold the answer; they add up to 1."""
    weights: Floats
    """(m, parts) mean of the rankers' weights, as far as each has brought the sentence up."""


def ranked(parts: Parts, signs: QuestionSigns, favour: Floats, rankers: Rankers = FITTED) -> ScoredCandidates:
    """Scores the candidates by all rankers.

    Args:
        parts: of the m candidates.
        signs: what the question itself shows; decides between the rankers.
        favour: (m,) what is added to the logarithm of each candidate's probability, whatever the rankers say.
        rankers: at least one.
    """
    values = np.stack([parts[name] for name in PART_NAMES], axis=1)
    weights = np.array([astuple(ranker.weights) for ranker in rankers], np.float32)
    trust = np.array([ranker.bias + np.dot(astuple(ranker.signs), astuple(signs)) for ranker in rankers], np.float32)
    logs = _log_softmax(values @ weights.T + favour[:, None]) + _log_softmax(trust[:, None])[:, 0]
    sums = np.logaddexp.reduce(logs, axis=1)
    return ScoredCandidates(np.exp(sums), np.exp(logs - sums[:, None]) @ weights)


def _log_softmax(sums: Floats) -> Floats:
    """Returns the logarithm of each column's softmax, in the same shape."""
    lowered = sums - sums.max(axis=0)
    return np.asarray(lowered - np.log(np.exp(lowered).sum(axis=0)), np.float32)
