"""Shows communities as themes, with their summaries, entities and documents."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.errors import NotFound
from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.domain.passages import Source
from noderag_local.graph.summaries.entity_summary import Element, elements_of
from noderag_local.storage.browsing.atlas_rows import AtlasRows
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.text.keywords import keywords
from noderag_local.vault.browsing.catalogue import EntityCatalogue
from noderag_local.vault.browsing.entity_page import NearEntity

TITLE_ENTITIES = 3
"""Most names in the title of a theme without one."""
UNITS = 40
ENTITIES = 40


@dataclass(frozen=True, slots=True)
class ListedTheme:
    """A community as a list shows it."""

    community: int
    title: str
    """Titles of the theme's elements; before the language model has summarised it, its most frequent names, or its commonest word."""
    members: int
    """Nodes of all types."""
    elements: int


@dataclass(frozen=True, slots=True)
class ThemeUnit:
    """A semantic unit of a theme."""

    text: str
    source: Source | None
    """First sentence that the unit was made from."""


@dataclass(frozen=True, slots=True)
class ThemePage:
    """A theme and what belongs to it."""

    community: int
    title: str
    members: int
    elements: tuple[Element, ...]
    entities: tuple[NearEntity, ...]
    """At most ENTITIES, best known first; `together` is the number of sentences that name each."""
    all_entities: int
    units: tuple[ThemeUnit, ...]
    """At most UNITS, in reading order."""
    all_units: int


def read_themes(store: Store, catalogue: EntityCatalogue) -> tuple[ListedTheme, ...]:
    """Reads all themes, largest first, ties by title."""
    with store.steady():
        edges = Snapshot.open(store).edges
        communities = GraphRows(store).nodes_of(NodeType.COMMUNITY)[0]
        overviews, _, titles = GraphRows(store).nodes_of(NodeType.OVERVIEW)
        members = _by_source(*edges[EdgeType.MEMBER][:2])
        elements = _by_source(*edges[EdgeType.ELEMENT][:2])
        title_of = dict(zip(overviews.tolist(), titles, strict=True))
        titled = {element: title_of[overview] for overview, element in _pairs(*edges[EdgeType.TITLE][:2])}
        found = []
        for community in communities.tolist():
            own = [titled[element] for element in elements[community] if element in titled]
            title = " · ".join(dict.fromkeys(sorted(own))) or _by_names(store, catalogue, members[community])
            found.append(ListedTheme(community, title, len(members[community]), len(elements[community])))
    return tuple(sorted(found, key=lambda theme: (-theme.members, theme.title, theme.community)))


def theme_page(store: Store, catalogue: EntityCatalogue, community: int) -> ThemePage:
    """Returns the page of a theme.

    Args:
        store: the vault to read.
        catalogue: entities of the same state of the vault.
        community: node of the theme.

    Raises:
        NotFound: there is no such community any more.
    """
    graph = GraphRows(store)
    with store.steady():
        if AtlasRows(store).types([community]).get(community) is not NodeType.COMMUNITY:
            raise NotFound("The themes have been made anew. Go back and choose again.")
        members = graph.targets_of([EdgeType.MEMBER], [community]).get(community, [])
        types = AtlasRows(store).types(members)
        elements = elements_of(graph, [target for _, target, _ in graph.edges_from(EdgeType.ELEMENT, [community])])
        units = [node for node in members if types.get(node) is NodeType.SEMANTIC_UNIT]
        rows = _entity_rows(catalogue, members)
        return ThemePage(
            community,
            " · ".join(dict.fromkeys(one.title for one in elements if one.title))
            or _by_names(store, catalogue, members),
            len(members),
            elements,
            tuple(_near(catalogue, row) for row in rows[:ENTITIES]),
            len(rows),
            _units(store, units[:UNITS]),
            len(units),
        )


def _units(store: Store, units: list[int]) -> tuple[ThemeUnit, ...]:
    graph = GraphRows(store)
    first = {unit: parts[0] for unit, parts in graph.targets_of([EdgeType.PART], units).items()}
    found = dict(zip(first, TextRows(store).passages(first.values()), strict=True))
    named = zip(units, graph.names(units), strict=True)
    ordered = sorted(named, key=lambda unit: (first.get(unit[0], unit[0]), unit[1]))
    return tuple(ThemeUnit(text, found.get(unit)) for unit, text in ordered)


def _entity_rows(catalogue: EntityCatalogue, nodes: list[int]) -> list[int]:
    """Returns the rows of the nodes that are entities, best known first."""
    return sorted({row for node in nodes if (row := catalogue.row_of(node)) is not None})


def _near(catalogue: EntityCatalogue, row: int) -> NearEntity:
    entity = catalogue.entity(row)
    return NearEntity(entity.node, entity.name, entity.mentions)


def _by_names(store: Store, catalogue: EntityCatalogue, nodes: list[int]) -> str:
    """Returns the names that tell most about a theme, those with a note first; if there is no name, its commonest word."""
    rows = [row for row in _entity_rows(catalogue, nodes) if catalogue.is_name(row)]
    names = [catalogue.names[row] for row in sorted(rows, key=lambda row: (not catalogue.is_noted(row), row))]
    return " · ".join(names[:TITLE_ENTITIES]) or _commonest_word(GraphRows(store).names(nodes))


def _commonest_word(texts: Iterable[str]) -> str:
    """Returns the word in most of some texts, of equally frequent ones the longest; "" if none has a meaning of its own."""
    counts = Counter(word for text in texts for word in keywords(text) if word.isalpha())
    return min(counts, key=lambda word: (-counts[word], -len(word), word), default="")


def _pairs(sources: NDArray[np.int64], targets: NDArray[np.int64]) -> list[tuple[int, int]]:
    return list(zip(sources.tolist(), targets.tolist(), strict=True))


def _by_source(sources: NDArray[np.int64], targets: NDArray[np.int64]) -> defaultdict[int, list[int]]:
    found: defaultdict[int, list[int]] = defaultdict(list)
    for source, target in _pairs(sources, targets):
        found[source].append(target)
    return found
