"""Brings the question that a turn of a conversation answers into the context beside it: "Since May!" alone tells nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noderag_local.graph.algorithms.rows import top_rows
from noderag_local.retrieval.graph_arrays import GraphArrays
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows

LOOKED_AT = 5
"""Number of sentences, best first, before which a question is looked for."""
LONGEST = 15
"""Tokens of a sentence that may say too little alone. With longer ones and ten sentences, recall on conversations (LoCoMo) was
79.0 / 84.2 / 89.3 without the questions and 76.5 / 83.1 / 88.3 with them, at 500, 1,000 and 2,000 tokens."""
BEFORE = 2
"""Most sentences between a question and the start of its answer, plus one: a turn often begins with "Oh wow!"."""
SHARE = 0.25
"""Least score of the question, as a share of its answer's: it comes where there is room, and drives nothing better out."""
QUESTION_MARKS = ("?", "\uff1f", "\u061f", "\u055e")
"""Ends of a question; the last three are of Chinese, Arabic and Armenian."""


def with_asked_turns(
    scores: NDArray[np.float32], candidates: NDArray[np.int64], arrays: GraphArrays, store: Store
) -> NDArray[np.float32]:
    """Returns the scores with those of questions raised that stand in a line before one of the best sentences.

    Args:
        scores: (m,) of the candidates.
        candidates: (m,) rows of sentences, ascending.
        arrays: arrays of the vault's graph.
        store: the open vault.
    """
    best = top_rows(scores, LOOKED_AT)
    best = best[arrays.tokens[candidates[best]] <= LONGEST]
    wanted = np.unique(candidates[best][:, None] - np.arange(BEFORE + 1))
    wanted = wanted[wanted >= 0]
    places = dict(zip(wanted.tolist(), TextRows(store).passages(arrays.sentences[wanted].tolist()), strict=True))
    raised = scores.copy()
    for at in best.tolist():
        row = int(candidates[at])
        for before in range(row - 1, max(row - BEFORE, 0) - 1, -1):
            if arrays.chunk_of[before] != arrays.chunk_of[row]:
                break
            if places[before].text.rstrip().endswith(QUESTION_MARKS):
                found = int(np.searchsorted(candidates, before))
                is_candidate = found < len(candidates) and candidates[found] == before
                if is_candidate and places[before].first_line != places[row].first_line:
                    raised[found] = max(raised[found], SHARE * scores[at])
                break
    return raised
