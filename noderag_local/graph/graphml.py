"""Writes a graph for Gephi, yEd, Cytoscape and networkx."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import BinaryIO

import networkx as nx

Attributes = Mapping[str, str | int | float]


def write_graphml(
    nodes: Iterable[tuple[int, Attributes]], edges: Iterable[tuple[int, int, Attributes]], file: BinaryIO
) -> tuple[int, int]:
    """Writes GraphML and returns the numbers of nodes and edges.

    Args:
        nodes: (id, attributes); texts without controls, which XML cannot carry.
        edges: (source, target, attributes); two nodes may have several, and an end that is no node is left out.
        file: open for writing bytes.
    """
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(nodes)
    # Numbered through: Gephi takes the keys for ids, and refuses one that comes twice.
    known = ((source, target, said) for source, target, said in edges if source in graph and target in graph)
    for number, (source, target, said) in enumerate(known):
        graph.add_edge(source, target, key=number, **said)
    nx.write_graphml(graph, file)
    return graph.number_of_nodes(), graph.number_of_edges()
