"""Provides the levels that ArchRAG searches with C-HNSW: the entities and the attributed communities above them."""

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
    """The hierarchy of communities over the entities of the graph arrays."""

    levels: tuple[StoredLevel, ...]
    """The levels from the bottom up; the first holds entities. Empty if no two entities are named together."""


def attributed_layer(search_context: SearchContext) -> AttributedLayer:
    """Returns the stored communities with the model's summaries; if none are stored, computes communities in memory."""
    stored = AttributedRows(search_context.store).levels()
    return AttributedLayer(stored) if stored else search_context.layer(layer_in_memory(ARCHRAG))


@cache
def layer_in_memory(options: HierarchyOptions) -> Callable[[SearchContext], AttributedLayer]:
    """Returns a function that computes communities in memory without a model; the same function for the same options."""

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
    """Gives each community an id that no node of the vault has."""
    start = int(search_context.store.value("SELECT coalesce(max(id), 0) + 1 FROM nodes"))
    found: list[StoredLevel] = []
    below = network.entities
    for level in levels:
        ids = np.arange(start, start + len(level.members), dtype=np.int64)
        key_sentences = tuple(network.sentences[rows] for rows in level.key_sentences)
        vectors = mean_vectors(network.sentences, network.sentence_vectors, key_sentences)
        found.append(StoredLevel(ids, vectors, tuple(below[held] for held in level.members), key_sentences))
        start, below = start + len(ids), ids
    return tuple(found)


LINKS_FILE = "entities.links"
"""Name of the vault's file that links near entities; only vaults with too many entities for an exact search have it."""

Build = Callable[[SearchContext], AttributedLayer]
"""Function that reads or computes communities; `SearchContext.layer` caches its result by the function object."""


def no_communities(search_context: SearchContext) -> AttributedLayer:
    """Returns an empty hierarchy, so that only entities are searched."""
    return AttributedLayer(())


@cache
def community_index(build: Build) -> Callable[[SearchContext], CommunityHnsw]:
    """Returns a function that builds the index over the communities; the same function for the same communities."""

    def index(search_context: SearchContext) -> CommunityHnsw:
        return CommunityHnsw(search_levels(search_context, build), search_context.store.folder / LINKS_FILE)

    return index


def search_levels(search_context: SearchContext, build: Build) -> tuple[SearchLevel, ...]:
    """Returns the levels to search: the entities, by the sentences that name them, then each level's communities, by summary."""
    arrays = search_context.graph_arrays()
    levels = [SearchLevel(arrays.entity_vectors)]
    below = arrays.entities
    for level in search_context.layer(build).levels:
        levels.append(SearchLevel(level.vectors, _as_rows(level.members, below)))
        below = level.ids
    return tuple(levels)


def allowed_levels(search_context: SearchContext, communities: AttributedLayer) -> list[NDArray[np.bool_]] | None:
    """Returns for each level, (n,), which nodes the scope allows in a context; None if there is no scope.

    Sentences that represent a community are allowed if they are inside the scope. A summary by the language model is allowed
    only if no sentence outside names an entity of the community, since its words may come from there.
    """
    if search_context.inside is None:
        return None
    arrays, inside = search_context.graph_arrays(), search_context.inside
    allowed = [inside.entities]
    whole, below = _named_inside_alone(arrays, inside), arrays.entities
    for level in communities.levels:
        whole = _all_of(whole, _as_rows(level.members, below))
        is_written = np.isin(level.ids, list(AttributedRows(search_context.store).written(level.ids.tolist())))
        sentences = _as_rows(level.key_sentences, arrays.sentences)
        allowed.append(np.where(is_written, whole, ~_all_of(~inside.sentences, sentences)))
        below = level.ids
    return allowed


def _as_rows(lists: Sequence[NDArray[np.int64]], ids: NDArray[np.int64]) -> LinkedRows:
    """Converts lists of node ids to lists of rows.

    Args:
        lists: one list of ids for each row.
        ids: (n,) ascending ids; the position of an id is its row.
    """
    links = LinkedRows.of_lists(lists)
    return LinkedRows(links.starts, np.searchsorted(ids, links.targets).astype(np.int64))


def _named_inside_alone(arrays: GraphArrays, inside: Inside) -> NDArray[np.bool_]:
    """Returns which entities, (e,), no sentence outside the scope names."""
    outside = (~inside.sentences).astype(np.float32)
    return np.asarray((arrays.sentences_of @ outside) == 0, dtype=bool)


def _all_of(marked: NDArray[np.bool_], links: LinkedRows) -> NDArray[np.bool_]:
    """Returns for each row whether all rows linked to it are marked; True for a row without links."""
    missing = np.concatenate([np.zeros(1, np.int64), np.cumsum(~marked[links.targets])])
    return np.asarray(missing[links.starts[1:]] == missing[links.starts[:-1]], dtype=bool)
