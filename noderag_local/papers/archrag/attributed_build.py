"""Builds and stores the hierarchy of attributed communities, one level after the other (ArchRAG, section 3.1.2, Algorithm 1)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.graph.vectors.node_embedding import embed_texts
from noderag_local.models.embedding.embedder import Embedder
from noderag_local.papers.archrag.attributed_communities import ARCHRAG, FEWEST_TO_CLUSTER
from noderag_local.papers.archrag.attributed_network import EntityNetwork, entity_network
from noderag_local.papers.archrag.attributed_outline import OutlinedLevel, outlined
from noderag_local.papers.archrag.attributed_summaries import summaries_of
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.attributed_rows import AttributedRows, NewLevel, StoredLevel
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.merged_names import MergedNames
from noderag_local.storage.graph.whole_graph import named_nodes
from noderag_local.storage.graph.work_items import WorkItemRows
from noderag_local.storage.vectors.vectors import VectorRows

ATTRIBUTED_OF = "attributed communities of"
"""Name of the stored fact that says which network the hierarchy was made from or brought up to date with."""
ATTRIBUTED_ENTITIES = "attributed communities made of"
"""Name of the stored fact that says how many linked entities there were when all communities were found."""
ATTRIBUTED_TOP = "attributed communities end below"
"""Name of the stored fact that says which level could not be found in which network."""
DRIFT = 0.25
"""Share of entities by which the vault grows or shrinks before all communities are found again.

In between, known communities grow (community_growth.py), which is worse than finding them, but costs only the summaries that
change."""

_EDGES = (EdgeType.MENTION, EdgeType.RECOGNISED, EdgeType.RELATES, EdgeType.ALIAS)
_METHOD = 1
"""Version of the method; raise it when the method changes, so that all communities are brought up to date."""


class AttributedStep:
    """A `Step` that brings the hierarchy up to date when entities or sentences have changed, or finds its first level.

    A community is identified by its members and the sentences about it. While these stay the same, the model is not asked about
    it again. After much change all communities are found again; those that come out the same keep their summaries.
    """

    name = "arch-communities"

    def needed(self, store: Store) -> bool:
        """Returns whether the network has changed since the hierarchy was brought up to date."""
        return store.facts.get(ATTRIBUTED_OF) != _state(read_network(store))

    def run(self, store: Store, advanced: Callable[[int, int], None], cancelled: Callable[[], bool]) -> None:
        """Finds the communities, or brings all levels up to date, and stores them in one transaction."""
        network = read_network(store)
        entities = int((np.diff(network.adjacency.indptr) > 0).sum())
        stored = AttributedRows(store).levels()
        is_new = not stored or _has_drifted(store, entities)
        levels = _outlined(network, () if is_new else stored, 1 if is_new else len(stored))
        if cancelled():
            return
        with store.transaction():
            AttributedRows(store).replace(new_levels(store, network, levels, stored))
            store.facts[ATTRIBUTED_OF] = _state(network)
            if is_new or ATTRIBUTED_ENTITIES not in store.facts:
                store.facts[ATTRIBUTED_ENTITIES] = str(entities)
        communities = sum(len(level.members) for level in levels)
        advanced(communities, communities)

    def drop(self, store: Store) -> None:
        """Removes all levels and the model's summaries of them."""
        with store.transaction():
            AttributedRows(store).remove(1)
            store.facts.pop(ATTRIBUTED_OF, None)
            store.facts.pop(ATTRIBUTED_ENTITIES, None)
            store.facts.pop(ATTRIBUTED_TOP, None)


class UpperLevelStep:
    """A `Step` that finds the communities of one level above the first, from the summaries of the level below.

    So it waits until the model has been asked about every community below. Until then, searches find this level in memory.
    """

    def __init__(self, level: int) -> None:
        """Keeps the level, from 2."""
        self.name = f"arch-communities-{level}"
        self._level = level

    def needed(self, store: Store) -> bool:
        """Returns whether this level is missing and all communities below it have been summarised."""
        if store.facts.get(ATTRIBUTED_TOP) == self._top(store):
            return False
        levels = AttributedRows(store).levels()
        if len(levels) != self._level - 1 or len(levels[-1].ids) < FEWEST_TO_CLUSTER:
            return False
        asked = WorkItemRows(store).state(summaries_of(self._level - 1))
        return asked.keys() >= set(levels[-1].ids.tolist())

    def run(self, store: Store, advanced: Callable[[int, int], None], cancelled: Callable[[], bool]) -> None:
        """Finds the communities and stores them in one transaction; notes if there are none."""
        network = read_network(store)
        stored = AttributedRows(store).levels()
        levels = _outlined(network, stored, self._level)
        if cancelled():
            return
        with store.transaction():
            if len(levels) < self._level:
                store.facts[ATTRIBUTED_TOP] = self._top(store)
            else:
                AttributedRows(store).replace(new_levels(store, network, levels, stored))
        communities = sum(len(level.members) for level in levels[self._level - 1 :])
        advanced(communities, communities)

    def drop(self, store: Store) -> None:
        """Removes this level and those above it."""
        with store.transaction():
            AttributedRows(store).remove(self._level)
            store.facts.pop(ATTRIBUTED_TOP, None)

    def _top(self, store: Store) -> str:
        return f"{self._level} {store.facts.get(ATTRIBUTED_OF)}"


