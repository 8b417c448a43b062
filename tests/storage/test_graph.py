from __future__ import annotations

import numpy as np
import pytest
from helpers.small_documents import add, document, unit_rows

from noderag_local.domain.graph import EdgeType, Neighbour, NodeType
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.fragments import FragmentRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.work_items import WorkItem, WorkItemRows
from noderag_local.storage.vectors.vectors import VectorRows


@pytest.fixture
def graph(store: Store) -> GraphRows:
    return GraphRows(store)


def test_a_key_keeps_its_id_and_takes_the_last_name(graph: GraphRows) -> None:
    first = graph.put_nodes(NodeType.ENTITY, [("ada", "Ada"), ("bob", "Bob"), ("ada", "ADA")])
    assert first[0] == first[2] != first[1]
    again = graph.put_nodes(NodeType.ENTITY, [("carol", "Carol"), ("ada", "Ada L.")])
    assert again[1] == first[0]
    ids, keys, names = graph.nodes_of(NodeType.ENTITY)
    assert (ids.tolist(), keys, names) == (
        [first[0], first[1], again[0]],
        ["ada", "bob", "carol"],
        ["Ada L.", "Bob", "Carol"],
    )


def test_entities_and_keywords_may_share_a_key(graph: GraphRows) -> None:
    entity, keyword = (graph.put_nodes(kind, [("may", "May")])[0] for kind in (NodeType.ENTITY, NodeType.KEYWORD))
    assert entity != keyword
    assert graph.find(NodeType.ENTITY, ["may", "june", 'a "b']) == {"may": entity}
    assert graph.find(NodeType.KEYWORD, ["may"]) == {"may": keyword}


def test_edges_come_back_in_the_order_of_their_keys(graph: GraphRows) -> None:
    graph.replace_edges(EdgeType.SEMANTIC, [5, 1, 1], [6, 9, 2], np.array([0.5, 0.25, 1], np.float32))
    graph.replace_edges(EdgeType.MENTION, [1], [2], [3.0])
    sources, targets, weights = graph.edges(EdgeType.SEMANTIC)
    assert (sources.tolist(), targets.tolist(), weights.tolist()) == ([1, 1, 5], [2, 9, 6], [1, 0.25, 0.5])
    assert (sources.dtype, targets.dtype, weights.dtype) == (np.int64, np.int64, np.float32)
    graph.replace_edges(EdgeType.SEMANTIC, [], [], [])
    assert [column.tolist() for column in graph.edges(EdgeType.SEMANTIC)] == [[], [], []]
    assert graph.edges(EdgeType.MENTION)[0].tolist() == [1]


def test_every_type_of_edge_is_a_type_of_its_own(graph: GraphRows) -> None:
    for number, kind in enumerate(EdgeType):
        graph.replace_edges(kind, [number], [number], [1])
    assert [graph.edges(kind)[0].tolist() for kind in EdgeType] == [[number] for number in range(len(EdgeType))]


def test_orphans_are_nodes_that_no_edge_touches(graph: GraphRows) -> None:
    mentioned, alias, about, _, keyword, _ = (
        graph.put_nodes(kind, [(key, key)])[0].item()
        for kind, key in (
            (NodeType.ENTITY, "mentioned"),
            (NodeType.ENTITY, "alias"),
            (NodeType.ENTITY, "about"),
            (NodeType.ENTITY, "gone"),
            (NodeType.KEYWORD, "word"),
            (NodeType.KEYWORD, "gone"),
        )
    )
    graph.replace_edges(EdgeType.MENTION, [100], [mentioned], [1])
    graph.replace_edges(EdgeType.SUBJECT, [100], [about], [1])
    graph.replace_edges(EdgeType.ALIAS, [alias], [mentioned], [1])
    graph.replace_edges(EdgeType.KEYWORD, [100], [keyword], [1])
    graph.drop_orphans([NodeType.ENTITY])
    assert graph.nodes_of(NodeType.ENTITY)[1] == ["mentioned", "alias", "about"]
    assert graph.nodes_of(NodeType.KEYWORD)[1] == ["word", "gone"]
    graph.drop_orphans([NodeType.KEYWORD])
    assert graph.nodes_of(NodeType.KEYWORD)[1] == ["word"]


def test_names_that_are_there_may_be_left_alone(graph: GraphRows) -> None:
    graph.put_nodes(NodeType.ENTITY, [("ada", "Ada")])
    graph.put_nodes(NodeType.ENTITY, [("ada", "ADA"), ("bob", "Bob")], rename=False)
    assert graph.nodes_of(NodeType.ENTITY)[2] == ["Ada", "Bob"]


def test_another_text_is_to_be_embedded_again(store: Store, graph: GraphRows) -> None:
    ids = graph.put_nodes(NodeType.ATTRIBUTE, [("ada", "Ada writes."), ("bob", "Bob reads.")])
    VectorRows(store).put(ids, unit_rows(2, 8, seed=1))
    graph.put_nodes(NodeType.ATTRIBUTE, [("ada", "Ada wrote."), ("bob", "Bob reads.")])
    assert VectorRows(store).missing_nodes(NodeType.ATTRIBUTE) == [ids[0]]
    assert VectorRows(store).matrix(NodeType.ATTRIBUTE)[0].tolist() == [ids[1]]


def test_edges_are_added_to_those_of_their_type(graph: GraphRows) -> None:
    graph.add_edges(EdgeType.NAMES, [1, 2], [9, 9], [1.0, 1.0])
    graph.add_edges(EdgeType.NAMES, [2, 3], [9, 8], [0.5, 1.0])
    assert graph.edges_from(EdgeType.NAMES, [2, 3, 4]) == [(2, 9, 0.5), (3, 8, 1.0)]
    assert graph.edges_to(EdgeType.NAMES, [9]) == [(1, 9, 1.0), (2, 9, 0.5)]
    assert graph.targets_of([EdgeType.NAMES, EdgeType.MENTION], [1, 3, 7]) == {1: [9], 3: [8]}


