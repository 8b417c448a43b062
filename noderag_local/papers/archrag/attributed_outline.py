"""Outlines a community without a language model by its central members and the sentences that say most about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noderag_local.graph.algorithms.rows import unit_rows
from noderag_local.papers.archrag.attributed_communities import Level, membership
from noderag_local.papers.archrag.attributed_network import EntityNetwork

MOST_TOLD = 12
"""Maximum number of sentences that are kept for a community: as many as fit into a prompt of 450 tokens."""

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class OutlinedLevel:
    """The c communities of one level."""

    members: tuple[Rows, ...]
    """(c,) rows of the level below, most central first"""
    key_sentences: tuple[Rows, ...]
    """(c,) rows of the network's sentences, best first, at most MOST_TOLD"""


def outlined(network: EntityNetwork, levels: Sequence[Level]) -> tuple[OutlinedLevel, ...]:
    """Returns each level with members and sentences ordered by how much they say about their community; ties by row.

    The centrality of an entity is how often it is named together with others of its community; that of a community is the number
    of its entities. Above the first level, the communities below take turns with their best sentences.
    """
    found: list[OutlinedLevel] = []
    sizes = np.ones(len(network.entities), dtype=np.int64)
    for level in levels:
        if not found:
            found.append(_first_level(network, level))
        else:
            members = tuple(held[np.lexsort((held, -sizes[held]))] for held in level.members)
            found.append(
                OutlinedLevel(
                    members, tuple(_in_turn([found[-1].key_sentences[one] for one in held]) for held in members)
                )
            )
        sizes = (membership(level.members, len(sizes)) @ sizes).astype(np.int64)
    return tuple(found)


def _first_level(network: EntityNetwork, level: Level) -> OutlinedLevel:
    centres = unit_rows(membership(level.members, len(network.entities)) @ network.vectors)
    members, key_sentences = [], []
    for held, centre in zip(level.members, centres, strict=True):
        central = np.asarray(network.adjacency[held][:, held].sum(axis=1)).ravel()
        order = np.lexsort((held, -central))
        members.append(held[order])
        key_sentences.append(_telling(network, held, central + 1, centre))
    return OutlinedLevel(tuple(members), tuple(key_sentences))


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
