"""A vault open for searching."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from noderag_local.config import Settings
from noderag_local.freshness import layers
from noderag_local.records import Layer, NodeType
from noderag_local.store.database import Store

if TYPE_CHECKING:
    from noderag_local.embed.question_encoder import QuestionEncoder
    from noderag_local.search.full_graph import FullGraph
    from noderag_local.search.landscape import Landscape
    from noderag_local.search.retriever import Retriever
    from noderag_local.store.vector_index import VectorIndex

FALLBACK_METHOD = "bm25"
"""What answers while there are no vectors yet."""


class Reader:
    """A store open for reading and what searches need of it, each part opened when it is first asked for."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self.store = store
        self.count_tokens: Callable[[str], int] | None = None
        self._settings = settings
        self._stamp = store.stamp
        self._indexes: dict[NodeType, VectorIndex] = {}

    def is_stale(self) -> bool:
        """Whether the vault has changed since it was opened."""
        return self.store.stamp != self._stamp

    def retriever(self, method: str) -> Retriever:
        """The method of that name; "" is the settings' one, or the fallback where the vault has no vectors."""
        from noderag_local.search import Grounds, retriever

        chosen = method or (self._settings.method if Layer.VECTORS in self._layers else FALLBACK_METHOD)
        grounds = Grounds(
            self.store,
            lambda: self.landscape,
            lambda: self._full_graph,
            self._index,
            lambda text: self._encoder.encode(text),
            self.count_tokens,
        )
        return retriever(chosen, grounds, self._layers)

    def _index(self, kind: NodeType) -> VectorIndex:
        from noderag_local.store.vector_index import VectorIndex

        if kind not in self._indexes:
            self._indexes[kind] = VectorIndex.open(self.store, kind)
        return self._indexes[kind]

    @cached_property
    def _layers(self) -> tuple[Layer, ...]:
        return layers(self.store)

    @cached_property
    def landscape(self) -> Landscape:
        """The graph as arrays."""
        from noderag_local.search.landscape import read_landscape

        kinds = (NodeType.SENTENCE, NodeType.TEXT, NodeType.RELATIONSHIP)
        return read_landscape(self.store, *(self._index(kind) for kind in kinds))

    @cached_property
    def _full_graph(self) -> FullGraph:
        from noderag_local.search.full_graph import read_full_graph

        return read_full_graph(self.store, self.landscape.entities)

    @cached_property
    def _encoder(self) -> QuestionEncoder:
        from noderag_local.embed.question_encoder import QuestionEncoder

        return QuestionEncoder()
