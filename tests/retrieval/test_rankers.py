"""The rankers and their mixture."""

from __future__ import annotations

from dataclasses import astuple, replace

import numpy as np
import pytest

from noderag_local.retrieval.default.rankers import FITTED, PART_NAMES, QuestionSigns, ranked

NEUTRAL = QuestionSigns(0, 0, 0, 0, 0, 0, 0)
NONE = np.zeros(3, np.float32)
PARTS = {name: np.zeros(3, np.float32) for name in PART_NAMES} | {
    "words": np.array([1, 0, 0], np.float32),
    "words_in_document": np.array([1, 0, 0], np.float32),
    "bridge": np.array([0, 1, 0], np.float32),
    "walk": np.array([0, 1, 0], np.float32),
}


def test_scores_are_probabilities() -> None:
    made = ranked(PARTS, NEUTRAL, NONE)
    assert made.scores.sum() == pytest.approx(1, abs=1e-5)
    assert made.weights.shape == (3, len(PART_NAMES))


def test_relations_in_a_question_lead_to_bridges_and_their_lack_to_words() -> None:
    for relations, first in ((1.0, 1), (-1.0, 0)):
        signs = replace(NEUTRAL, relations=relations)
        assert int(np.argmax(ranked(PARTS, signs, NONE).scores)) == first


def test_a_signal_that_is_the_same_everywhere_moves_nothing() -> None:
    flat = PARTS | {"sentence": np.full(3, 0.7, np.float32), "chunk": np.full(3, 0.4, np.float32)}
    scores = ranked(PARTS, NEUTRAL, NONE).scores
    np.testing.assert_allclose(ranked(flat, NEUTRAL, NONE).scores, scores, rtol=1e-4)


def test_a_certain_question_gives_one_ranker_all() -> None:
    certain = (replace(FITTED[0], bias=99.0), *FITTED[1:])
    found = ranked(PARTS, NEUTRAL, NONE, certain)
    np.testing.assert_allclose(found.weights[0], astuple(FITTED[0].weights), rtol=1e-4)
    np.testing.assert_allclose(found.scores, ranked(PARTS, NEUTRAL, NONE, FITTED[:1]).scores, rtol=1e-4)


def test_what_is_added_to_a_probability_decides_between_equals() -> None:
    flat = {name: np.zeros(3, np.float32) for name in PART_NAMES}
    made = ranked(flat, NEUTRAL, np.array([0, 1, 0], np.float32))
    assert int(np.argmax(made.scores)) == 1
