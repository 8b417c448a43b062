"""Brings the question that a turn of a conversation answers into the context beside it: "Since May!" alone tells nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noderag_local.graph.algorithms.rows import top_rows
from noderag_local.retrieval.search_arrays import SentenceArrays
from noderag_local.storage.database.distinct import distinct
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.text.interrogatives import ends_as_question

LOOKED_AT = 5
"""Number of sentences, best first, before which a question is looked for."""
LONGEST = 15
"""Tokens of a sentence that may say too little alone. Recall on conversations (LoCoMo, 762 questions) at 500 tokens is 79.1
without the questions, 79.3 with them, and 79.3 with this limit lifted and ten sentences; so the fewest are brought."""
BEFORE = 2
"""Most sentences between a question and the start of its answer, plus one: a turn often begins with "Oh wow!"."""
SHARE = 0.25
"""Least score of the question, as a share of its answer's: it comes where there is room, and drives nothing better out."""


def with_asked_turns(
    scores: NDArray[np.float32], candidates: NDArray[np.int64], arrays: SentenceArrays, store: Store
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
    asked = _asked_before(candidates[best], arrays, store)
    raised = scores.copy()
    for at, question in zip(best.tolist(), asked, strict=True):
        found = int(np.searchsorted(candidates, question))
        if question >= 0 and found < len(candidates) and candidates[found] == question:
            raised[found] = max(raised[found], SHARE * scores[at])
    return raised


def _asked_before(rows: NDArray[np.int64], arrays: SentenceArrays, store: Store) -> list[int]:
    """Returns the row of the question in an earlier line that each row answers, or -1.

    Args:
        rows: (k,) rows of sentences.
        arrays: arrays of the vault's graph.
        store: the open vault.
    """
    before = rows[:, None] - np.arange(1, BEFORE + 1)
    before[(before < 0) | (arrays.chunk_of[np.maximum(before, 0)] != arrays.chunk_of[rows][:, None])] = -1
    wanted = distinct(rows, before[before >= 0])
    texts = TextRows(store).passages(arrays.sentences[wanted].tolist())
    passages = dict(zip(wanted.tolist(), texts, strict=True))
    asked = []
    for row, earlier in zip(rows.tolist(), before.tolist(), strict=True):
        nearest = next((one for one in earlier if one >= 0 and ends_as_question(passages[one].text)), -1)
        in_other_line = nearest >= 0 and passages[nearest].first_line != passages[row].first_line
        asked.append(nearest if in_other_line else -1)
    return asked
