"""The levels that ArchRAG searches: the entities, and the attributed communities above them, under one C-HNSW."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from noderag_local.papers.archrag.attributed_layer import Attributed
from noderag_local.retrieval.graph_arrays import Landscape
from noderag_local.retrieval.retriever import Grounds
from noderag_local.retrieval.scope import Inside
from noderag_local.storage.graph.attributed_rows import AttributedRows
from noderag_local.storage.vectors.chnsw import CommunityHnsw, SearchLevel
from noderag_local.storage.vectors.linked_rows import LinkedRows

LINKS_FILE = "entities.links"
"""In the vault's folder: which entities are near each other, where there are too many to compare a question with each."""

Build = Callable[[Grounds], Attributed]
"""Finds or makes communities; the same function object for the same communities, as `Grounds.layer` wants it."""


def no_communities(grounds: Grounds) -> Attributed:
    """Entities alone."""
    return Attributed(())


@cache
def community_index(build: Build) -> Callable[[Grounds], CommunityHnsw]:
    """What makes the index over some communities; the same function for the same ones."""

    def index(grounds: Grounds) -> CommunityHnsw:
        return CommunityHnsw(search_levels(grounds, build), grounds.store.folder / LINKS_FILE)

    return index


def search_levels(grounds: Grounds, build: Build) -> tuple[SearchLevel, ...]:
    """The entities by what is said of them, then the communities by their summaries, level by level."""
    landscape = grounds.landscape()
    levels = [SearchLevel(landscape.entity_vectors)]
    below = landscape.entities
    for level in grounds.layer(build).levels:
        levels.append(SearchLevel(level.vectors, _as_rows(level.members, below)))
        below = level.ids
    return tuple(levels)


def told_levels(grounds: Grounds, communities: Attributed) -> list[NDArray[np.bool_]] | None:
    """Of each level (n,), what the scope lets be told; None where there is no scope.

    A summary of sentences is told as far as these are inside. One that the language model wrote is told where no entity
    under its community is named outside, since a word of what is said there may stand in it.
    """
    if grounds.inside is None:
        return None
    landscape, inside = grounds.landscape(), grounds.inside
    told = [inside.entities]
    whole, below = _named_inside_alone(landscape, inside), landscape.entities
    for level in communities.levels:
        whole = _all_of(whole, _as_rows(level.members, below))
        is_written = np.isin(level.ids, list(AttributedRows(grounds.store).written(level.ids.tolist())))
        sentences = _as_rows(level.told, landscape.sentences)
        told.append(np.where(is_written, whole, ~_all_of(~inside.sentences, sentences)))
        below = level.ids
    return told


def _as_rows(lists: Sequence[NDArray[np.int64]], ids: NDArray[np.int64]) -> LinkedRows:
    """Lists of ids as rows of a table.

    Args:
        ids: (n,) of the table, ascending.
    """
    links = LinkedRows.of_lists(lists)
    return LinkedRows(links.starts, np.searchsorted(ids, links.targets).astype(np.int64))


def _named_inside_alone(landscape: Landscape, inside: Inside) -> NDArray[np.bool_]:
    """(e,) entities that no sentence outside names."""
    outside = (~inside.sentences).astype(np.float32)
    return np.asarray((landscape.sentences_of @ outside) == 0, dtype=bool)


def _all_of(marked: NDArray[np.bool_], links: LinkedRows) -> NDArray[np.bool_]:
    """Whether all that a row is linked to is marked; true of a row without links."""
    missing = np.concatenate([np.zeros(1, np.int64), np.cumsum(~marked[links.targets])])
    return np.asarray(missing[links.starts[1:]] == missing[links.starts[:-1]], dtype=bool)
