"""Finds out which layers a vault has and whether they cover all of its documents."""

from __future__ import annotations

from noderag_local.domain.graph import EdgeType, Layer
from noderag_local.storage.database.fact_names import EDGES_OF, GRAPH_OF, TEXTS
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.vectors.vectors import VectorRows


def layers(store: Store) -> tuple[Layer, ...]:
    """Returns the layers of the vault. Documents added since a layer was made are missing from that layer only."""
    has = {
        Layer.TEXT: TEXTS in store.facts,
        Layer.GRAPH: GRAPH_OF in store.facts,
        Layer.VECTORS: VectorRows(store).has_any(),
        Layer.SUMMARIES: GraphRows(store).has_edges(EdgeType.ELEMENT),
    }
    return tuple(layer for layer in Layer if has[layer])


def is_complete(store: Store) -> bool:
    """Returns whether every stage has seen every document."""
    texts = store.facts.get(TEXTS)
    up_to_date = texts == store.facts.get(GRAPH_OF) == store.facts.get(EDGES_OF)
    return texts is None or (up_to_date and not VectorRows(store).missing_chunks())
