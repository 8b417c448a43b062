"""Writes a graph as GraphML, which Gephi, yEd, Cytoscape and networkx read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import BinaryIO

import networkx as nx

Attributes = Mapping[str, str | int | float]


def write_graphml(
    nodes: Iterable[tuple[int, Attributes]], edges: Iterable[tuple[int, int, Attributes]], file: BinaryIO
) -> tuple[int, int]:
    """Writes nodes and edges as GraphML and returns how many of each were written.

    Args:
        nodes: (id, attributes); texts must be free of control characters, which XML does not allow.
        edges: (source, target, attributes); several may join two nodes. Edges to unknown nodes are left out.
        file: file opened for writing bytes.
    """
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(nodes)
    # One numbering for all keys: Gephi uses the keys as ids and refuses duplicates.
    known = ((source, target, said) for source, target, said in edges if source in graph and target in graph)
    for number, (source, target, said) in enumerate(known):
        graph.add_edge(source, target, key=number, **said)
    nx.write_graphml(graph, file)
    return graph.number_of_nodes(), graph.number_of_edges()
