"""Replaces sentences after the very best ones with the shorter statements that the language model found in them.

Statements are shorter, and the names in them are copied from the text, so the budget reaches further down the ranking.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import NodeType
from noderag_local.retrieval.packing.packing_budget import LABEL_TOKENS, Piece
from noderag_local.retrieval.search_arrays import SearchArrays
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.fragments import FragmentRows
from noderag_local.text.statement import spoken
from noderag_local.text.token_estimate import roughly_estimated_tokens

WHOLE_SHARE = 0.75
"""Share of the budget whose sentences, best first, stay as they stand in the notes. 0.4 and 0.6 are
within one question of a hundred of it, with 30 % of the chunks of 1,890 MuSiQue paragraphs read."""
STATEMENTS = 2
"""Most statements that replace a sentence: those nearest to the question."""


def shortened(
    pieces: Sequence[Piece],
    rows: NDArray[np.int64],
    vector: NDArray[np.float32],
    store: Store,
    arrays: SearchArrays,
    budget_tokens: int,
) -> list[Piece]:
    """Returns the pieces with statements in place of sentences, where the language model has read the sentences.

    Args:
        pieces: sentences, best first.
        rows: (m,) of the graph arrays, one a piece.
        vector: (dim,) of the question.
        store: the open vault.
        arrays: arrays of the vault's graph.
        budget_tokens: most tokens of the context.
    """
    used = np.cumsum([piece.tokens + LABEL_TOKENS for piece in pieces])
    first = int(np.searchsorted(used, WHOLE_SHARE * budget_tokens, side="right"))
    chosen = {
        at: _nearest(arrays, int(rows[at]), vector)
        for at in range(first, len(pieces))
        if arrays.stated.indptr[rows[at]] < arrays.stated.indptr[rows[at] + 1]
    }
    said = FragmentRows(store).of_nodes(sorted({node for nodes in chosen.values() for node in nodes}))
    made = list(pieces)
    for at, nodes in chosen.items():
        chunk = int(arrays.chunks[arrays.chunk_of[rows[at]]])
        texts = [spoken(text) for node in nodes for of_chunk, text in said[node] if of_chunk == chunk]
        text = "".join(f"{statement}. " for statement in texts[:STATEMENTS]).strip()
        if text and len(text) < len(pieces[at].text):
            tokens = roughly_estimated_tokens(text)
            made[at] = replace(pieces[at], node=nodes[0], type=NodeType.RELATIONSHIP, tokens=tokens, text=text)
    return made


def _nearest(arrays: SearchArrays, row: int, vector: NDArray[np.float32]) -> list[int]:
    """Node ids of what a sentence states, nearest to the question first, ties by id."""
    stated = arrays.stated
    columns = stated.indices[stated.indptr[row] : stated.indptr[row + 1]]
    cosines = arrays.relationship_index.wide(arrays.relationships[columns]) @ vector
    order = np.lexsort((columns, -cosines))[:STATEMENTS]
    return [int(node) for node in arrays.relationships[columns[order]]]
