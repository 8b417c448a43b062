"""Outlines the communities of a vault: their members and the sentences that say most about them, without a language model.

The summary of a community is what the language model has written about it; until it has, its best sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noderag_local.graph.algorithms.rows import unit_rows
from noderag_local.graph.algorithms.sparse import Rows
from noderag_local.papers.archrag.attributed_communities import ARCHRAG, HierarchyOptions, hierarchy
from noderag_local.papers.archrag.attributed_network import EntityNetwork
from noderag_local.papers.archrag.community_level import GONE, Level, membership
from noderag_local.storage.graph.attributed_rows import StoredLevel

MOST_TOLD = 12
"""Maximum number of sentences that are kept for a community: as many as fit into a prompt of 450 tokens."""


@dataclass(frozen=True, slots=True)
class OutlinedLevel:
    """The c communities of one level."""

    members: tuple[Rows, ...]
    """(c,) rows of the level below, most central first"""
    key_sentences: tuple[Rows, ...]
    """(c,) rows of the network's sentences, best first, at most MOST_TOLD"""
    vectors: NDArray[np.float32]
    """(c, dim) unit rows: vectors of the summaries"""
    continues: Rows
    """(c,) row of the stored community that each one continues: it has all of its members, and perhaps more; NEW for none"""


def outlined(
    network: EntityNetwork,
    stored: Sequence[StoredLevel] = (),
    options: HierarchyOptions = ARCHRAG,
) -> tuple[OutlinedLevel, ...]:
    """Returns the communities of a vault as it is now, level by level from the bottom up.

    Args:
        network: the entities of the vault.
        stored: levels that are known; they are brought up to date, and further levels are found above them.
        options: options of the hierarchy.
    """
    outline = _Outline(network, stored)
    hierarchy(network.adjacency, network.vectors, outline.add, options, _known(network, stored))
    return tuple(outline.levels)


def _known(network: EntityNetwork, stored: Sequence[StoredLevel]) -> list[list[Rows]]:
    """Returns the members of stored communities as rows of the network or of the stored level below."""
    known: list[list[Rows]] = []
    below = network.entities
    for level in stored:
        row_of = {number: row for row, number in enumerate(below.tolist())}
        known.append([np.array([row_of.get(one, GONE) for one in held.tolist()], np.int64) for held in level.members])
        below = level.ids
    return known


class _Outline:
    """Outlines one level after the other."""

    def __init__(self, network: EntityNetwork, stored: Sequence[StoredLevel]) -> None:
        self.levels: list[OutlinedLevel] = []
        self._network, self._stored = network, stored
        self._sizes = np.ones(len(network.entities), dtype=np.int64)
        """Number of entities in each node of the level below."""

    def add(self, level: Level) -> NDArray[np.float32]:
        """Outlines a level and returns the vectors of its summaries; see `Summarise`."""
        members, key_sentences = self._above(level) if self.levels else self._first(level)
        vectors = _mean_vectors(self._network.sentence_vectors, key_sentences)
        for row, known in enumerate(level.continues.tolist()):
            if known >= 0 and known in self._written:
                vectors[row] = self._written[known]
        self.levels.append(OutlinedLevel(members, key_sentences, vectors, level.continues))
        self._sizes = (membership(level.members, len(self._sizes)) @ self._sizes).astype(np.int64)
        return vectors

    @property
    def _written(self) -> Mapping[int, NDArray[np.float32]]:
        """Returns row -> vector of the model's summary, for the stored communities of the current level that have one."""
        place = len(self.levels)
        return self._stored[place].summary_vectors if place < len(self._stored) else {}

    def _first(self, level: Level) -> tuple[tuple[Rows, ...], tuple[Rows, ...]]:
        """Returns members and key sentences; an entity that is named together with others of its community is more central."""
        network = self._network
        centres = unit_rows(membership(level.members, len(network.entities)) @ network.vectors)
        members, key_sentences = [], []
        for held, centre in zip(level.members, centres, strict=True):
            central = np.asarray(network.adjacency[held][:, held].sum(axis=1)).ravel()
            members.append(held[np.lexsort((held, -central))])
            key_sentences.append(_telling(network, held, central + 1, centre))
        return tuple(members), tuple(key_sentences)

    def _above(self, level: Level) -> tuple[tuple[Rows, ...], tuple[Rows, ...]]:
        """Returns members, those with most entities first, and their best sentences in turn."""
        below = self.levels[-1].key_sentences
        members = tuple(held[np.lexsort((held, -self._sizes[held]))] for held in level.members)
        return members, tuple(_in_turn([below[one] for one in held]) for held in members)


def _telling(network: EntityNetwork, held: Rows, central: NDArray[np.float32], centre: NDArray[np.float32]) -> Rows:
    """Returns the sentences that name most of a community and are nearest to its mean vector, best first."""
    named = network.named[held]
    sentences, place = np.unique(named.indices, return_inverse=True)
    shares = np.repeat(central / central.sum(), np.diff(named.indptr))
    scores = np.bincount(place, weights=shares, minlength=len(sentences))
    scores = np.round(scores + network.sentence_vectors[sentences] @ centre, 4)
    return sentences[np.lexsort((sentences, -scores))][:MOST_TOLD].astype(np.int64)


def _in_turn(lists: Sequence[Rows]) -> Rows:
    """Returns the first row of each list, then the second of each, and so on, without duplicates."""
    longest = max(len(rows) for rows in lists)
    turns = [int(rows[place]) for place in range(longest) for rows in lists if place < len(rows)]
    return np.array(list(dict.fromkeys(turns))[:MOST_TOLD], dtype=np.int64)


def _mean_vectors(vectors: NDArray[np.float32], key_sentences: Sequence[Rows]) -> NDArray[np.float32]:
    """Returns the mean vector of each community's sentences, (c, dim) unit rows.

    Args:
        vectors: (s, dim) unit rows.
        key_sentences: (c,) rows of sentences.
    """
    return unit_rows(membership(key_sentences, len(vectors)) @ vectors)
