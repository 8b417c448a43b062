"""Chooses the next token: the likeliest one or a seeded random draw, among those that the constraint allows.

The likeliest token is tried first and is almost always allowed, so a constraint usually costs one check per token. Other
tokens are tried only when it is refused, and then only those with an allowed first byte.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from noderag_local.models.llm.engine import Constraint
from noderag_local.models.llm.llamacpp.tokenizer import Vocabulary

Scores: TypeAlias = npt.NDArray[np.float32]
"""(tokens of the vocabulary,) float32 logits of the model; a view of llama.cpp's memory, valid until it computes again."""

NUCLEUS = 0.95
"""Draws are from the likeliest tokens that together have this probability."""
NUCLEUS_DEPTH = 12.0
"""Tokens with logits this far below the best are excluded; they have e^-12 of its probability."""

LIKELY_FIRST = sorted(range(256), key=lambda byte: (not chr(byte).isspace(), not chr(byte).isalnum()))
"""All bytes, starting with those that most texts allow."""

FIRST_SLICE = 64
"""Number of tokens sorted first when the likeliest is refused; each further step sorts four times as many."""


def choose(scores: Scores, vocabulary: Vocabulary, constraint: Constraint | None) -> int | None:
    """Returns the allowed token with the highest score; None if the constraint allows none, not even the end."""
    best = int(scores.argmax())
    if constraint is None or _allowed(best, vocabulary, constraint):
        return best
    possible = vocabulary.first_bytes_among(first_bytes(constraint))
    if constraint.may_end():
        possible[list(vocabulary.end_tokens)] = True
    masked = np.where(possible, scores, np.float32(-np.inf))
    best = int(masked.argmax())
    if possible[best] and _allowed(best, vocabulary, constraint):
        return best
    return next((token for token in _ranked(masked) if _allowed(token, vocabulary, constraint)), None)


def log_probabilities(scores: Scores) -> npt.NDArray[np.float64]:
    """Returns the logarithm of each token's probability, (tokens of the vocabulary,) float64."""
    shifted = scores.astype(np.float64) - float(scores.max())
    return np.asarray(shifted - np.log(np.exp(shifted).sum()), dtype=np.float64)


def log_probability(scores: Scores, token: int) -> float:
    """Returns the logarithm of one token's probability; faster than those of all."""
    most = float(scores.max())
    return float(scores[token]) - most - math.log(float(np.exp(scores - most).sum(dtype=np.float64)))


def first_bytes(constraint: Constraint) -> list[int]:
    """Returns the bytes that the text may continue with."""
    return [byte for byte in range(256) if constraint.allows(bytes((byte,)))]


def must_end(constraint: Constraint) -> bool:
    """Returns whether the text may end here and cannot continue."""
    return constraint.may_end() and not any(constraint.allows(bytes((byte,))) for byte in LIKELY_FIRST)


def drawn(scores: Scores, temperature: float, seed: int, position: int) -> Scores:
    """Returns scores ordered like a seeded draw without replacement: the highest score was drawn first, and so on.

    This is done by Gumbel noise on the logits of the nucleus (Kool et al. 2019, section 2); all other tokens follow in the
    model's order.
    """
    near = np.flatnonzero(scores >= scores.max() - NUCLEUS_DEPTH)
    near = near[np.argsort(-scores[near], kind="stable")]
    weights = np.exp(scores[near] - scores[near[0]], dtype=np.float64)
    before = np.cumsum(weights) - weights
    near = near[before < NUCLEUS * weights.sum()]
    noise = np.random.default_rng((seed, position)).gumbel(size=len(near))
    perturbed = scores.copy()
    order = scores[near] / temperature + noise
    perturbed[near] = scores.max() + 1 + (order - order.min())
    return perturbed


def _allowed(token: int, vocabulary: Vocabulary, constraint: Constraint) -> bool:
    if token in vocabulary.end_tokens:
        return constraint.may_end()
    piece = vocabulary.piece(token)
    return bool(piece) and constraint.allows(piece)


def _ranked(scores: Scores) -> Iterator[int]:
    """Yields tokens by descending score, without those at minus infinity; ties are ordered by token number."""
    left = np.flatnonzero(scores > -np.inf)
    size = FIRST_SLICE
    while len(left):
        cut = np.argpartition(-scores[left], size - 1) if len(left) > size else np.arange(len(left))
        now, later = np.sort(left[cut[:size]]), left[cut[size:]]
        yield from now[np.argsort(-scores[now], kind="stable")].tolist()
        left, size = later, size * 4
