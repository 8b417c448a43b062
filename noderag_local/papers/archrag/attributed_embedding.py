"""Vectors of what the language model wrote about attributed communities: title and text together (ArchRAG, 3.1.2)."""

from __future__ import annotations

from collections.abc import Callable

from noderag_local.domain.graph import NodeType
from noderag_local.graph.vectors.node_embedding import embed_texts
from noderag_local.models.embedding.embedder import Embedder
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.attributed_rows import AttributedRows
from noderag_local.storage.vectors.vectors import VectorRows


class AttributedEmbeddingStep:
    """A `Step` that makes a vector for every community that the model has written about. All others have that of their sentences."""

    name = "arch-embedding"

    def __init__(self, embedder: Callable[[], Embedder]) -> None:
        """Takes what loads the model; it is asked only when a text must be read."""
        self._embedder = embedder

    def needed(self, store: Store) -> bool:
        """Whether a written community lacks its vector."""
        return bool(_missing(store))

    def run(self, store: Store, advanced: Callable[[int, int], None], cancelled: Callable[[], bool]) -> None:
        """Embeds what is missing, each block in one transaction."""
        embed_texts(store, _missing(store), self._embedder, advanced, cancelled)

    def drop(self, store: Store) -> None:
        """Removes these vectors."""
        with store.transaction():
            VectorRows(store).remove(VectorRows(store).matrix(NodeType.ATTRIBUTED_COMMUNITY)[0].tolist())


def _missing(store: Store) -> list[tuple[int, str]]:
    """(community, title and text), by key."""
    rows = AttributedRows(store)
    missing = VectorRows(store).missing_nodes(NodeType.ATTRIBUTED_COMMUNITY)
    keys = rows.keys(missing)
    return sorted(
        ((node, f"{title}. {text}") for node, (title, text) in rows.written(missing).items()),
        key=lambda one: keys[one[0]],
    )
