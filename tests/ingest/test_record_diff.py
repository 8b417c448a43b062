"""A file with a record a line that is read again: only what has changed is read, and nothing is missed."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from helpers.changing_notes import fresh_digest, index
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from noderag_local.ingest.chunks.file_parts import Stretch
from noderag_local.ingest.scan.opened_file import opened
from noderag_local.ingest.sync.record_diff import RecordDiff
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.storage.documents.moved import MovedRows

LINES = (
    b"Anna keeps the key in Vienna.",
    b"Ben met Anna. He went home.",
    b"Ben met Anna. He went home.",
    "Zoë writes in Köln.".encode(),
    b"   The list stands further in.",
    b"A word \xff\xfe that is no UTF-8.",
    b"Windows ends lines so.\r",
    b"An old Mac\rended them so.",
    b"",
    b"  \t ",
)
RECORDS = (
    b'{"title": "Vienna", "text": "Anna keeps the key."}',
    '{"text": "Zoë met Ben. He went home."}'.encode(),
    b' {"text": "Further in."}',
    b'{"text": ""}',
    b'{"text": 7}',
    b"no JSON",
    b"",
)


def versions(choices: tuple[bytes, ...]) -> st.SearchStrategy[list[list[bytes]]]:
    return st.lists(st.lists(st.sampled_from(choices), min_size=1, max_size=9), min_size=2, max_size=5)


def follows(name: str, contents: list[list[bytes]]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        corpus = Path(scratch) / name
        with Store.open(Path(scratch) / "vault", write=True) as store:
            for step, lines in enumerate(contents):
                corpus.write_bytes(b"\n".join(lines) + b"\n" * (step % 2))
                index(store, corpus, by_lines=True)
                told = [skipped.detail for skipped in FileRows(store).skipped()]
                assert digest(store) == fresh_digest(Path(scratch) / f"fresh-{step}", corpus, by_lines=True)
                with Store.open(Path(scratch) / f"fresh-{step}", write=False) as fresh:
                    assert told == [skipped.detail for skipped in FileRows(fresh).skipped()]


@settings(max_examples=8, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(versions(LINES))
def test_lines_of_any_kind_are_as_in_a_fresh_vault(contents: list[list[bytes]]) -> None:
    follows("corpus.txt", contents)


@settings(max_examples=8, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(versions(RECORDS))
def test_records_of_any_kind_are_as_in_a_fresh_vault(contents: list[list[bytes]]) -> None:
    follows("corpus.jsonl", contents)


def stretch(folder: Path, before: list[str], after: list[str]) -> Stretch | None:
    """What is read of a file that was indexed and then changed."""
    corpus = folder / "corpus.txt"
    corpus.write_text("\n".join(before) + "\n", encoding="utf-8")
    with Store.open(folder / "vault", write=True) as store:
        index(store, corpus, by_lines=True)
        corpus.write_text("\n".join(after) + "\n", encoding="utf-8")
        with opened(str(corpus)) as source:
            kept = RecordDiff(MovedRows(store), FileRows(store).known()[str(corpus)].id, is_complete=True)
            return kept.stretch(source)


FIVE = ["Zoë is one.", "Two.", "Three.", "Four.", "Five."]


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ([*FIVE[:2], "Tree.", *FIVE[3:]], Stretch(17, 18, 3, 2, 30, 4)),
        (FIVE[:4], Stretch(30, 31, 5, 4, 31, 4)),
        (FIVE[1:], Stretch(0, 0, 1, 0, 5, 4)),
        (["Six.", "Seven.", "Eight."], None),
        ([*FIVE[:2], "", *FIVE[2:]], Stretch(17, 18, 3, 2, 26, 5)),
    ],
    ids=["a changed line", "the last line gone", "the first line gone", "another file", "an empty line more"],
)
def test_only_the_changed_lines_and_one_behind_them_are_read(
    tmp_path: Path, after: list[str], expected: Stretch | None
) -> None:
    assert stretch(tmp_path, FIVE, after) == expected


def test_a_file_whose_empty_lines_have_moved_is_read_as_a_whole(tmp_path: Path) -> None:
    before = ["One.", "", "Two.", "Three.", "Four."]
    assert stretch(tmp_path, before, ["One.", "Two.", "", "Three.", "Four!"]) is None


def test_records_that_change_places_make_way_for_those_behind(tmp_path: Path) -> None:
    follows(
        "corpus.txt",
        [[b"1.", b"2.", b"3.", b"List.", b"Ben.", b"Ben.", b"Anna."], [b"Ben.", b"List.", b"Ben.", b"Anna."]],
    )


def test_records_behind_a_changed_one_keep_their_ids(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    records = [json.dumps({"text": f"Number {number}."}) for number in range(9)]
    with Store.open(tmp_path / "vault", write=True) as store:
        corpus.write_text("\n".join(records), encoding="utf-8")
        index(store, corpus)
        before = MovedRows(store).records(1)
        records[4:5] = [json.dumps({"text": "One more."}), json.dumps({"text": "And another."})]
        corpus.write_text("\n".join(records), encoding="utf-8")
        report = index(store, corpus)
        after = MovedRows(store).records(1)
    assert (report.added, report.removed) == (2, 1)
    assert [one.document_id for one in after[6:]] == [one.document_id for one in before[5:]]
    assert [one.record for one in after] == list(range(10))
