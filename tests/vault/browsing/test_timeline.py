"""Sentences in the order of the dates that they name."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.browsable_notes import sentence
from helpers.linked_notes import linked_notes

from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.document_rows import DocumentRows
from noderag_local.text.dates.date_names import When
from noderag_local.vault.browsing.timeline import Dated, Timeline, moments, read_timeline


def told(store: Store) -> list[tuple[str, str]]:
    timeline = read_timeline(store)
    found = moments(store, timeline, 0, len(timeline))
    return [(found[row].label, found[row].source.text[:14]) for row in sorted(found)]


def test_a_sentence_stands_under_its_most_exact_date(store: Store) -> None:
    assert told(store) == [
        ("2014", "The school in "),
        ("2014-06-16", "Marta Oliveira"),
        ("2019", "Marta Oliveira"),
    ]


def test_a_date_that_is_written_in_two_ways_is_one(tmp_path: Path) -> None:
    with linked_notes(
        tmp_path, {"a.md": "The school opened in April 2012.\n\nThe mill burnt in April, 2012.\n"}
    ) as store:
        assert told(store) == [("2012-04", "The school ope"), ("2012-04", "The mill burnt")]


def test_a_day_that_title_and_file_name_tell_is_one_row(tmp_path: Path) -> None:
    with linked_notes(tmp_path, {"2025-05-07.md": "# 7 May 2025\n\nTidied the cellar.\n"}) as store:
        assert told(store) == [("2025-05-07", "7 May 2025")]


def test_a_day_within_a_title_is_a_row(tmp_path: Path) -> None:
    notes = {"a.md": "# Heron: minutes of 7 May 2025\n\nVenue: the hall.\n", "Heron.md": "# Heron\n\nA bird.\n"}
    with linked_notes(tmp_path, notes) as store:
        assert told(store) == [("2025-05-07", "Heron: minutes")]


def test_rows_whose_sentences_are_gone_meanwhile_are_left_out(store: Store) -> None:
    timeline = read_timeline(store)
    school = sentence(store, "The school")
    (document,) = store.rows(
        "SELECT document_id FROM chunks c JOIN sentences s ON s.chunk_id = c.id WHERE s.id = ?", (school,)
    )[0]
    DocumentRows(store).remove([document])
    assert sorted(moments(store, timeline, 0, 9)) == [1, 2]


def test_texts_are_read_for_the_rows_that_are_asked_for_alone(store: Store) -> None:
    assert list(moments(store, read_timeline(store), 1, 2)) == [1]


@pytest.mark.parametrize(
    ("typed", "row"),
    [
        ("1957", 1),
        ("1956", 1),
        ("195", 0),
        ("1957-06", 2),
        ("16 June 1957", 3),
        ("1957-", 1),
        ("3000", 3),
        ("x", None),
        ("1957-06-01..1957-06-30", 3),
    ],
)
def test_a_date_as_it_is_typed_leads_to_the_first_row_from_it_on(typed: str, row: int | None) -> None:
    dates = [When(1950), When(1957), When(1957, 6), When(1957, 6, 16)]
    timeline = Timeline(Dated(date, "", 1, 1) for date in dates)
    assert timeline.row_from(typed) == row


def test_an_empty_timeline_leads_nowhere() -> None:
    assert Timeline([]).row_from("1957") == 0
