"""Makes pieces of a context from sentences as they stand in the notes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noderag_local.retrieval.packing.packing_budget import Piece
from noderag_local.retrieval.search_arrays import SentenceArrays
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows


def sentence_pieces(store: Store, arrays: SentenceArrays, rows: NDArray[np.int64]) -> list[Piece]:
    """Returns one piece for each of the sentence rows of the arrays, in their order."""
    # Converting a thousand numbers at once takes half the time of one by one with a large budget.
    columns = (arrays.sentences, arrays.chunk_of, arrays.positions, arrays.tokens)
    nodes, *numbers = (column[rows].tolist() for column in columns)
    places = TextRows(store).passages(nodes)
    return [Piece.of_sentence(*row) for row in zip(nodes, *numbers, places, strict=True)]
