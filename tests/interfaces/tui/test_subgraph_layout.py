"""The drawing of a small layered graph."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from noderag_local.interfaces.tui.chat.answers.subgraph_layout import ARROW, NARROWEST, Drawing, drawing

Graph = tuple[list[int], list[tuple[int, int]]]


def drawn(graph: Drawing, names: str) -> list[str]:
    """The lines, each node as the letter of its place."""
    rows = [[" "] * graph.width for _ in range(graph.height)]
    for (line, column), sign in graph.signs.items():
        rows[line][column] = sign
    for name, box in zip(names, graph.boxes, strict=True):
        rows[box.line][box.column] = name
    return ["".join(row).rstrip() for row in rows]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Up to 15 nodes in up to five layers, with edges to later layers."""
    layers = [0, *draw(st.lists(st.integers(1, 4), max_size=14))]
    pairs = [(a, b) for a in range(len(layers)) for b in range(len(layers)) if layers[a] < layers[b]]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=16)) if pairs else []
    return layers, edges


def test_two_nodes_and_an_edge() -> None:
    assert drawn(drawing([0, 1], [(0, 1)], 12, 1), "ab") == ["a─▸ b"]


def test_a_fork_shares_one_line() -> None:
    assert drawn(drawing([0, 1, 1, 1], [(0, 1), (0, 2), (0, 3)], 12, 9), "abcd") == [
        "  ┌▸ b",
        "  │",
        "a─┼▸ c",
        "  │",
        "  └▸ d",
    ]


def test_without_room_the_lines_are_closed_up() -> None:
    assert drawn(drawing([0, 1, 1], [(0, 1), (0, 2)], 12, 2), "abc") == ["a─┬▸ b", "  └▸ c"]


def test_nets_that_cross_show_the_upright_line_alone() -> None:
    crossing = drawing([0, 0, 1, 1, 2], [(0, 2), (0, 3), (1, 2), (2, 4)], 40, 9)
    assert "┼" not in "".join(crossing.signs.values())


def test_an_edge_over_a_layer_passes_it_by_on_a_line_of_its_own() -> None:
    graph = drawing([0, 1, 2], [(0, 1), (1, 2), (0, 2)], 40, 9)
    passing = [cell for cell, edges in graph.edges_at.items() if edges == {(0, 2)}]
    of_node = graph.boxes[1]
    assert any(
        line != of_node.line and of_node.column <= column < of_node.column + of_node.width for line, column in passing
    )


def test_empty_layers_take_no_room_and_nothing_is_nothing() -> None:
    assert drawn(drawing([0, 4], [(0, 1)], 12, 1), "ab") == ["a─▸ b"]
    empty = drawing([], [], 80, 9)
    assert (empty.height, empty.boxes) == (0, ())


@settings(deadline=None)
@given(graphs(), st.integers(40, 200), st.integers(1, 30))
def test_every_edge_can_be_followed_from_its_start_to_its_end(graph: Graph, width: int, lines: int) -> None:
    layers, edges = graph
    found = drawing(layers, edges, width, lines)
    for start, end in edges:
        cells = {cell for cell, through in found.edges_at.items() if (start, end) in through}
        reached = {(found.boxes[start].line, found.boxes[start].column + found.boxes[start].width)}
        assert reached <= cells, "it leaves its start"
        frontier = reached
        while frontier:
            beside = {(a + da, b + db) for a, b in frontier for da, db in ((0, 1), (1, 0), (-1, 0))}
            frontier = (beside & cells) - reached
            reached |= frontier
        arrow = (found.boxes[end].line, found.boxes[end].column - 2)
        assert arrow in reached and found.signs[arrow] == ARROW, "it comes to its end"


@settings(deadline=None)
@given(graphs(), st.integers(60, 200), st.integers(1, 30))
def test_nodes_never_touch_and_the_same_graph_gives_the_same_drawing(graph: Graph, width: int, lines: int) -> None:
    layers, edges = graph
    found = drawing(layers, edges, width, lines)
    assert len({(box.line, box.column) for box in found.boxes}) == len(layers)
    assert all(box.width >= NARROWEST or box.column == 0 for box in found.boxes)
    assert all(0 <= box.line < found.height for box in found.boxes)
    assert drawing(layers, edges[::-1], width, lines) == found
