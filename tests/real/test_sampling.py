"""Choosing tokens with a real vocabulary, against the slow way: all tokens by descending score, one after the other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from real.slow_constraints import Characters, Nothing, OneOf

from noderag_local.models.llm.llamacpp.llama_native import Model
from noderag_local.models.llm.llamacpp.sampling import choose, drawn
from noderag_local.models.llm.llamacpp.tokenizer import Vocabulary


@pytest.fixture(scope="module")
def vocabulary(model_file: Path) -> Vocabulary:
    return Vocabulary(Model(model_file, vocab_only=True))


def slow_choice(scores: np.ndarray, vocabulary: Vocabulary, constraint: Characters | OneOf) -> int | None:
    for token in np.argsort(-scores, kind="stable").tolist():
        if token in vocabulary.end_tokens:
            if constraint.may_end():
                return int(token)
        elif vocabulary.piece(token) and constraint.allows(vocabulary.piece(token)):
            return int(token)
    return None


def random_scores(vocabulary: Vocabulary, seed: int) -> np.ndarray:
    # Rounded, so that some are equal.
    return np.random.default_rng(seed).normal(size=vocabulary.size).astype(np.float32).round(2)


@settings(deadline=None, max_examples=15)
@given(
    seed=st.integers(0, 10**6),
    texts=st.lists(st.sampled_from(["yes", "no", "東京", "naïve", " yes", "0"]), min_size=1, unique=True),
)
def test_the_choice_is_the_best_allowed_token(vocabulary: Vocabulary, seed: int, texts: list[str]) -> None:
    scores = random_scores(vocabulary, seed)
    for constraint in (OneOf(*texts), Characters("[0-9]", 2), Characters("[a-z ]", 20), Nothing()):
        assert choose(scores, vocabulary, constraint) == slow_choice(scores, vocabulary, constraint)


def test_without_a_constraint_it_is_the_best(vocabulary: Vocabulary) -> None:
    scores = random_scores(vocabulary, 1)
    assert choose(scores, vocabulary, None) == int(scores.argmax())


def test_draws_follow_the_probabilities_and_can_be_repeated() -> None:
    scores = np.log(np.array([0.6, 0.3, 0.08, 0.01, 0.01], dtype=np.float32))
    draws = [int(drawn(scores, 1.0, 7, position).argmax()) for position in range(4000)]
    shares = np.bincount(draws, minlength=5) / len(draws)
    assert draws == [int(drawn(scores, 1.0, 7, position).argmax()) for position in range(4000)]
    np.testing.assert_allclose(shares[:3], np.array([0.6, 0.3, 0.08]) / 0.98, atol=0.03)
    assert shares[3:].sum() == 0
    cold = [int(drawn(scores, 0.05, 7, position).argmax()) for position in range(200)]
    assert cold == [0] * 200
