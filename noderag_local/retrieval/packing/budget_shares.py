"""Several kinds of evidence in one context, each with a share of the budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from noderag_local.retrieval.packing.packing_budget import Piece

Ranked = tuple[float, Sequence[Piece]]
"""A score and the pieces that it is for; the pieces stay together."""


def in_shares(
    kinds: Iterable[tuple[float, Iterable[Ranked]]], budget_tokens: int, *, fills_up: bool = True
) -> list[Piece]:
    """Returns pieces of all kinds in turn: first the best of each up to its share, then the rest for unused room.

    Args:
        kinds: (share of the budget, evidence best first).
        budget_tokens: most tokens of the context.
        fills_up: whether the room that one kind leaves goes to the rest of the others.
    """
    within: list[list[Sequence[Piece]]] = []
    beyond: list[list[Sequence[Piece]]] = []
    for share, ranked in kinds:
        left = share * budget_tokens
        own: list[Sequence[Piece]] = []
        rest: list[Sequence[Piece]] = []
        for _, pieces in ranked:
            left -= sum(piece.tokens for piece in pieces)
            (own if left >= 0 else rest).append(pieces)
        within.append(own)
        beyond.append(rest)
    return [
        piece
        for groups in ((within, beyond) if fills_up else (within,))
        for pieces in _round_robin(groups)
        for piece in pieces
    ]


def _round_robin(groups: Sequence[Sequence[Sequence[Piece]]]) -> Iterable[Sequence[Piece]]:
    for row in zip_longest(*groups, fillvalue=()):
        yield from row
