"""Turns what a method ranked into the retrieval that it returns; all methods pack in this way."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import NodeType
from noderag_local.domain.passages import Ranked, Retrieval
from noderag_local.retrieval.packing.lead_ins import UNKNOWN, SentenceShape, SentenceShapes
from noderag_local.retrieval.packing.packing_budget import Piece, pack
from noderag_local.retrieval.packing.sentence_pieces import sentence_pieces
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.storage.graph.graph_rows import GraphRows

SHOWN_SEEDS = 12
FEWEST_ROWS = 50
LOOKED_AT = 2.5
"""Tokens of the rows that are read, as a multiple of the budget: some are repeated, too long, or shortened."""


@dataclass(frozen=True, slots=True)
class Found:
    """Ranked sentences that a method found: rows of the graph arrays, best first."""

    rows: NDArray[np.int64]
    """(m,)"""
    scores: NDArray[np.float32]
    """(m,)"""
    reasons: Callable[[int], tuple[tuple[str, float], ...]]
    """Parts of a row's score."""
    seeds: tuple[tuple[str, float], ...] = ()
    shorten: Callable[[list[Piece], NDArray[np.int64]], list[Piece]] = lambda pieces, _: pieces
    """Puts shorter pieces in place of some of the rows'; they stay as many, in the same order."""


def retrieval(
    method: str, question: str, budget_tokens: int, search_context: SearchContext, found: Found, started: float
) -> Retrieval:
    """Packs the best rows into a retrieval.

    Args:
        method: name of the method.
        question: the question, as the person typed it.
        budget_tokens: most tokens of the context.
        search_context: arrays and rows of the vault that is searched.
        found: rows that were found, with their scores.
        started: `time.perf_counter()` when the question came in.
    """
    rows = worth_reading(found.rows, search_context, budget_tokens)
    pieces = found.shorten(sentence_pieces(search_context.store, search_context.sentence_arrays(), rows), rows)
    row_of = dict(zip(map(id, pieces), rows.tolist(), strict=True))
    score_of = dict(zip(rows.tolist(), found.scores.tolist(), strict=False))

    def told(piece: Piece) -> tuple[float, tuple[tuple[str, float], ...]]:
        row = row_of[id(piece)]
        return score_of[row], found.reasons(row)

    return packed_retrieval(method, question, budget_tokens, search_context, pieces, told, found.seeds, started)


def worth_reading(rows: NDArray[np.int64], search_context: SearchContext, budget_tokens: int) -> NDArray[np.int64]:
    """Returns as many of the first sentence rows as a budget may need.

    Args:
        rows: (m,) best first.
        search_context: arrays and rows of the vault that is searched.
        budget_tokens: most tokens of the context.
    """
    tokens = np.cumsum(search_context.sentence_arrays().tokens[rows])
    return rows[: FEWEST_ROWS + int(np.searchsorted(tokens, LOOKED_AT * budget_tokens))]


def packed_retrieval(
    method: str,
    question: str,
    budget_tokens: int,
    search_context: SearchContext,
    pieces: Sequence[Piece],
    told: Callable[[Piece], tuple[float, tuple[tuple[str, float], ...]]],
    seeds: tuple[tuple[str, float], ...],
    started: float,
) -> Retrieval:
    """Packs pieces of any kind into a retrieval.

    Args:
        method: name of the method.
        question: the question, as the person typed it.
        budget_tokens: most tokens of the context.
        search_context: arrays and rows of the vault that is searched.
        pieces: best first.
        told: score of a piece, and the parts of it.
        seeds: name and weight of the seeds with most weight.
        started: `time.perf_counter()` when the question came in.
    """
    shapes = SentenceShapes(search_context.store, search_context.sentence_arrays().words)

    def shape_of(piece: Piece) -> SentenceShape:
        is_sentence = piece.type is NodeType.SENTENCE
        return shapes.of(piece.node, piece.passage, piece.place) if is_sentence else UNKNOWN

    packed = pack(pieces, budget_tokens, search_context.count_tokens, shape_of, search_context.most_passages)
    ranked = tuple(Ranked(piece.node, piece.type, source, *told(piece)) for piece, source in packed.chosen)
    elapsed_ms = 1000 * (time.perf_counter() - started)
    return Retrieval(
        method, question, budget_tokens, packed.context, packed.tokens, packed.sources, ranked, seeds, elapsed_ms
    )


def packed_in_order(
    method: str,
    question: str,
    budget_tokens: int,
    search_context: SearchContext,
    pieces: Sequence[Piece],
    seeds: NDArray[np.int64],
    started: float,
) -> Retrieval:
    """Packs pieces that are only known by their order; their score falls from 1 towards 0, from the first place of each.

    Args:
        method: name of the method.
        question: the question, as the person typed it.
        budget_tokens: most tokens of the context.
        search_context: arrays and rows of the vault that is searched.
        pieces: best first.
        seeds: (m,) nodes that the search started from, best first.
        started: `time.perf_counter()` when the question came in.
    """
    score_of: dict[int, float] = {}
    for place, piece in enumerate(pieces):
        # One sentence may speak for several entities or communities, and is chosen at the first of its places.
        score_of.setdefault(id(piece), 1 - place / len(pieces))

    def told(piece: Piece) -> tuple[float, tuple[tuple[str, float], ...]]:
        return score_of[id(piece)], (("place", score_of[id(piece)]),)

    names = GraphRows(search_context.store).names(seeds[:SHOWN_SEEDS].tolist())
    shown = tuple((name, 1.0) for name in names)
    return packed_retrieval(method, question, budget_tokens, search_context, pieces, told, shown, started)


def led_by(sentences: Sequence[int], found: Retrieval, search_context: SearchContext) -> Retrieval:
    """Packs a retrieval again, with some sentences before all others.

    Args:
        sentences: nodes of the sentences that come first, best first; unknown ones are left out.
        found: what was found otherwise, in its order.
        search_context: arrays and rows of the vault that is searched.
    """
    started = time.perf_counter() - found.elapsed_ms / 1000
    arrays = search_context.sentence_arrays()
    nodes = np.array(list(dict.fromkeys((*sentences, *(one.node for one in found.ranked)))), np.int64)
    rows = np.minimum(np.searchsorted(arrays.sentences, nodes), len(arrays.sentences) - 1)
    pieces = sentence_pieces(search_context.store, arrays, rows[arrays.sentences[rows] == nodes])
    none = np.empty(0, np.int64)
    packed = packed_in_order(found.method, found.question, found.budget_tokens, search_context, pieces, none, started)
    return replace(packed, seeds=found.seeds)


def whole_chunks(
    search_context: SearchContext, chunk_rows: NDArray[np.int64], scores: NDArray[np.float32], part: str
) -> Found:
    """Returns ranked chunks as sentences in reading order.

    Args:
        search_context: arrays and rows of the vault that is searched.
        chunk_rows: (m,) rows of chunks, best first.
        scores: (m,) scores of the chunks.
        part: what the score is called among the reasons.
    """
    arrays = search_context.sentence_arrays()
    rank = np.full(len(arrays.chunks), len(chunk_rows), dtype=np.int64)
    rank[chunk_rows] = np.arange(len(chunk_rows))
    of_sentence = rank[arrays.chunk_of]
    ranked = np.flatnonzero(of_sentence < len(chunk_rows))
    rows = ranked[np.argsort(of_sentence[ranked], kind="stable")]
    of_row = scores[of_sentence[rows]]
    by_row = dict(zip(rows.tolist(), of_row.tolist(), strict=True))
    return Found(rows, of_row, lambda row: ((part, by_row[row]),))
