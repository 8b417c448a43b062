"""GraphML of small graphs."""

from __future__ import annotations

from io import BytesIO

import networkx as nx

from noderag_local.graph.graphml import write_graphml


def test_two_nodes_may_have_several_edges_and_an_end_that_is_no_node_is_left_out() -> None:
    file = BytesIO()
    nodes = [(1, {"label": 'Ann <&> "Lee"'}), (2, {"label": "鍵"})]
    edges = [(1, 2, {"type": "names"}), (1, 2, {"type": "similar"}), (1, 9, {"type": "names"})]
    assert write_graphml(nodes, edges, file) == (2, 2)
    file.seek(0)
    graph = nx.read_graphml(file, node_type=int, force_multigraph=True)
    assert dict(graph.nodes(data="label")) == {1: 'Ann <&> "Lee"', 2: "鍵"}
    assert sorted(kind for *_, kind in graph.edges(data="type")) == ["names", "similar"]


def test_a_graph_of_nothing() -> None:
    assert write_graphml([], [], BytesIO()) == (0, 0)
