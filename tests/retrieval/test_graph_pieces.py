"""What a node of the full graph says of the notes within a scope."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from helpers.small_documents import DIMENSION, add, document, ends

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.domain.passages import Scope
from noderag_local.papers.graph_evidence.graph_pieces import GraphPieces
from noderag_local.papers.noderag.noderag_paper import nodes_inside
from noderag_local.retrieval.full_graph import read_full_graph
from noderag_local.retrieval.graph_arrays import GraphArrays, read_graph_arrays
from noderag_local.retrieval.scope import inside
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.fragments import FragmentRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.vectors.vector_index import VectorIndex

HERE, THERE = Scope("/notes/here"), Scope("/notes/there")
NODES = {
    NodeType.RELATIONSHIP: ["both", "here", "there"],
    NodeType.SEMANTIC_UNIT: ["Ada met Bob.", "Ada left.", "Bob slept."],
    NodeType.ENTITY: ["ada", "bob"],
    NodeType.ATTRIBUTE: ["of ada", "of bob"],
    NodeType.COMMUNITY: ["of here", "of both"],
    NodeType.HIGH_LEVEL_ELEMENT: ["leaving", "meeting"],
    NodeType.OVERVIEW: ["Leaving", "Meeting"],
}


class Notes:
    """Two documents of three sentences each, of which the first is the same, and what was made of them."""

    def __init__(self, store: Store) -> None:
        self.store = store
        add(
            store,
            document("/notes/here/a.md", ["Ada met Bob.", "Ada left.", "Ada won."]),
            document("/notes/there/b.md", ["Ada met Bob.", "Bob slept.", "Bob lost."]),
        )
        graph, fragments = GraphRows(store), FragmentRows(store)
        self.sentences = [number for (number,) in store.rows("SELECT id FROM sentences ORDER BY id")]
        here, there = (number for (number,) in store.rows("SELECT id FROM chunks ORDER BY id"))
        self.ids = {
            name: int(node)
            for kind, names in NODES.items()
            for name, node in zip(names, graph.put_nodes(kind, [(name, name) for name in names]), strict=True)
        }
        s, ids = self.sentences, self.ids
        fragments.replace(
            here, NodeType.RELATIONSHIP, [(ids["both"], "Ada | met | Bob here"), (ids["here"], "Ada | left | town")]
        )
        fragments.replace(
            there, NodeType.RELATIONSHIP, [(ids["both"], "Ada | met | Bob there"), (ids["there"], "Bob | slept | long")]
        )
        fragments.replace(here, NodeType.SEMANTIC_UNIT, [(ids["Ada met Bob."], ""), (ids["Ada left."], "")])
        fragments.replace(there, NodeType.SEMANTIC_UNIT, [(ids["Ada met Bob."], ""), (ids["Bob slept."], "")])
        self._edges(EdgeType.STATED, ("both", s[0]), ("both", s[3]), ("here", s[1]), ("there", s[4]))
        self._edges(EdgeType.RELATES, ("both", "ada"), ("both", "bob"), ("here", "ada"), ("there", "bob"))
        self._edges(
            EdgeType.PART, ("Ada met Bob.", s[0]), ("Ada met Bob.", s[3]), ("Ada left.", s[1]), ("Bob slept.", s[4])
        )
        self._edges(
            EdgeType.INSERTED,
            *((here, "Ada met Bob."), (there, "Ada met Bob."), (here, "Ada left."), (there, "Bob slept.")),
        )
        self._edges(EdgeType.NAMES, ("Ada left.", "ada"), ("Bob slept.", "bob"))
        self._edges(EdgeType.MENTION, (s[1], "ada"), (s[4], "bob"))
        self._edges(EdgeType.DESCRIBES, ("of ada", "ada"), ("of bob", "bob"))
        self._edges(EdgeType.MEMBER, ("of here", "Ada left."), ("of both", "Ada left."), ("of both", "Bob slept."))
        self._edges(EdgeType.ELEMENT, ("of here", "leaving"), ("of both", "meeting"))
        self._edges(EdgeType.TITLE, ("Leaving", "leaving"), ("Meeting", "meeting"))

    def _edges(self, kind: EdgeType, *pairs: tuple[int | str, int | str]) -> None:
        found = [tuple(self.ids[end] if isinstance(end, str) else end for end in pair) for pair in pairs]
        GraphRows(self.store).replace_edges(kind, *ends([(a, b) for a, b in found]), np.ones(len(pairs)))

    @property
    def graph_arrays(self) -> GraphArrays:
        none = VectorIndex(np.zeros(0, np.int64), np.zeros((0, DIMENSION), np.float16))
        return read_graph_arrays(self.store, none, none, none)

    def pieces(self, scope: Scope) -> GraphPieces:
        return GraphPieces(self.store, self.graph_arrays, inside(self.store, self.graph_arrays, scope))

    def within(self, scope: Scope) -> set[str]:
        """Names of the derived nodes that may be in a context."""
        graph = read_full_graph(self.store, self.graph_arrays.entities)
        allowed = nodes_inside(self.store, graph, self.graph_arrays, inside(self.store, self.graph_arrays, scope))
        kept = set(graph.ids[allowed].tolist())
        return {name for name, node in self.ids.items() if node in kept}


@pytest.fixture
def notes(tmp_path: Path) -> Iterator[Notes]:
    with Store.open(tmp_path, write=True) as store:
        yield Notes(store)


def test_a_relationship_tells_what_was_stated_inside_alone(notes: Notes) -> None:
    both = [notes.ids["both"]]
    for scope, told, other in ((HERE, "here", "there"), (THERE, "there", "here")):
        (piece,) = notes.pieces(scope).relationships(both)
        assert f"Bob {told}" in piece.text and f"Bob {other}" not in piece.text
        assert f"/{told}/" in piece.place.path
    (whole,) = GraphPieces(notes.store, notes.graph_arrays).relationships(both)
    assert "Bob here" in whole.text and "Bob there" in whole.text
    assert notes.pieces(HERE).relationships([notes.ids["there"]]) == []


def test_a_unit_that_stands_inside_and_outside_is_shown_where_it_stands_inside(notes: Notes) -> None:
    for scope, path in ((HERE, "/notes/here/a.md"), (THERE, "/notes/there/b.md")):
        (piece,) = notes.pieces(scope).units([notes.ids["Ada met Bob."]])
        assert (piece.text, piece.place.path) == ("Ada met Bob.", path)
    assert notes.pieces(HERE).units([notes.ids["Bob slept."]]) == []


def test_summaries_are_inside_where_all_that_they_were_made_of_is(notes: Notes) -> None:
    of_both = {"both", "Ada met Bob."}
    assert notes.within(HERE) == of_both | {"here", "Ada left.", "ada", "leaving", "Leaving"}
    assert notes.within(THERE) == of_both | {"there", "Bob slept.", "bob"}
    assert notes.within(Scope("/notes")) >= {"of ada", "of bob", "leaving", "meeting", "Leaving", "Meeting"}


def test_an_element_without_a_matched_unit_stands_at_the_first_unit_of_its_community(notes: Notes) -> None:
    (piece,) = GraphPieces(notes.store, notes.graph_arrays).elements([notes.ids["meeting"]])
    assert (piece.text, piece.place.title, piece.place.path) == ("meeting", "Meeting", "/notes/here/a.md")
    assert (
        piece.place.first_line
        == GraphPieces(notes.store, notes.graph_arrays).units([notes.ids["Ada left."]])[0].place.first_line
    )


def test_an_element_that_is_matched_with_an_attribute_stands_where_its_entity_is_told_of(notes: Notes) -> None:
    matched = np.array([notes.ids["meeting"]]), np.array([notes.ids["of bob"]])
    GraphRows(notes.store).replace_edges(EdgeType.MATCHED, *matched, np.ones(1))
    (piece,) = GraphPieces(notes.store, notes.graph_arrays).elements([notes.ids["meeting"]])
    assert piece.place.path == "/notes/there/b.md"
