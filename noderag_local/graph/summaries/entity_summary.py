"""Reads what the graph contains about an entity: description, relationships, units and communities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from noderag_local.domain.graph import EdgeType
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.fragments import FragmentRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.system.printing.cited_place import spanned
from noderag_local.text.statement import spoken

EXTRACTED = 0.5
"""Weight of the edge of an attribute that was copied from the notes because they did not support the model's text; the edge
of an attribute in the model's words has weight 1."""
MOST = 8
"""Maximum number of relationships and of units that are shown, in reading order."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A text and its place in a file."""

    text: str
    path: str
    first_line: int
    """0 if the file has no lines."""
    last_line: int
    place: str = ""
    """Place within the file; see `Source.place`."""


@dataclass(frozen=True, slots=True)
class Element:
    """A high-level element: a title and its description."""

    title: str
    description: str


@dataclass(frozen=True, slots=True)
class ShownCommunity:
    """A community that an entity belongs to, as it is shown."""

    members: int
    elements: tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class EntitySummary:
    """Everything that the language model has written about an entity; empty until it has read notes about it."""

    attribute: str
    attribute_copied: bool
    """Whether the attribute was copied from the notes because they did not support the model's text."""
    relationships: tuple[Placed, ...]
    """Statements of the entity's relationships, at most MOST."""
    all_relationships: int
    units: tuple[Placed, ...]
    """Semantic units that name the entity, at most MOST."""
    all_units: int
    communities: tuple[ShownCommunity, ...]


def entity_summary(store: Store, entity: int, *same: int) -> EntitySummary:
    """Returns everything that the language model has written about an entity.

    Args:
        store: the vault.
        entity: node id of the entity.
        same: node ids of entities that were merged with it.
    """
    graph, entities = GraphRows(store), [entity, *same]
    described = [one for node in entities for one in graph.edges_to(EdgeType.DESCRIBES, [node])]
    statements = _statements(store, [source for source, _, _ in graph.edges_to(EdgeType.RELATES, entities)])
    units = _sources_to(graph, EdgeType.NAMES, entities)
    communities = _sources_to(graph, EdgeType.MEMBER, entities)
    return EntitySummary(
        attribute=graph.names([described[0][0]])[0] if described else "",
        attribute_copied=bool(described) and described[0][2] <= EXTRACTED,
        relationships=tuple(_placed_statement(store, *one) for one in statements[:MOST]),
        all_relationships=len(statements),
        units=_placed_units(store, units[:MOST]),
        all_units=len(units),
        communities=tuple(_community(graph, community) for community in communities),
    )


def placed_statements(store: Store, relationship: int) -> tuple[Placed, ...]:
    """Returns every statement of a relationship, each with the place of the sentence that it was read from.

    Args:
        store: the vault.
        relationship: node id of the relationship.
    """
    return tuple(_placed_statement(store, *one) for one in _statements(store, [relationship]))


def elements_of(graph: GraphRows, elements: Sequence[int]) -> tuple[Element, ...]:
    """Returns high-level elements with their titles, sorted by title."""
    titled = {element: overview for overview, element, _ in graph.edges_to(EdgeType.TITLE, elements)}
    titles = dict(zip(titled, graph.names(list(titled.values())), strict=True))
    found = [Element(titles.get(node, ""), text) for node, text in zip(elements, graph.names(elements), strict=True)]
    return tuple(sorted(found, key=lambda element: (element.title, element.description)))


def _sources_to(graph: GraphRows, kind: EdgeType, entities: Sequence[int]) -> list[int]:
    """Returns the ascending nodes that have an edge of this type to one of the entities, without duplicates."""
    return sorted({source for source, _, _ in graph.edges_to(kind, entities)})


def _statements(store: Store, relationships: Sequence[int]) -> list[tuple[int, str]]:
    """Returns (chunk, statement) pairs of relationships, in reading order."""
    said = FragmentRows(store).of_nodes(relationships)
    return sorted({one for fragments in said.values() for one in fragments if one[1]})


def _placed_statement(store: Store, chunk: int, statement: str) -> Placed:
    text = TextRows(store).chunk_text(chunk)
    ids = _sentences_saying(statement, text.sentence_ids, text.sentences)
    return _placed(store, spoken(statement), ids)


def _sentences_saying(statement: str, ids: Sequence[int], sentences: Sequence[str]) -> Sequence[int]:
    """Returns the first sentence that names both ends of a statement; else the first that names its object; else all."""
    ends = [part.strip().casefold() for part in statement.split("|")]
    subject, value = ends[0], ends[-1]
    for wanted in ({subject, value}, {value}):
        for number, sentence in zip(ids, sentences, strict=True):
            if all(end in sentence.casefold() for end in wanted):
                return [number]
    return ids


def _placed_units(store: Store, units: Sequence[int]) -> tuple[Placed, ...]:
    graph = GraphRows(store)
    parts: dict[int, list[int]] = {}
    for unit, sentence, _ in graph.edges_from(EdgeType.PART, units):
        parts.setdefault(unit, []).append(sentence)
    return tuple(
        _placed(store, text, parts.get(unit, ())) for unit, text in zip(units, graph.names(units), strict=True)
    )


def _placed(store: Store, text: str, sentences: Sequence[int]) -> Placed:
    """Returns the text with the lines of its sentences in the file of the first one; without sentences, it has no place."""
    passages = TextRows(store).passages(sorted(sentences))
    here = [passage for passage in passages if passage.path == passages[0].path]
    if not here:
        return Placed(text, "", 0, 0)
    last_line = max(passage.last_line for passage in here)
    return Placed(text, here[0].path, here[0].first_line, last_line, spanned(passage.place for passage in here))


def _community(graph: GraphRows, community: int) -> ShownCommunity:
    elements = [target for _, target, _ in graph.edges_from(EdgeType.ELEMENT, [community])]
    return ShownCommunity(len(graph.edges_from(EdgeType.MEMBER, [community])), elements_of(graph, elements))
