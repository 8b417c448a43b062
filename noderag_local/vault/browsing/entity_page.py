"""Makes the page of an entity, with everything that the vault has about it and links to neighbours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from noderag_local.domain.errors import NotFound
from noderag_local.domain.graph import EdgeType, EntityKind, NodeType
from noderag_local.domain.passages import Source
from noderag_local.graph.summaries.entity_summary import EntitySummary, entity_summary
from noderag_local.storage.browsing.atlas_rows import AtlasRows, SentenceFile
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.merged_names import MergedNames
from noderag_local.text.dates.document_days import days_of
from noderag_local.vault.browsing.catalogue import kind_of
from noderag_local.vault.browsing.relations import StatedRelation, relations_of

MENTIONS = 100
"""Number of sentences on a page: the earliest ones."""
NEAR = 30
WIDELY = 2000
"""Maximal number of sentences in which co-occurring entities are counted; a more frequent entity occurs with everything."""

_NAMING = (EdgeType.MENTION, EdgeType.RECOGNISED)


@dataclass(frozen=True, slots=True)
class NearEntity:
    """An entity that occurs together with another one."""

    node: int
    name: str
    together: int
    """Number of sentences that mention both."""


@dataclass(frozen=True, slots=True)
class DatedMention:
    """A sentence that names an entity."""

    day: str
    """Day of the sentence's document, such as 2026-03-05: the first date in the file's name, else the day that the document tells
    itself, else that of its last change."""
    source: Source


@dataclass(frozen=True, slots=True)
class EntityPage:
    """An entity with its other names, neighbours and sentences."""

    node: int
    name: str
    kind: EntityKind
    summary: EntitySummary
    merged: tuple[str, ...]
    """Other names that are merged with this one, sorted."""
    same: tuple[NearEntity, ...]
    """Entities that mean the same in some documents: acronyms and labels of links."""
    relations: tuple[StatedRelation, ...]
    """Relations that the notes state, those of its own page first."""
    near: tuple[NearEntity, ...]
    """Entities that occur in the same sentences, the most frequent first."""
    mentions: tuple[DatedMention, ...]
    """Sentences that name the entity, sorted by day; at most MENTIONS."""
    all_mentions: int


def entity_page(store: Store, node: int, counted: Collection[int] = ()) -> EntityPage:
    """Returns the page of an entity.

    Args:
        store: the vault.
        node: the entity.
        counted: entities whose sentences count for it, as those of "Met Ann Lee" for "Ann Lee".

    Raises:
        NotFound: there is no such entity any more.
    """
    graph = GraphRows(store)
    with store.steady():
        if AtlasRows(store).types([node]).get(node) is not NodeType.ENTITY:
            raise NotFound("This entity is not in the vault any more. Go back, or search for it again.")
        names = MergedNames(store)
        entities = names.all_of(node)
        node, (name, *merged) = entities[0], graph.names(entities)
        own = {*entities, *counted}
        naming = sorted({source for kind in _NAMING for source, _, _ in graph.edges_to(kind, own)})
        return EntityPage(
            node,
            name,
            kind_of(name),
            entity_summary(store, *entities),
            tuple(sorted(merged)),
            _same(graph, names, entities),
            relations_of(store, node),
            near_entities(graph, names.stands_for, naming[:WIDELY], own, NEAR),
            _mentions(store, naming),
            len(naming),
        )


def entity_page_within(store: Store, node: int, sentences: Collection[int], shown: Collection[int]) -> EntityPage:
    """Returns what some sentences tell about an entity, under this name alone and without what the model wrote.

    Args:
        store: the vault.
        node: the entity.
        sentences: the only sentences that are looked at.
        shown: the entities that these sentences name.

    Raises:
        NotFound: none of the sentences names the entity.
    """
    graph = GraphRows(store)
    with store.steady():
        naming = sorted(
            {source for kind in _NAMING for source, _, _ in graph.edges_to(kind, [node]) if source in sentences}
        )
        if not naming:
            raise NotFound("No note names this entity.")
        name = graph.names([node])[0]
        nothing = EntitySummary("", False, (), 0, (), 0, ())
        aliases = [one for one in _same(graph, MergedNames(store), [node]) if one.node in shown]
        near = near_entities(graph, _itself, naming[:WIDELY], {node}, NEAR)
        return EntityPage(
            node, name, kind_of(name), nothing, (), tuple(aliases), (), near, _mentions(store, naming), len(naming)
        )


def near_entities(
    graph: GraphRows, stands_for: Callable[[int], int], sentences: Sequence[int], left_out: set[int], limit: int
) -> tuple[NearEntity, ...]:
    """Returns the entities that the given sentences mention most often, ties by name.

    Args:
        graph: the vault's graph.
        stands_for: entity → the entity that stands for it.
        sentences: the sentences.
        left_out: entities that are not counted.
        limit: most entities.
    """
    together = Counter(
        entity
        for entities in graph.targets_of(_NAMING, sentences).values()
        for entity in set(map(stands_for, entities))
        if entity not in left_out
    )
    nodes = sorted(together, key=lambda entity: (-together[entity], entity))[: 2 * limit]
    found = [NearEntity(entity, name, together[entity]) for entity, name in zip(nodes, graph.names(nodes), strict=True)]
    return tuple(sorted(found, key=lambda one: (-one.together, one.name, one.node))[:limit])


def _itself(entity: int) -> int:
    return entity


def _same(graph: GraphRows, names: MergedNames, entities: Sequence[int]) -> tuple[NearEntity, ...]:
    kind = EdgeType.ALIAS
    nodes = {target for _, target, _ in graph.edges_from(kind, entities)}
    nodes |= {source for source, _, _ in graph.edges_to(kind, entities)}
    ordered = sorted({names.stands_for(node) for node in nodes} - {entities[0]})
    found = [NearEntity(other, name, 0) for other, name in zip(ordered, graph.names(ordered), strict=True)]
    return tuple(sorted(found, key=lambda one: (one.name, one.node)))


def _mentions(store: Store, sentences: Sequence[int]) -> tuple[DatedMention, ...]:
    files = AtlasRows(store).files_of(sentences)
    days = {one.sentence: days_of(one.path, one.modified_ns, one.day)[0].isoformat() for one in files}

    def place(one: SentenceFile) -> tuple[str, str, int]:
        return days[one.sentence], one.path, one.sentence

    chosen = sorted(files, key=place)[:MENTIONS]
    found = TextRows(store).passages([one.sentence for one in chosen])
    return tuple(DatedMention(days[one.sentence], source) for one, source in zip(chosen, found, strict=True))
