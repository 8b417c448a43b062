"""ArchRAG's layer as searches see it: as the vault has it stored, or made in memory without a language model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from noderag_local.graph.attributed import ARCHRAG, HierarchyOptions, hierarchy
from noderag_local.graph.attributed_network import EntityNetwork, entity_network
from noderag_local.graph.attributed_outline import OutlinedLevel, outlined
from noderag_local.records import NodeType
from noderag_local.search.retriever import Grounds
from noderag_local.store.attributed import AttributedRows, StoredLevel, leads, mean_vectors, with_parents
from noderag_local.store.database import Store
from noderag_local.store.named import named_nodes
from noderag_local.store.snapshot import Snapshot


@dataclass(frozen=True)
class Attributed:
    """The communities over the entities of the landscape, with what each says."""

    levels: tuple[StoredLevel, ...]
    """Upwards; the first, level 1, holds entities. None where no two entities are named together."""
    store: Store

    def title_and_text(self, level: int, rows: NDArray[np.int64]) -> list[tuple[str, str]]:
        """Of communities, in the order of the rows.

        Args:
            level: from 1.
            rows: of `levels[level - 1]`.
        """
        found = self.levels[level - 1]
        leading, told = ([column[int(row)] for row in rows] for column in (found.leading, found.told))
        return AttributedRows(self.store).texts(found.ids[rows].tolist(), leading, told)


def attributed(grounds: Grounds) -> Attributed:
    """The layer that is stored, as far as the language model has written it; where there is none, one in memory."""
    stored = AttributedRows(grounds.store).levels()
    return Attributed(stored, grounds.store) if stored else grounds.layer(attributed_variant(ARCHRAG))


@cache
def attributed_variant(options: HierarchyOptions) -> Callable[[Grounds], Attributed]:
    """Makes a layer in memory, of names and sentences alone; the same function for the same options."""

    def build(grounds: Grounds) -> Attributed:
        network = _network(grounds)
        levels = outlined(network, hierarchy(network.adjacency, network.vectors, options))
        return Attributed(_numbered(grounds, network, levels), grounds.store)

    return build


def _network(grounds: Grounds) -> EntityNetwork:
    landscape = grounds.landscape()
    entities, keys, _ = named_nodes(grounds.store, NodeType.ENTITY)
    edges = Snapshot.open(grounds.store).edges
    return entity_network(entities, keys, landscape.sentences, landscape.sentence_vectors, edges)


def _numbered(grounds: Grounds, network: EntityNetwork, levels: tuple[OutlinedLevel, ...]) -> tuple[StoredLevel, ...]:
    """The levels with numbers that no node has."""
    start = int(grounds.store.value("SELECT coalesce(max(id), 0) + 1 FROM nodes"))
    found: list[StoredLevel] = []
    leading: dict[int, list[int]] = {}
    below = network.entities
    for level in levels:
        ids = np.arange(start, start + len(level.members), dtype=np.int64)
        members = tuple(below[held] for held in level.members)
        told = tuple(network.sentences[rows] for rows in level.told)
        own = [leads(held.tolist(), leading) for held in members]
        leading |= dict(zip(ids.tolist(), own, strict=True))
        found.append(
            StoredLevel(
                ids=ids,
                vectors=mean_vectors(network.sentences, network.sentence_vectors, told),
                parent=np.full(len(ids), -1, np.int64),
                members=members,
                leading=tuple(np.array(one, np.int64) for one in own),
                told=told,
            )
        )
        start, below = start + len(ids), ids
    return with_parents(found)
