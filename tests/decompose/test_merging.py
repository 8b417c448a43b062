"""Names that are read as one, in real vaults: whatever the order, the notes alone decide, and then the person."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from decompose.linked_notes import linked_notes
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from living_notes import fresh_digest, index

from noderag_local.decompose.merging import decide, joined_names, merge_names
from noderag_local.records import EdgeType, NodeType
from noderag_local.store.database import Store
from noderag_local.store.digest import digest
from noderag_local.store.graph import GraphRows
from noderag_local.store.integrity import integrity
from noderag_local.store.merged_names import MergedNames, NameRows, SamePair
from noderag_local.store.snapshot import Snapshot

NOTES = {
    "one.md": "Søren Kierkegaard met J. R. R. Tolkien in Graz.\n\nSøren Kierkegaard wrote to Anna.\n",
    "two.md": "Soren Kierkegaard lived in Vienna.\n\nThe World Health Organization (WHO) wrote to Vienna.\n",
    "three.md": "John Ronald Reuel Tolkien liked the WHO.\n",
}
SENTENCES = (
    "Søren Kierkegaard keeps the key.",
    "Soren Kierkegaard lives in Vienna.",
    "Sören Kierkegaard is somebody else.",
    "J. R. Smith wrote to John Robert Smith.",
    "James Richard Smith lives in Graz.",
    "The World Health Organization (WHO) met.",
    "The WHO met in Vienna.",
    "The World Heritage Office met in Graz.",
    "Baden-Baden and Baden Baden are near Graz.",
    "Nothing is said here.",
)
NAMES = ("a.md", "b.md", "c.md")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with linked_notes(tmp_path, NOTES) as opened:
        yield opened


def node(store: Store, key: str) -> int:
    return GraphRows(store).find(NodeType.ENTITY, [key])[key]


def read_as(store: Store, key: str) -> str:
    """The name that stands for an entity."""
    return GraphRows(store).names([MergedNames(store).stands_for(node(store, key))])[0]


def test_spellings_of_one_name_are_one_entity_under_the_commonest(store: Store) -> None:
    assert read_as(store, "soren kierkegaard") == "Søren Kierkegaard"
    assert read_as(store, "jrr tolkien") == read_as(store, "john ronald reuel tolkien")
    assert read_as(store, "world health organization") == read_as(store, "who")
    assert read_as(store, "vienna") == "Vienna"


def test_the_entities_themselves_stay_as_the_notes_name_them(store: Store) -> None:
    assert set(GraphRows(store).names([node(store, "soren kierkegaard"), node(store, "søren kierkegaard")])) == {
        "Soren Kierkegaard",
        "Søren Kierkegaard",
    }


def test_edges_lead_to_what_stands_for_others(store: Store) -> None:
    merged = MergedNames(store)
    edges = merged.edges(Snapshot.of_rows(store).edges)
    into = node(store, "søren kierkegaard")
    sentences = edges[EdgeType.MENTION][0][edges[EdgeType.MENTION][1] == into]
    told = GraphRows(store).names(sentences.tolist())
    assert "Soren Kierkegaard lived in Vienna." in told
    assert len(told) == len(set(told)) == 3
    sources, targets, _ = edges[EdgeType.ALIAS]
    assert not (sources == targets).any()


def test_what_a_person_decides_goes_before_the_rules(store: Store) -> None:
    ends = node(store, "soren kierkegaard"), node(store, "søren kierkegaard")
    decide(store, *ends, False)
    assert read_as(store, "soren kierkegaard") == "Soren Kierkegaard"
    merge_names(store, ["soren kierkegaard", "søren kierkegaard"])
    assert read_as(store, "soren kierkegaard") == "Soren Kierkegaard", "the rules do not merge it again"
    decide(store, *ends, None)
    assert read_as(store, "soren kierkegaard") == "Søren Kierkegaard"
    decide(store, node(store, "graz"), node(store, "vienna"), True)
    assert read_as(store, "graz") == read_as(store, "vienna")


def test_a_decision_goes_with_its_entity(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("Bob Weber met Anna.\n", "utf-8")
    (notes / "b.md").write_text("Robert Weber met Anna.\n", "utf-8")
    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, notes)
        decide(store, node(store, "bob weber"), node(store, "robert weber"), True)
        (notes / "a.md").write_text("Bob Weber met Anna again.\n", "utf-8")
        index(store, notes)
        assert len(NameRows(store).decided()[0]) == 1, "a changed note keeps it"
        (notes / "b.md").unlink()
        index(store, notes)
        assert NameRows(store).decided() == ([], [])


def test_pairs_that_would_join_what_is_held_apart_are_left_out() -> None:
    pairs = [SamePair("a", "b", "x"), SamePair("b", "c", "x")]
    assert joined_names(pairs, [], {"b": 2}) == {"a": "b", "c": "b"}
    assert joined_names(pairs, [SamePair("a", "c", "")], {"b": 2}) == {"a": "b"}


writes = st.tuples(st.sampled_from(NAMES), st.lists(st.sampled_from(SENTENCES), max_size=3))


@settings(max_examples=12, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(st.lists(st.lists(writes, min_size=1, max_size=3), min_size=2, max_size=4))
def test_after_any_changes_the_merged_names_equal_those_of_a_fresh_vault(
    steps: list[list[tuple[str, list[str]]]],
) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        notes = Path(scratch) / "notes"
        notes.mkdir()
        (notes / "picture.png").touch()
        with Store.open(Path(scratch) / "vault", write=True) as store:
            for step, changes in enumerate(steps):
                for name, sentences in changes:
                    (notes / name).write_text("\n\n".join(sentences) + "\n", "utf-8")
                    if not sentences:
                        (notes / name).unlink()
                index(store, notes)
                assert digest(store) == fresh_digest(Path(scratch) / f"fresh-{step}", notes)
            assert [finding for finding in integrity(store) if not finding.ok] == []
