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


class _Open(NamedTuple):
    """The beginning of a text, or a whole text, in the queue."""

    cost: float
    """Negative logarithm of its probability."""
    order: int
    """Decides between equal costs: the earlier one goes first."""
    written: bytes
    tokens: tuple[int, ...]
    is_whole: bool


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
        most_steps: maximum number of calls of `scores_after`; after that, only whole texts that were reached come out.
        vocabulary: vocabulary of the model.
        scores_after: returns the logarithm of each next token's probability, (size,) float64, after some tokens of the answer.
    """
    wanted = sorted({text.encode() for text in texts})
    orders = count()
    queue = [_Open(0.0, next(orders), b"", (), is_whole=False)]
    found: dict[str, float] = {}
    steps = 0
    while queue and len(found) < most:
        best = heapq.heappop(queue)
        if best.is_whole:
            # The same text in other tokens comes later.
            found.setdefault(best.written.decode(), -best.cost)
            continue
        if steps == most_steps:
            continue
        steps += 1
        scores = scores_after(best.tokens)
        if best.written and _begins(wanted, best.written) == best.written:
            ends = float(np.logaddexp.reduce([scores[token] for token in sorted(vocabulary.end_tokens)]))
            heapq.heappush(queue, best._replace(cost=best.cost - ends, order=next(orders), is_whole=True))
        for token in np.argpartition(-scores, TOKENS_TRIED)[:TOKENS_TRIED].tolist():
            piece = vocabulary.piece(token)
            if piece and token not in vocabulary.end_tokens and _begins(wanted, best.written + piece) is not None:
                cost = best.cost - float(scores[token])
                heapq.heappush(
                    queue, _Open(cost, next(orders), best.written + piece, (*best.tokens, token), is_whole=False)
                )
    return found


def _begins(wanted: Sequence[bytes], written: bytes) -> bytes | None:
    """Returns the first of the sorted texts that begins with some bytes; None if none does."""
    at = bisect_left(wanted, written)
    return wanted[at] if at < len(wanted) and wanted[at].startswith(written) else None
