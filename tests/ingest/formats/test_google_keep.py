"""Notes of Google Keep from Google Takeout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.word_counter import read
from ingest.formats.reading import document, texts

from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.registry import format_of
from noderag_local.ingest.scan.scan import scan

NOON = 1714564800000000
"""2024-05-01, noon UTC, in microseconds."""
DAY = 86_400_000_000


def note(**fields: Any) -> str:
    flags = {"isTrashed": False, "isPinned": False, "isArchived": False}
    return json.dumps({**flags, "createdTimestampUsec": NOON, "userEditedTimestampUsec": NOON, **fields})


def test_a_list_with_its_boxes_labels_and_day() -> None:
    items = [{"text": "Oat milk", "isChecked": False}, {"text": "Rye flour", "isChecked": True}]
    read = document("keep", note(title="Shopping", listContent=items, labels=[{"name": "Home"}]), "Shopping.json")
    assert texts(read) == ["2024-05-01: note in Google Keep.", "- [ ] Oat milk", "- [x] Rye flour"]
    assert (read.title, read.tags, read.day) == ("Shopping", ("Home",), "2024-05-01")


def test_a_text_without_a_title_is_called_by_its_first_line() -> None:
    shared = [{"email": "me@x.example", "isOwner": True}, {"email": "ann@x.example", "isOwner": False}]
    link = {"source": "WEBLINK", "title": "Locks", "description": "", "url": "https://locks.example"}
    text = "The spare key hangs behind the blue door.\nAsk Mrs Olsen."
    edited = note(
        title="",
        textContent=text,
        sharees=shared,
        annotations=[link],
        isPinned=True,
        userEditedTimestampUsec=NOON + DAY,
    )
    read = document("keep", edited, "2024-05-01T10_00_00.000+02_00.json")
    assert read.title == "The spare key hangs behind the blue door."
    assert texts(read) == [
        "2024-05-01: note in Google Keep, changed on 2024-05-02, pinned, shared with ann@x.example.",
        "The spare key hangs behind the blue door.",
        "Ask Mrs Olsen.",
        "Locks, https://locks.example",
    ]


def test_a_note_in_the_trash_is_left_out_and_told() -> None:
    read = document("keep", note(title="Old", textContent="gone", isTrashed=True), "Old.json")
    assert read.blocks == ()
    assert read.notices == ("the note is in the trash of Google Keep",)


@pytest.mark.parametrize("data", ["{", "[]", '{"name": "package"}', "[" * 100_000])
def test_what_is_no_note_is_refused(data: str) -> None:
    with pytest.raises(DocumentError, match="Google Keep"):
        document("keep", data, "a.json")


@pytest.mark.parametrize("value", [None, 1, [1], {"a": 1}, "x", 10**40, 10**400, True])
def test_fields_of_another_kind_are_passed_over(value: Any) -> None:
    names = "title labels sharees annotations listContent createdTimestampUsec userEditedTimestampUsec isPinned".split()
    read = document("keep", json.dumps({"textContent": "Kept.", **dict.fromkeys(names, value)}), "a.json")
    assert texts(read)[-1] == "Kept."


def test_each_note_of_a_takeout_is_read_once(tmp_path: Path) -> None:
    keep = tmp_path / "Takeout" / "Keep"
    keep.mkdir(parents=True)
    (keep / "A.json").write_text(note(title="A", textContent="From Keep."), encoding="utf-8")
    (keep / "A.html").write_text("<p>From Keep.</p>", encoding="utf-8")
    (keep / "B.html").write_text("<p>Alone.</p>", encoding="utf-8")
    (tmp_path / "package.json").write_text("{}", encoding="utf-8")
    found = scan([tmp_path], 1 << 20)
    assert [Path(file.path).name for file in found.files] == ["A.json", "B.html"]
    assert {Path(one.path).name: one.reason for one in found.skipped} == {
        "A.html": "second copy in an export",
        "package.json": "not a text document",
    }
    (read_note,), skipped = read(keep / "A.json")
    assert (read_note.title, skipped) == ("A", [])


def test_json_elsewhere_is_text_as_before() -> None:
    assert format_of("/notes/Google Notizen/a.json").name == "keep"
    assert format_of("/notes/a.json").name == "plain"
