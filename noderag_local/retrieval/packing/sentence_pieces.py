"""Sentences as they stand, as pieces of a context."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noderag_local.retrieval.graph_arrays import Landscape
from noderag_local.retrieval.packing.packing_budget import Piece
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows


def sentence_pieces(store: Store, landscape: Landscape, rows: NDArray[np.int64]) -> list[Piece]:
    """One for each of some sentence rows of the landscape, in their order."""
    # A thousand numbers at once, and not one by one: half of the time that a large budget takes here.
    columns = (landscape.sentences, landscape.chunk_of, landscape.positions, landscape.tokens)
    nodes, *numbers = (column[rows].tolist() for column in columns)
    places = TextRows(store).passages(nodes)
    return [Piece.of_sentence(*row) for row in zip(nodes, *numbers, places, strict=True)]
