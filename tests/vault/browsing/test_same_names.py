"""Names that may be one, as a person is shown them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.changing_notes import index, indexed
from helpers.note_files import written_notes

from noderag_local.domain.graph import NodeType
from noderag_local.extraction.same_names.merging import decide
from noderag_local.retrieval.graph_arrays import GraphArrays, read_graph_arrays
from noderag_local.storage.database.store import Store
from noderag_local.storage.vectors.vector_index import VectorIndex
from noderag_local.vault.browsing.same_names import BY_PERSON, apart_list, merged_list, offered_pairs, sentences_of

NOTES = {
    "trip.md": "Katharina Weber drove to Porto with Anna Costa and Ben Weiss.\n",
    "list.md": "Katarina Weber met Anna Costa and Ben Weiss in Porto.\n\nKatarina Weber slept.\n",
    "danish.md": "Søren Nygård met Soren Nygard.\n",
}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return written_notes(tmp_path / "notes", NOTES)


@pytest.fixture
def store(tmp_path: Path, notes: Path) -> Iterator[Store]:
    with indexed(tmp_path / "vault", notes) as opened:
        yield opened


def graph_arrays(store: Store) -> GraphArrays:
    kinds = (NodeType.SENTENCE, NodeType.TEXT, NodeType.RELATIONSHIP)
    return read_graph_arrays(store, *(VectorIndex.open(store, kind) for kind in kinds))


def test_the_name_that_more_sentences_have_stands_first(store: Store) -> None:
    (pair,) = offered_pairs(store, graph_arrays(store))
    assert (pair.first.name, pair.first.sentences) == ("Katarina Weber", 2)
    assert (pair.second.name, pair.second.sentences) == ("Katharina Weber", 1)
    assert {"Anna Costa", "Ben Weiss"} <= set(pair.shared)
    assert [source.text for source in sentences_of(store, pair.second.node)] == [NOTES["trip.md"].strip()]


def test_what_is_decided_is_listed_with_its_reason_and_not_offered(store: Store) -> None:
    decide(store, "Katarina Weber", "Katharina Weber", True)
    assert offered_pairs(store, graph_arrays(store)) == ()
    told = {one.name: [(other.name, other.why) for other in one.others] for one in merged_list(store)}
    assert told["Søren Nygård"] == [("Soren Nygard", "accents")]
    assert told["Katarina Weber"] == [("Katharina Weber", BY_PERSON)]
    decide(store, "Katarina Weber", "Katharina Weber", False)
    assert offered_pairs(store, graph_arrays(store)) == ()
    assert [{pair.first, pair.second} for pair in apart_list(store)] == [{"Katarina Weber", "Katharina Weber"}]


def test_what_goes_while_the_names_are_compared_is_left_out(store: Store, notes: Path) -> None:
    before = graph_arrays(store)
    (notes / "trip.md").write_text("Nobody drove to Porto.\n", "utf-8")
    index(store, notes)
    assert offered_pairs(store, before) == ()