@pytest.mark.parametrize("kind", EdgeType)
def test_edges_of_a_node_are_removed_at_both_ends(graph: GraphRows, kind: EdgeType) -> None:
    graph.replace_edges(kind, [1, 2, 3], [2, 3, 4], [1, 1, 1])
    other = EdgeType.LINK if kind is not EdgeType.LINK else EdgeType.ALIAS
    graph.replace_edges(other, [1], [2], [1])
    assert graph.edges_to(kind, [2]) == [(1, 2, 1.0)]
    graph.remove_edges_of(kind, [2])
    assert graph.edges(kind)[0].tolist() == [3]
    assert graph.edges(other)[0].tolist() == [1]


@pytest.mark.parametrize("kind", [NodeType.ENTITY, NodeType.KEYWORD, NodeType.SEMANTIC_UNIT, NodeType.ATTRIBUTE])
def test_a_node_goes_with_all_that_hangs_on_it(store: Store, graph: GraphRows, kind: NodeType) -> None:
    add(store, document("/notes/a.md", ["Ada wrote."]))
    (chunk,) = TextRows(store).chunk_table().ids.tolist()
    kept, gone = graph.put_nodes(kind, [("kept", "Kept"), ("gone", "Gone")]).tolist()
    # Sentences have these with entities and keywords alone.
    by_rule = {EdgeType.MENTION, EdgeType.KEYWORD, EdgeType.SUBJECT, EdgeType.ALIAS}
    is_named = kind in (NodeType.ENTITY, NodeType.KEYWORD)
    for number, edge in enumerate((edge for edge in EdgeType if is_named or edge not in by_rule), 100):
        graph.replace_edges(edge, [gone, number], [number, gone], [1, 1])
    FragmentRows(store).replace(chunk, kind, [(gone, "so"), (kept, "so")])
    VectorRows(store).put([gone, kept], unit_rows(2, 8, seed=1))
    WorkItemRows(store).put("stage", gone, WorkItem("m", "1", "", "done", "", 0, 0))
    graph.remove_nodes([gone, gone])
    assert [graph.edges(edge)[0].tolist() for edge in EdgeType] == [[]] * len(EdgeType)
    assert FragmentRows(store).of_chunk(chunk) == [(kept, "so")]
    assert VectorRows(store).matrix(kind)[0].tolist() == [kept]
    assert WorkItemRows(store).state("stage") == {}
    assert graph.entities_containing(["Gone"], 5) == []


class TestContaining:
    @pytest.fixture
    def found(self, graph: GraphRows):  # type: ignore[no-untyped-def]
        names = ["University of Chicago", "Chicago", "Chicago University Press", "São Paulo", "A AND B", 'The "Quote"']
        ids = graph.put_nodes(NodeType.ENTITY, [(name.lower(), name) for name in names]).tolist()
        graph.put_nodes(NodeType.KEYWORD, [("chicago", "chicago")])
        name_of = dict(zip(ids, names, strict=True))
        return lambda *words, limit=10: [name_of[number] for number in graph.entities_containing(words, limit)]

    def test_words_side_by_side_shortest_name_first(self, found) -> None:  # type: ignore[no-untyped-def]
        assert found("chicago") == ["Chicago", "University of Chicago", "Chicago University Press"]
        assert found("chicago", limit=1) == ["Chicago"]
        assert found("Chicago", "University") == ["Chicago University Press"]
        assert found("sao") == ["São Paulo"]

    def test_nothing_that_a_person_types_is_an_operator(self, found) -> None:  # type: ignore[no-untyped-def]
        assert found("AND") == ["A AND B"]
        assert found('"Quote') == ['The "Quote"']
        for text in ("", '"', "NOT", "chicago*", "name:chicago", "(", "NEAR(a b)", "\0", "^"):
            found(text)

    def test_a_new_name_is_found_and_the_old_one_is_not(self, graph: GraphRows) -> None:
        (number,) = graph.put_nodes(NodeType.ENTITY, [("x", "Byzantium")]).tolist()
        graph.put_nodes(NodeType.ENTITY, [("x", "Istanbul")])
        assert graph.entities_containing(["istanbul"], 5) == [number]
        assert graph.entities_containing(["byzantium"], 5) == []


def test_neighbours_by_weight_in_both_directions(store: Store, graph: GraphRows) -> None:
    (document_id,) = add(store, document("/notes/a.md", ["Ada wrote.", "Bob read."], title="Letters"))
    first, second = TextRows(store).sentence_table().ids.tolist()
    (entity,) = graph.put_nodes(NodeType.ENTITY, [("ada", "Ada")]).tolist()
    graph.replace_edges(EdgeType.MENTION, [first], [entity], [1])
    graph.replace_edges(EdgeType.SEMANTIC, [first], [second], [0.5])
    assert graph.neighbours(first, 5) == [
        Neighbour(NodeType.ENTITY, "Ada", EdgeType.MENTION, 1),
        Neighbour(NodeType.SENTENCE, "Bob read.", EdgeType.SEMANTIC, 0.5),
    ]
    assert graph.neighbours(first, 1) == graph.neighbours(first, 5)[:1]
    assert graph.neighbours(second, 5) == [Neighbour(NodeType.SENTENCE, "Ada wrote.", EdgeType.SEMANTIC, 0.5)]
    assert graph.neighbours(entity, 5) == [Neighbour(NodeType.SENTENCE, "Ada wrote.", EdgeType.MENTION, 1)]
    assert graph.names([entity, second, document_id]) == ["Ada", "Bob read.", "Letters"]
