"""Stores and removes high-level elements and their titles, which are nodes of their own (overviews)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.graph.summaries.summary_lines import ElementLine
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.text.identity import entity_key


def put_elements(store: Store, community: int, community_key: str, lines: Sequence[ElementLine]) -> None:
    """Replaces the elements of a community; call it inside a transaction."""
    graph = GraphRows(store)
    forget_elements(store, [community])
    if not lines:
        return
    keys = [f"{community_key} {place}" for place in range(len(lines))]
    elements = graph.put_nodes(
        NodeType.HIGH_LEVEL_ELEMENT, [(key, line.description) for key, line in zip(keys, lines, strict=True)]
    )
    overviews = graph.put_nodes(NodeType.OVERVIEW, _titled(graph, [line.title for line in lines]))
    graph.add_edges(EdgeType.ELEMENT, [community] * len(lines), elements, [1.0] * len(lines))
    graph.add_edges(EdgeType.TITLE, overviews, elements, [1.0] * len(lines))


def forget_elements(store: Store, communities: Collection[int]) -> None:
    """Removes the elements of communities and the overviews that no other element has as its title; call it in a transaction."""
    graph = GraphRows(store)
    elements = [target for _, target, _ in graph.edges_from(EdgeType.ELEMENT, communities)]
    if not elements:
        return
    overviews = {source for source, _, _ in graph.edges_to(EdgeType.TITLE, elements)}
    graph.remove_nodes(elements)
    in_use = {source for source, _, _ in graph.edges_from(EdgeType.TITLE, overviews)}
    graph.remove_nodes(sorted(overviews - in_use))


def _titled(graph: GraphRows, titles: Sequence[str]) -> list[tuple[str, str]]:
    """Returns (key, name) of the titles; of several spellings, the first by code points, whatever the order of the work."""
    keys = [entity_key(title) for title in titles]
    known = graph.find(NodeType.OVERVIEW, keys)
    there = dict(zip(known, graph.names(list(known.values())), strict=True))
    spellings: dict[str, set[str]] = {key: {there[key]} if key in there else set() for key in keys}
    for key, title in zip(keys, titles, strict=True):
        spellings[key].add(title)
    return [(key, min(spellings[key])) for key in keys]
