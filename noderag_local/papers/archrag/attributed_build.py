"""Builds and stores the hierarchy of attributed communities, without a language model (ArchRAG, section 3.1.2)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.graph.vectors.node_embedding import embed_texts
from noderag_local.models.embedding.embedder import Embedder
from noderag_local.papers.archrag.attributed_communities import hierarchy
from noderag_local.papers.archrag.attributed_network import EntityNetwork, entity_network
from noderag_local.papers.archrag.attributed_outline import OutlinedLevel, outlined
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.attributed_rows import AttributedRows, NewLevel
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.merged_names import MergedNames
from noderag_local.storage.graph.whole_graph import named_nodes
from noderag_local.storage.vectors.vectors import VectorRows

ATTRIBUTED_OF = "attributed communities of"
"""Name of the stored fact that says which network the hierarchy was made from."""

_EDGES = (EdgeType.MENTION, EdgeType.RECOGNISED, EdgeType.RELATES, EdgeType.ALIAS)
_METHOD = 1
"""Version of the method; raise it when the method changes, so that all communities are found again."""


class AttributedStep:
    """A `Step` that builds the hierarchy again when entities or sentences have changed.

    A community is identified by its members and the sentences about it. While these stay the same, it keeps the model's summary.
    """

    name = "arch-communities"

    def needed(self, store: Store) -> bool:
        """Returns whether the network has changed since the hierarchy was built."""
        return store.facts.get(ATTRIBUTED_OF) != _state(read_network(store))

    def run(self, store: Store, advanced: Callable[[int, int], None], cancelled: Callable[[], bool]) -> None:
        """Finds the communities and stores all levels, in one transaction."""
        network = read_network(store)
        levels = outlined(network, hierarchy(network.adjacency, network.vectors))
        if cancelled():
            return
        with store.transaction():
            AttributedRows(store).replace(new_levels(store, network, levels))
            store.facts[ATTRIBUTED_OF] = _state(network)
        communities = sum(len(level.members) for level in levels)
        advanced(communities, communities)

    def drop(self, store: Store) -> None:
        """Removes all levels and the model's summaries of them."""
        with store.transaction():
            AttributedRows(store).remove()
            store.facts.pop(ATTRIBUTED_OF, None)


def read_network(store: Store) -> EntityNetwork:
    """Reads the current entities of a vault; the edges of a merged entity belong to the entity that it was merged into."""
    graph = GraphRows(store)
    with store.steady():
        entities, keys, _ = named_nodes(store, NodeType.ENTITY)
        sentences, vectors = VectorRows(store).matrix(NodeType.SENTENCE)
        edges = MergedNames(store).edges({kind: graph.edges(kind) for kind in _EDGES})
    return entity_network(entities, keys, sentences, vectors, edges)


def new_levels(store: Store, network: EntityNetwork, levels: Sequence[OutlinedLevel]) -> list[NewLevel]:
    """Returns the levels with node ids instead of rows, each community with its key."""
    wanted = sorted({int(row) for level in levels for key_sentences in level.key_sentences for row in key_sentences})
    sentences = network.sentences[wanted].tolist()
    texts = dict(zip(wanted, TextRows(store).sentence_texts(sentences), strict=True))
    below: Sequence[str] = network.keys
    found: list[NewLevel] = []
    for level in levels:
        keys = tuple(
            _key([below[int(row)] for row in held], [texts[int(row)] for row in key_sentences])
            for held, key_sentences in zip(level.members, level.key_sentences, strict=True)
        )
        members = level.members if found else tuple(network.entities[held] for held in level.members)
        found.append(
            NewLevel(keys, members, tuple(network.sentences[key_sentences] for key_sentences in level.key_sentences))
        )
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
