"""Provides ArchRAG's communities to a search: those stored in the vault, or some made in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from noderag_local.domain.graph import NodeType
from noderag_local.papers.archrag.attributed_communities import ARCHRAG, HierarchyOptions, hierarchy
from noderag_local.papers.archrag.attributed_network import EntityNetwork, entity_network
from noderag_local.papers.archrag.attributed_outline import OutlinedLevel, outlined
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.storage.graph.attributed_rows import AttributedRows, StoredLevel, mean_vectors
from noderag_local.storage.graph.named_nodes import named_nodes
from noderag_local.storage.snapshots.snapshot import Snapshot


@dataclass(frozen=True)
class Attributed:
    """The communities over the entities of the graph arrays."""

    levels: tuple[StoredLevel, ...]
    """Upwards; the first, level 1, holds entities. None where no two entities are named together."""


def attributed(search_context: SearchContext) -> Attributed:
    """Returns the layer that is stored, as far as the language model has written it; where there is none, one in memory."""
    stored = AttributedRows(search_context.store).levels()
    return Attributed(stored) if stored else search_context.layer(attributed_variant(ARCHRAG))


@cache
def attributed_variant(options: HierarchyOptions) -> Callable[[SearchContext], Attributed]:
    """Returns the function that makes a layer in memory without a model; the same one for the same options."""

    def build(search_context: SearchContext) -> Attributed:
        network = _network(search_context)
        levels = outlined(network, hierarchy(network.adjacency, network.vectors, options))
        return Attributed(_numbered(search_context, network, levels))

    return build


def _network(search_context: SearchContext) -> EntityNetwork:
    arrays = search_context.graph_arrays()
    entities, keys, _ = named_nodes(search_context.store, NodeType.ENTITY)
    edges = arrays.names.edges(Snapshot.open(search_context.store).edges)
    return entity_network(entities, keys, arrays.sentences, arrays.sentence_vectors, edges)


def _numbered(
    search_context: SearchContext, network: EntityNetwork, levels: tuple[OutlinedLevel, ...]
) -> tuple[StoredLevel, ...]:
    """The levels with numbers that no node has."""
    start = int(search_context.store.value("SELECT coalesce(max(id), 0) + 1 FROM nodes"))
    found: list[StoredLevel] = []
    below = network.entities
    for level in levels:
        ids = np.arange(start, start + len(level.members), dtype=np.int64)
        told = tuple(network.sentences[rows] for rows in level.told)
        vectors = mean_vectors(network.sentences, network.sentence_vectors, told)
        found.append(StoredLevel(ids, vectors, tuple(below[held] for held in level.members), told))
        start, below = start + len(ids), ids
    return tuple(found)
