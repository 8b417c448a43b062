"""The instant tier's graph in a real store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.changing_notes import index
from helpers.linked_notes import edges, linked_notes

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.domain.progress import Progress
from noderag_local.extraction import instant_graph
from noderag_local.extraction.instant_graph import build_instant_graph
from noderag_local.pipeline.indexing import LINKING
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows

TRIP = """---
title: Lisbon trip
tags: [travel]
aliases: [Portugal 2024]
---
# Flights

Maria Costa booked flight TP 573 for 14 May 2024. Costa pays half of it.

See [[Packing list|what to pack]] before we go.
"""
PACKING = "# Packing list\n\nThe International Business Machines (IBM) laptop stays at home. IBM wants it back.\n"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with linked_notes(tmp_path, {"Lisbon.md": TRIP, "Packing list.md": PACKING}) as opened:
        yield opened


def test_sentences_name_entities_and_short_names_mean_long_ones(store: Store) -> None:
    named = edges(store, EdgeType.MENTION)
    assert ("Maria Costa booked flight TP 573 for 14 May 2024.", "Maria Costa") in named
    assert ("Costa pays half of it.", "Maria Costa") in named


def test_sentences_belong_to_what_their_note_is_about(store: Store) -> None:
    about = edges(store, EdgeType.SUBJECT)
    assert ("Costa pays half of it.", "Lisbon trip") in about
    assert ("Costa pays half of it.", "Flights") in about


def test_sentences_belong_to_the_heading_and_the_person_over_them_in_a_chunk(tmp_path: Path) -> None:
    people = (
        "# School\n\n## Megan Zimmer\nLives in Weaver.\n\n**Ezra Penland.** House is in Sylva.\n\n"
        "Tessa Trant: Allergic to nuts. Always early.\n\n## Odessa Lovel\nWorks at the hospice.\n"
    )
    with linked_notes(tmp_path, {"people.md": people}) as opened:
        about = edges(opened, EdgeType.SUBJECT)
    over = {sentence: name for sentence, name in about if name != "School"}
    assert over == {
        "Lives in Weaver.": "Megan Zimmer",
        "House is in Sylva.": "Ezra Penland",
        "Always early.": "Tessa Trant",
        "Works at the hospice.": "Odessa Lovel",
    }


def test_acronyms_and_link_labels_are_aliases(store: Store) -> None:
    pairs = {frozenset(pair) for pair in edges(store, EdgeType.ALIAS)}
    assert frozenset({"International Business Machines", "IBM"}) in pairs
    assert frozenset({"Packing list", "what to pack"}) in pairs


def test_wiki_links_lead_to_notes(store: Store) -> None:
    assert edges(store, EdgeType.LINK) == {("Lisbon trip", "Packing list")}


def test_a_link_may_name_the_file_where_its_heading_says_something_else(tmp_path: Path) -> None:
    notes = {"summer.md": "# Two weeks in Naples\n\nThe ferry is booked.\n", "index.md": "# Index\n\nSee [[summer]].\n"}
    with linked_notes(tmp_path, notes) as store:
        assert edges(store, EdgeType.LINK) == {("Index", "Two weeks in Naples")}


def test_front_matter_tags_are_entities(store: Store) -> None:
    assert GraphRows(store).find(NodeType.ENTITY, ["travel"])


def test_keywords_are_rare_words_only_when_they_are_marked(store: Store) -> None:
    found = GraphRows(store).find(NodeType.KEYWORD, ["573", "costa", "booked", "the"])
    assert set(found) == {"573", "costa"}


def test_doing_it_again_changes_nothing(store: Store) -> None:
    before = [edges(store, kind) for kind in EdgeType]
    nodes = store.rows("SELECT id, type, key, name FROM nodes ORDER BY id")
    build_instant_graph(store, lambda _: None)
    assert [edges(store, kind) for kind in EdgeType] == before
    assert store.rows("SELECT id, type, key, name FROM nodes ORDER BY id") == nodes


def test_a_first_index_reads_the_notes_in_batches_to_the_same_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(20):
        text = (
            f"# Ada Quimby {number % 3}\n\nBen Okafor met Dora Lindt (NASA) in {1990 + number}. See [[Ada Quimby 1]].\n"
        )
        (notes / f"{number}.md").write_text(text, encoding="utf-8")
    digests, told = set[str](), list[Progress]()
    for batch in (2_000, 7, 1):
        monkeypatch.setattr(instant_graph, "BATCH", batch)
        told.clear()
        with Store.open(tmp_path / f"vault {batch}", write=True) as store:
            index(store, notes, progress=told.append)
            digests.add(digest(store))
    assert len(digests) == 1
    done = [one.done for one in told if one.stage == LINKING]
    assert len(set(done)) >= 20, "one batch after the other"
