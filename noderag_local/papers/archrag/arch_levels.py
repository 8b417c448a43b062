"""Provides the levels that ArchRAG searches: the entities, and the attributed communities above them, under one C-HNSW."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import NodeType
from noderag_local.papers.archrag.attributed_communities import ARCHRAG, HierarchyOptions, hierarchy
from noderag_local.papers.archrag.attributed_network import EntityNetwork, entity_network
from noderag_local.papers.archrag.attributed_outline import OutlinedLevel, outlined
from noderag_local.retrieval.graph_arrays import GraphArrays
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.retrieval.scope import Inside
from noderag_local.storage.graph.attributed_rows import AttributedRows, StoredLevel, mean_vectors
from noderag_local.storage.graph.whole_graph import named_nodes
from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.storage.vectors.chnsw import CommunityHnsw, LinkedRows, SearchLevel


@dataclass(frozen=True)
class AttributedLayer:
    """The communities over the entities of the graph arrays."""

    levels: tuple[StoredLevel, ...]
    """The levels from the bottom up; the first holds entities. Empty if no two entities are named together."""


def attributed_layer(search_context: SearchContext) -> AttributedLayer:
    """Returns the stored layer, with the summaries that the language model has written; if none is stored, one made in memory."""
    stored = AttributedRows(search_context.store).levels()
    return AttributedLayer(stored) if stored else search_context.layer(layer_in_memory(ARCHRAG))


@cache
def layer_in_memory(options: HierarchyOptions) -> Callable[[SearchContext], AttributedLayer]:
    """Returns the function that makes a layer in memory without a model; the same one for the same options."""

    def build(search_context: SearchContext) -> AttributedLayer:
        network = _network(search_context)
        levels = outlined(network, hierarchy(network.adjacency, network.vectors, options))
        return AttributedLayer(_numbered(search_context, network, levels))

    return build


def _network(search_context: SearchContext) -> EntityNetwork:
    arrays = search_context.graph_arrays()
    entities, keys, _ = named_nodes(search_context.store, NodeType.ENTITY)
    edges = arrays.names.edges(Snapshot.open(search_context.store).edges)
    return entity_network(entities, keys, arrays.sentences, arrays.sentence_vectors, edges)


def _numbered(
    search_context: SearchContext, network: EntityNetwork, levels: tuple[OutlinedLevel, ...]
) -> tuple[StoredLevel, ...]:
    """Gives each community a number that no node has."""
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


LINKS_FILE = "entities.links"
"""Name of the file in the vault's folder that links near entities, for vaults with too many to compare a question with each."""

Build = Callable[[SearchContext], AttributedLayer]
"""Finds or makes communities; the same function object for the same communities, as `SearchContext.layer` wants it."""


def no_communities(search_context: SearchContext) -> AttributedLayer:
    """Returns no communities, so that entities alone are searched."""
    return AttributedLayer(())


@cache
def community_index(build: Build) -> Callable[[SearchContext], CommunityHnsw]:
    """Returns the function that makes the index over some communities; the same one for the same communities."""

    def index(search_context: SearchContext) -> CommunityHnsw:
        return CommunityHnsw(search_levels(search_context, build), search_context.store.folder / LINKS_FILE)

    return index


def search_levels(search_context: SearchContext, build: Build) -> tuple[SearchLevel, ...]:
    """Returns the levels to search: the entities by what is said of them, then the communities by their summaries, level by level."""
    arrays = search_context.graph_arrays()
    levels = [SearchLevel(arrays.entity_vectors)]
    below = arrays.entities
    for level in search_context.layer(build).levels:
        levels.append(SearchLevel(level.vectors, _as_rows(level.members, below)))
        below = level.ids
    return tuple(levels)


def allowed_levels(search_context: SearchContext, communities: AttributedLayer) -> list[NDArray[np.bool_]] | None:
    """Returns for each level (n,) which nodes the scope allows in a context; None if there is no scope.

    Sentences that stand for a summary are allowed if they are inside. A summary that the language model wrote is allowed
    if no entity under its community is named outside, since it may contain words of what is said there.
    """
    if search_context.inside is None:
        return None
    arrays, inside = search_context.graph_arrays(), search_context.inside
    told = [inside.entities]
    whole, below = _named_inside_alone(arrays, inside), arrays.entities
    for level in communities.levels:
        whole = _all_of(whole, _as_rows(level.members, below))
        is_written = np.isin(level.ids, list(AttributedRows(search_context.store).written(level.ids.tolist())))
        sentences = _as_rows(level.told, arrays.sentences)
        told.append(np.where(is_written, whole, ~_all_of(~inside.sentences, sentences)))
        below = level.ids
    return told


def _as_rows(lists: Sequence[NDArray[np.int64]], ids: NDArray[np.int64]) -> LinkedRows:
    """Converts lists of ids to lists of rows of a table.

    Args:
        lists: of ids, one for each row.
        ids: (n,) of the table, ascending.
    """
    links = LinkedRows.of_lists(lists)
    return LinkedRows(links.starts, np.searchsorted(ids, links.targets).astype(np.int64))


def _named_inside_alone(arrays: GraphArrays, inside: Inside) -> NDArray[np.bool_]:
    """Returns (e,) which entities no sentence outside the scope names."""
    outside = (~inside.sentences).astype(np.float32)
    return np.asarray((arrays.sentences_of @ outside) == 0, dtype=bool)


def _all_of(marked: NDArray[np.bool_], links: LinkedRows) -> NDArray[np.bool_]:
    """Returns for each row whether everything that it is linked to is marked; True for a row without links."""
    missing = np.concatenate([np.zeros(1, np.int64), np.cumsum(~marked[links.targets])])
    return np.asarray(missing[links.starts[1:]] == missing[links.starts[:-1]], dtype=bool)