def _outlined(network: EntityNetwork, stored: Sequence[StoredLevel], levels: int) -> tuple[OutlinedLevel, ...]:
    return outlined(network, stored, replace(ARCHRAG, levels=levels))


def _has_drifted(store: Store, entities: int) -> bool:
    """Returns whether the number of linked entities differs much from the one that the communities were found among.

    A vault of an earlier version does not know that number, and keeps its communities.
    """
    made_of = int(store.facts.get(ATTRIBUTED_ENTITIES, entities))
    return abs(entities - made_of) > DRIFT * made_of


def read_network(store: Store) -> EntityNetwork:
    """Reads the current entities of a vault; the edges of a merged entity belong to the entity that it was merged into."""
    graph = GraphRows(store)
    with store.steady():
        entities, keys, _ = named_nodes(store, NodeType.ENTITY)
        sentences, vectors = VectorRows(store).matrix(NodeType.SENTENCE)
        edges = MergedNames(store).edges({kind: graph.edges(kind) for kind in _EDGES})
    return entity_network(entities, keys, sentences, vectors, edges)


def new_levels(
    store: Store, network: EntityNetwork, levels: Sequence[OutlinedLevel], stored: Sequence[StoredLevel] = ()
) -> list[NewLevel]:
    """Returns the levels with node ids instead of rows, each community with its key.

    Args:
        store: the vault.
        network: its entities.
        levels: the levels as they are now.
        stored: the levels that these were made from.
    """
    wanted = sorted({int(row) for level in levels for key_sentences in level.key_sentences for row in key_sentences})
    sentences = network.sentences[wanted].tolist()
    texts = dict(zip(wanted, TextRows(store).sentence_texts(sentences), strict=True))
    below: Sequence[str] = network.keys
    found: list[NewLevel] = []
    for place, level in enumerate(levels):
        keys = tuple(
            _key([below[int(row)] for row in held], [texts[int(row)] for row in key_sentences])
            for held, key_sentences in zip(level.members, level.key_sentences, strict=True)
        )
        members = level.members if place else tuple(network.entities[held] for held in level.members)
        told = tuple(network.sentences[key_sentences] for key_sentences in level.key_sentences)
        ids = [*stored[place].ids.tolist(), 0] if place < len(stored) else [0]
        found.append(NewLevel(keys, members, told, np.array(ids, np.int64)[level.continues]))
        below = keys
    return found


def _key(members: Sequence[str], texts: Sequence[str]) -> str:
    known_by = "\n".join([*sorted(members), "", *sorted(texts)])
    return hashlib.sha256(known_by.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _state(network: EntityNetwork) -> str:
    return f"{network.digest} {_METHOD}"


class AttributedEmbeddingStep:
    """A `Step` that embeds every community that the model has summarised; the others use the vectors of their sentences."""

    name = "arch-embedding"

    def __init__(self, embedder: Callable[[], Embedder]) -> None:
        """Keeps the function that loads the model; it is called only when a text must be embedded."""
        self._embedder = embedder

    def needed(self, store: Store) -> bool:
        """Returns whether a summarised community lacks its vector."""
        return bool(_missing(store))

    def run(self, store: Store, advanced: Callable[[int, int], None], cancelled: Callable[[], bool]) -> None:
        """Embeds the summaries without a vector, each block in one transaction."""
        embed_texts(store, _missing(store), self._embedder, advanced, cancelled)

    def drop(self, store: Store) -> None:
        """Removes the vectors of all summaries."""
        with store.transaction():
            VectorRows(store).remove(VectorRows(store).matrix(NodeType.ATTRIBUTED_COMMUNITY)[0].tolist())


def _missing(store: Store) -> list[tuple[int, str]]:
    """Returns (community, title and text) of the summarised communities without a vector, ordered by key."""
    rows = AttributedRows(store)
    missing = VectorRows(store).missing_nodes(NodeType.ATTRIBUTED_COMMUNITY)
    keys = rows.keys(missing)
    return sorted(
        ((node, f"{title}. {text}") for node, (title, text) in rows.written(missing).items()),
        key=lambda one: keys[one[0]],
    )
