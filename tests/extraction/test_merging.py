"""Names that are read as one, in real vaults: whatever the order, the notes alone decide, and then the person."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.changing_notes import fresh_digest, index
from helpers.linked_notes import linked_notes
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from noderag_local.domain.errors import NotFound
from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.extraction.same_names.merging import decide, joined_names, merge_names
from noderag_local.pipeline import indexing
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.backup.integrity import integrity
from noderag_local.storage.database.fact_names import DECISION_ON
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.merged_names import MergedNames, NameRows, SamePair
from noderag_local.storage.snapshots.snapshot import Snapshot

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
    "JR Smith sold the boat to James Richard Smith.",
    "James Richard Smith lives in Graz.",
    "The World Health Organization (WHO) met.",
    "The WHO met in Vienna.",
    "The World Heritage Office met in Graz.",
    "Die Wiener und Haller Ordnung (WHO) gilt in Graz.",
    "Deutsche Bank AG and Deutsche Bank met Hugo Boss AG and Hugo Boss.",
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
    ends = "Soren Kierkegaard", "Søren Kierkegaard"
    assert not decide(store, *ends, False)
    assert read_as(store, "soren kierkegaard") == "Soren Kierkegaard"
    merge_names(store, ["soren kierkegaard", "søren kierkegaard"])
    assert read_as(store, "soren kierkegaard") == "Soren Kierkegaard", "the rules do not merge it again"
    assert decide(store, *ends, None)
    assert read_as(store, "soren kierkegaard") == "Søren Kierkegaard"
    assert decide(store, "Graz", "vienna", True)
    assert read_as(store, "graz") == read_as(store, "vienna")


def test_a_decision_that_is_taken_back_leaves_the_vault_as_it_was(store: Store) -> None:
    before = digest(store)
    for same in (True, False):
        decide(store, "Graz", "Vienna", same)
        decide(store, "Søren Kierkegaard", "Soren Kierkegaard", same)
        assert digest(store) != before
        decide(store, "Graz", "Vienna", None)
        decide(store, "Søren Kierkegaard", "Soren Kierkegaard", None)
        assert digest(store) == before


def test_names_are_not_read_as_one_past_what_is_held_apart(store: Store) -> None:
    decide(store, "Graz", "Anna", False)
    assert decide(store, "Anna", "Vienna", True)
    assert not decide(store, "Graz", "Vienna", True)
    assert read_as(store, "graz") == "Graz"
    assert decide(store, "Graz", "Anna", None), "nothing stands between them any more, and both are Vienna"
    assert read_as(store, "graz") == read_as(store, "vienna")


@pytest.mark.parametrize(("one", "other"), [("Graz", "Nobody"), ("Nobody", "Graz"), ("Graz", "GRAZ")])
def test_what_is_no_pair_of_names_is_no_decision(store: Store, one: str, other: str) -> None:
    before = digest(store)
    with pytest.raises(NotFound, match=r"Nobody|differ in case"):
        decide(store, one, other, True)
    assert digest(store) == before


def test_a_letter_is_an_initial_where_a_note_writes_a_dot_after_it(tmp_path: Path) -> None:
    notes = {
        "a.md": "Gladys B. Stern met Gladys Bronwyn Stern.\n",
        "b.md": "We saw Vitamin C Complex and Vitamin Calcium Complex.\n",
    }
    with linked_notes(tmp_path, notes) as store:
        assert read_as(store, "gladys b stern") == read_as(store, "gladys bronwyn stern")
        assert read_as(store, "vitamin c complex") != read_as(store, "vitamin calcium complex")


def test_an_acronym_that_another_text_gives_otherwise_is_not_merged(tmp_path: Path) -> None:
    """In German "und" is passed over, so that the letters fit what has other initials in English."""
    (tmp_path / "more").mkdir()
    notes = NOTES | {"four.md": "Die Wiener und Haller Ordnung (WHO) gilt in Graz.\n"}
    with linked_notes(tmp_path / "more", notes) as store:
        assert read_as(store, "who") == "WHO"
        assert read_as(store, "world health organization") == "World Health Organization"


def test_a_decision_goes_with_its_entity(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("Bob Weber met Anna.\n", "utf-8")
    (notes / "b.md").write_text("Robert Weber met Anna.\n", "utf-8")
    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, notes)
        decide(store, "Bob Weber", "Robert Weber", True)
        (notes / "a.md").write_text("Bob Weber met Anna again.\n", "utf-8")
        index(store, notes)
        assert len(NameRows(store).decided()[0]) == 1, "a changed note keeps it"
        (notes / "b.md").unlink()
        index(store, notes)
        assert NameRows(store).decided() == ([], [])


def test_a_decision_is_back_with_its_entity_unless_it_was_taken_back_or_forgotten(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    one, other = "Bob Weber met Anna.\n", "Robert Weber met Anna.\n"
    (notes / "a.md").write_text(one, "utf-8")
    with Store.open(tmp_path / "vault", write=True) as store:

        def is_decided(*, again: bool = True) -> bool:
            """Whether a decision is in force; after the note that has the other name was gone."""
            if again:
                (notes / "b.md").unlink()
                index(store, notes)
                assert NameRows(store).decided() == ([], [])
                (notes / "b.md").write_text(other, "utf-8")
            index(store, notes)
            return NameRows(store).decided() != ([], [])

        (notes / "b.md").write_text(other, "utf-8")
        assert not is_decided(again=False)
        for same in (True, False):
            decide(store, "Bob Weber", "Robert Weber", same)
            assert is_decided()
            assert (read_as(store, "bob weber") == read_as(store, "robert weber")) == same
        decide(store, "Bob Weber", "Robert Weber", None)
        assert not is_decided()
        decide(store, "Bob Weber", "Robert Weber", True)
        indexing.forget(store, [notes / "b.md"], lambda _: None, lambda: False)
        (notes / "c.md").write_text(other, "utf-8")
        index(store, notes)
        assert NameRows(store).decided() == ([], [])
        assert not [name for name in store.facts if name.startswith(DECISION_ON)]


def test_pairs_that_would_join_what_is_held_apart_are_left_out() -> None:
    pairs = [SamePair("a", "b", "x"), SamePair("b", "c", "x")]
    assert joined_names(pairs, [], {"b": 2}) == {"a": "b", "c": "b"}
    assert joined_names(pairs, [SamePair("a", "c", "")], {"b": 2}) == {"a": "b"}
    longer = [*pairs, SamePair("c", "d", "x"), SamePair("e", "d", "x")]
    assert joined_names(longer, [SamePair("a", "d", "")], {"b": 2, "e": 1}) == {"a": "b", "c": "b", "d": "e"}


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
