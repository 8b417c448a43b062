"""Finds the nodes of the graph that a retrieval names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.domain.passages import Ranked, Source
from noderag_local.graph.summaries.entity_summary import placed_statements
from noderag_local.storage.browsing.atlas_rows import AtlasRows
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.text.identity import entity_key

_SPOKEN = (NodeType.OVERVIEW, NodeType.SEMANTIC_UNIT, NodeType.ATTRIBUTE, NodeType.HIGH_LEVEL_ELEMENT)
"""Types whose nodes are identified by their text."""


@dataclass(frozen=True, slots=True)
class FoundNode:
    """A node with its name or text."""

    node: int
    type: NodeType
    name: str
    weight: float = 0.0


class TraceNodes:
    """Looks up nodes by type and text; nodes removed since the retrieval are left out."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._graph, self._rows = GraphRows(store), AtlasRows(store)

    def there(self, ranked: Sequence[Ranked]) -> list[tuple[Ranked, FoundNode]]:
        """Returns the ranked nodes that still exist, in their order, each once."""
        types = self._rows.types([one.node for one in ranked])
        kept = {one.node: one for one in ranked if types.get(one.node) is one.type}
        names = dict(zip(kept, self._graph.names(list(kept)), strict=True))
        return [(one, FoundNode(node, one.type, self._told(one, names[node]))) for node, one in kept.items()]

    def seeds(self, seeds: Iterable[tuple[str, float]], chosen: Iterable[tuple[Ranked, FoundNode]]) -> list[FoundNode]:
        """Returns the nodes of (name, weight) pairs, heaviest first; an entity with the name comes before a sentence."""
        weights: dict[str, float] = {}
        for name, weight in seeds:
            if name:
                weights.setdefault(name, weight)
        known = {found.name: found for _, found in chosen}
        entities = self._entities(weights)
        said = self._said([name for name in weights if name not in entities and name not in known])
        return [
            FoundNode(found.node, found.type, name, weight)
            for name, weight in weights.items()
            if (found := entities.get(name) or known.get(name) or said.get(name))
        ]

    def source_of(self, node: int, kind: NodeType) -> Source | None:
        """Returns the place of a sentence, or of the first sentence of a semantic unit; None for other types."""
        sentences = [node] if kind is NodeType.SENTENCE else []
        if kind is NodeType.SEMANTIC_UNIT:
            sentences = self._graph.targets_of((EdgeType.PART,), [node]).get(node, [])[:1]
        return next(iter(TextRows(self._store).passages(sentences)), None)

    def _entities(self, names: Collection[str]) -> dict[str, FoundNode]:
        nodes = self._graph.find(NodeType.ENTITY, sorted({entity_key(name) for name in names}))
        called = dict(zip(nodes, self._graph.names(list(nodes.values())), strict=True))
        # A sentence may look like an entity's name: "Porto." is a sentence, but no entity is called so.
        return {
            name: FoundNode(nodes[key], NodeType.ENTITY, name)
            for name in names
            if (key := entity_key(name)) in nodes and called[key] == name
        }

    def _said(self, texts: Collection[str]) -> dict[str, FoundNode]:
        found: dict[str, FoundNode] = {}
        for kind in _SPOKEN:
            nodes = self._rows.nodes_called(kind, texts) if texts else {}
            found |= {text: FoundNode(node, kind, text) for text, node in nodes.items()}
        sentences = self._rows.sentences_saying([text for text in texts if text not in found])
        return found | {text: FoundNode(node, NodeType.SENTENCE, text) for text, node in sentences.items()}

    def _told(self, one: Ranked, name: str) -> str:
        if one.type is NodeType.RELATIONSHIP:
            return ". ".join(dict.fromkeys(placed.text for placed in placed_statements(self._store, one.node)))
        return name
