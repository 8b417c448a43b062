"""ArchRAG's layer as searches see it: as the vault has it stored, or made in memory without a language model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from noderag_local.domain.graph import NodeType
from noderag_local.papers.archrag.attributed_communities import ARCHRAG, HierarchyOptions, hierarchy
from noderag_local.papers.archrag.attributed_network import EntityNetwork, entity_network
from noderag_local.papers.archrag.attributed_outline import OutlinedLevel, outlined
from noderag_local.retrieval.retriever import Grounds
from noderag_local.storage.graph.attributed_rows import AttributedRows, StoredLevel, mean_vectors
from noderag_local.storage.graph.named_nodes import named_nodes
from noderag_local.storage.snapshots.snapshot import Snapshot


@dataclass(frozen=True)
class Attributed:
    """The communities over the entities of the landscape."""

    levels: tuple[StoredLevel, ...]
    """Upwards; the first, level 1, holds entities. None where no two entities are named together."""


def attributed(grounds: Grounds) -> Attributed:
    """The layer that is stored, as far as the language model has written it; where there is none, one in memory."""
    stored = AttributedRows(grounds.store).levels()
    return Attributed(stored) if stored else grounds.layer(attributed_variant(ARCHRAG))


@cache
def attributed_variant(options: HierarchyOptions) -> Callable[[Grounds], Attributed]:
    """Makes a layer in memory, of names and sentences alone; the same function for the same options."""

    def build(grounds: Grounds) -> Attributed:
        network = _network(grounds)
        levels = outlined(network, hierarchy(network.adjacency, network.vectors, options))
        return Attributed(_numbered(grounds, network, levels))

    return build


def _network(grounds: Grounds) -> EntityNetwork:
    landscape = grounds.landscape()
    entities, keys, _ = named_nodes(grounds.store, NodeType.ENTITY)
    edges = landscape.names.edges(Snapshot.open(grounds.store).edges)
    return entity_network(entities, keys, landscape.sentences, landscape.sentence_vectors, edges)


def _numbered(grounds: Grounds, network: EntityNetwork, levels: tuple[OutlinedLevel, ...]) -> tuple[StoredLevel, ...]:
    """The levels with numbers that no node has."""
    start = int(grounds.store.value("SELECT coalesce(max(id), 0) + 1 FROM nodes"))
    found: list[StoredLevel] = []
    below = network.entities
    for level in levels:
        ids = np.arange(start, start + len(level.members), dtype=np.int64)
        told = tuple(network.sentences[rows] for rows in level.told)
        vectors = mean_vectors(network.sentences, network.sentence_vectors, told)
        found.append(StoredLevel(ids, vectors, tuple(below[held] for held in level.members), told))
        start, below = start + len(ids), ids
    return tuple(found)
