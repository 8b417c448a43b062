"""Provides the levels that ArchRAG searches with C-HNSW: the entities and the attributed communities above them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import NodeType
from noderag_local.papers.archrag.attributed_communities import ARCHRAG, HierarchyOptions
from noderag_local.papers.archrag.attributed_network import EntityNetwork, entity_network
from noderag_local.papers.archrag.attributed_outline import outlined
from noderag_local.papers.archrag.community_level import NEW
from noderag_local.retrieval.graph_arrays import GraphArrays
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.retrieval.scope import Inside
from noderag_local.storage.graph.attributed_rows import AttributedRows, Ids, StoredLevel
from noderag_local.storage.graph.whole_graph import named_nodes
from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.storage.vectors.chnsw import CommunityHnsw, LinkedRows


@dataclass(frozen=True)
class AttributedLayer:
    """The hierarchy of communities over the entities of the graph arrays."""

    levels: tuple[StoredLevel, ...]
    """The levels from the bottom up; the first holds entities. Empty if no two entities are named together."""
    vectors: tuple[NDArray[np.float32], ...]
    """For each level, (c, dim) unit rows: the vectors of the communities' summaries."""
    unread: tuple[tuple[Ids, ...], ...]
    """For each level, (c,) key sentences that came after the stored outline of a community, best first."""

    @property
    def key_sentences(self) -> tuple[tuple[Ids, ...], ...]:
        """For each level, (c,) the sentences that say most about each community, best first."""
        return tuple(level.key_sentences for level in self.levels)


def attributed_layer(search_context: SearchContext, options: HierarchyOptions) -> AttributedLayer:
    """Returns the communities of these options.

    Those of the paper's options are the stored ones as they are now, with the model's summaries as far as they are stored.
    Entities that are newer than the stored hierarchy have joined it here; levels that are not stored are found in memory.
    Communities of other options are found in memory alone, without a model.
    """
    stored = AttributedRows(search_context.store).levels() if options == ARCHRAG else ()
    network = _network(search_context)
    levels, unread = [], []
    unused = int(search_context.store.value("SELECT coalesce(max(id), 0) + 1 FROM nodes"))
    below = network.entities
    found = outlined(network, stored, options)
    for place, level in enumerate(found):
        known = stored[place] if place < len(stored) else None
        is_new = level.continues == NEW
        ids = np.where(is_new, unused + np.cumsum(is_new) - 1, 0 if known is None else known.ids[level.continues])
        key_sentences = tuple(network.sentences[rows] for rows in level.key_sentences)
        levels.append(StoredLevel(ids, tuple(below[held] for held in level.members), key_sentences))
        unread.append(
            tuple(_unread(known, row, told) for row, told in zip(level.continues, key_sentences, strict=True))
        )
        unused, below = unused + int(is_new.sum()), ids
    return AttributedLayer(tuple(levels), tuple(level.vectors for level in found), tuple(unread))


def _unread(known: StoredLevel | None, row: int, key_sentences: Ids) -> Ids:
    """Returns the key sentences that a community did not have when it was stored; none for a new community."""
    if known is None or row == NEW:
        return key_sentences[:0]
    return key_sentences[~np.isin(key_sentences, known.key_sentences[row])]


def _network(search_context: SearchContext) -> EntityNetwork:
    arrays = search_context.graph_arrays()
    entities, keys, _ = named_nodes(search_context.store, NodeType.ENTITY)
    edges = arrays.names.edges(Snapshot.open(search_context.store).edges)
    return entity_network(entities, keys, arrays.sentences, arrays.sentence_vectors, edges)


LINKS_FILE = "entities.links"
"""Name of the vault's file that links near entities; `arch-paper` makes it, the others only for very many entities."""

WALK_ALL = 0
"""Value of `exact_up_to` that walks along the links of every level but the highest, as the paper does."""


def community_index(search_context: SearchContext, options: HierarchyOptions, exact_up_to: int) -> CommunityHnsw:
    """Returns the index over the communities.

    Args:
        search_context: the vault.
        options: options of the communities.
        exact_up_to: largest number of nodes for which a level is searched exactly.
    """
    return CommunityHnsw(search_levels(search_context, options), search_context.store.folder / LINKS_FILE, exact_up_to)


def search_levels(search_context: SearchContext, options: HierarchyOptions) -> tuple[NDArray[np.float32], ...]:
    """Returns the vectors to search: of the entities, by the sentences that name them, then of each level's summaries."""
    return (search_context.graph_arrays().entity_vectors, *search_context.layer(attributed_layer, options).vectors)


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
        ids: (n,) ids; the position of an id is its row.
    """
    links = LinkedRows.of_lists(lists)
    order = np.argsort(ids)
    return LinkedRows(links.starts, order[np.searchsorted(ids[order], links.targets)].astype(np.int64))


def _named_inside_alone(arrays: GraphArrays, inside: Inside) -> NDArray[np.bool_]:
    """Returns which entities, (e,), no sentence outside the scope names."""
    outside = (~inside.sentences).astype(np.float32)
    return np.asarray((arrays.sentences_of @ outside) == 0, dtype=bool)


def _all_of(marked: NDArray[np.bool_], links: LinkedRows) -> NDArray[np.bool_]:
    """Returns for each row whether all rows linked to it are marked; True for a row without links."""
    missing = np.concatenate([np.zeros(1, np.int64), np.cumsum(~marked[links.targets])])
    return np.asarray(missing[links.starts[1:]] == missing[links.starts[:-1]], dtype=bool)
