"""Writes the whole graph as GraphML, nodes and edges with their types."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.whole_graph import GraphEdge, GraphNode, all_edges, all_nodes
from noderag_local.system.disk.new_files import new_file
from noderag_local.system.printing.plain_text import printable

LABEL = 80
"""Number of characters of a text that a drawing shows."""


@dataclass(frozen=True, slots=True)
class WrittenGraph:
    """The result of writing a graph."""

    path: str
    nodes: int
    edges: int


def write_graph(store: Store, path: Path, *, force: bool) -> WrittenGraph:
    """Writes one state of a vault's graph.

    Args:
        store: the vault to export.
        path: the file to write.
        force: whether a file of the same name is replaced.

    Raises:
        SourceError: the file cannot be written, or is there already.
    """
    from noderag_local.graph.graphml import write_graphml

    with store.steady(), new_file(path, force=force) as file:
        nodes = ((node.id, _said(node)) for node in all_nodes(store))
        edges = ((edge.source, edge.target, _kind(edge)) for edge in all_edges(store))
        return WrittenGraph(str(path), *write_graphml(nodes, edges, file))


def _kind(edge: GraphEdge) -> dict[str, str | int | float]:
    return {"type": edge.type, "weight": edge.weight}


def _said(node: GraphNode) -> dict[str, str | int | float]:
    text = printable(node.text)
    label = " ".join(text.split())
    return {
        "label": label if len(label) <= LABEL else f"{label[: LABEL - 2].rstrip()} …",
        "type": node.type.name.lower(),
        "text": text,
        "path": printable(node.path),
        "line": node.first_line,
    }
