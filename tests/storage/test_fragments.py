from __future__ import annotations

from helpers.small_documents import add, document

from noderag_local.domain.graph import NodeType
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.fragments import FragmentRows
from noderag_local.storage.graph.graph_rows import GraphRows


def test_fragments_are_those_of_their_chunk_and_type(store: Store) -> None:
    add(store, document("/notes/a.md", ["Ada wrote."], ["Bob read."]))
    first, second = TextRows(store).chunk_table().ids.tolist()
    graph, fragments = GraphRows(store), FragmentRows(store)
    unit, other = graph.put_nodes(NodeType.SEMANTIC_UNIT, [("a", "A"), ("b", "B")]).tolist()
    (relation,) = graph.put_nodes(NodeType.RELATIONSHIP, [("a | b", "")]).tolist()
    fragments.replace(first, NodeType.SEMANTIC_UNIT, [(other, ""), (unit, "")])
    fragments.replace(first, NodeType.RELATIONSHIP, [(relation, "a | saw | b"), (relation, "b | met \ud83d | a")])
    fragments.replace(second, NodeType.RELATIONSHIP, [(relation, "a | left | b")])
    assert fragments.of_chunk(first) == [
        (other, ""),
        (relation, "a | saw | b"),
        (unit, ""),
        (relation, "b | met \ufffd | a"),
    ]
    assert fragments.of_node(relation) == [
        (first, "a | saw | b"),
        (first, "b | met \ufffd | a"),
        (second, "a | left | b"),
    ]
    assert fragments.of_nodes([unit, 999]) == {unit: [(first, "")], 999: []}


def test_a_node_goes_with_its_last_fragment(store: Store) -> None:
    add(store, document("/notes/a.md", ["Ada wrote."], ["Bob read."]))
    first, second = TextRows(store).chunk_table().ids.tolist()
    graph, fragments = GraphRows(store), FragmentRows(store)
    shared, single = graph.put_nodes(NodeType.RELATIONSHIP, [("a | b", ""), ("b | c", "")]).tolist()
    (entity,) = graph.put_nodes(NodeType.ENTITY, [("a", "A")]).tolist()
    fragments.replace(first, NodeType.RELATIONSHIP, [(shared, "x"), (single, "y")])
    fragments.replace(second, NodeType.RELATIONSHIP, [(shared, "z")])
    fragments.replace(first, NodeType.ENTITY, [(entity, "")])
    fragments.replace(first, NodeType.RELATIONSHIP, [])
    fragments.replace(first, NodeType.ENTITY, [])
    assert graph.nodes_of(NodeType.RELATIONSHIP)[1] == ["a | b"]
    assert graph.nodes_of(NodeType.ENTITY)[1] == ["a"], "an entity lives by whatever names it"
