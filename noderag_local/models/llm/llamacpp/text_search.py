"""Finds the likeliest of many given texts as the whole answer to a prompt, by a best-first search over their tokens.

A text's probability is the product over its tokens and the end. A part of a text is never less likely than the whole, so the
first text that comes out of the queue is the likeliest, and so on.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from noderag_local.models.llm.llamacpp.tokenizer import Vocabulary

TOKENS_TRIED = 40
"""Number of the likeliest tokens that may continue a text; less likely ones hardly ever lead to one of the best texts."""
SURE = -0.1
"""Logarithm of a token's probability from which on the model is sure of it. A long number that it copies takes a step a digit."""
MOST_SURE = 2
"""Maximum number of all steps, as a multiple of those that count."""


class _Open(NamedTuple):
    """The beginning of a text, or a whole text, in the queue."""

    cost: float
    """Negative logarithm of its probability."""
    order: int
    """Decides between equal costs: the earlier one goes first."""
    written: bytes
    tokens: tuple[int, ...]
    is_whole: bool
    is_sure: bool = False
    """Whether the model was sure of the last token."""


def likeliest(
    texts: Sequence[str],
    most: int,
    most_steps: int,
    vocabulary: Vocabulary,
    scores_after: Callable[[tuple[int, ...]], npt.NDArray[np.float64]],
) -> dict[str, float]:
    """Returns the likeliest texts with the logarithms of their probabilities, best first.

    Args:
        texts: the texts; duplicates count once.
        most: maximum number of texts to return.
        most_steps: maximum number of calls of `scores_after` that count. Those behind a token of which the model was sure do not,
            but there are at most `MOST_SURE` times as many in all. After that, only whole texts that were reached come out.
        vocabulary: vocabulary of the model.
        scores_after: returns the logarithm of each next token's probability, (size,) float64, after some tokens of the answer.
    """
    wanted = sorted({text.encode() for text in texts})
    orders = count()
    queue = [_Open(0.0, next(orders), b"", (), is_whole=False)]
    found: dict[str, float] = {}
    steps = counted = 0
    while queue and len(found) < most:
        best = heapq.heappop(queue)
        if best.is_whole:
            # The same text in other tokens comes later.
            found.setdefault(best.written.decode(), -best.cost)
            continue
        if steps == MOST_SURE * most_steps or (counted == most_steps and not best.is_sure):
            continue
        steps += 1
        counted += not best.is_sure
        scores = scores_after(best.tokens)
        if best.written and _begins(wanted, best.written) == best.written:
            ends = float(np.logaddexp.reduce([scores[token] for token in sorted(vocabulary.end_tokens)]))
            heapq.heappush(queue, best._replace(cost=best.cost - ends, order=next(orders), is_whole=True))
        for token in np.argpartition(-scores, TOKENS_TRIED)[:TOKENS_TRIED].tolist():
            piece = vocabulary.piece(token)
            if piece and token not in vocabulary.end_tokens and _begins(wanted, best.written + piece) is not None:
                score = float(scores[token])
                tokens, written = (*best.tokens, token), best.written + piece
                heapq.heappush(
                    queue,
                    _Open(best.cost - score, next(orders), written, tokens, is_whole=False, is_sure=score >= SURE),
                )
    return found


def _begins(wanted: Sequence[bytes], written: bytes) -> bytes | None:
    """Returns the first of the sorted texts that begins with some bytes; None if none does."""
    at = bisect_left(wanted, written)
    return wanted[at] if at < len(wanted) and wanted[at].startswith(written) else None
