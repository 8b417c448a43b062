"""A line for the inbox, as it is written into notes of every kind."""

from __future__ import annotations

import codecs
from datetime import datetime
from pathlib import Path

import pytest

from noderag_local.domain.errors import SettingsError, SourceError
from noderag_local.vault.inbox import add_entry, entry, inbox_of

NOW = datetime(2026, 11, 25, 18, 5)
ITEM = "- 2026-11-25 18:05 Café at ten"


def test_an_entry_has_its_day_and_time() -> None:
    assert entry(" Call the landlord\n", NOW) == "- 2026-11-25 18:05 Call the landlord"


@pytest.mark.parametrize("task", ["- [ ] Call by 2026-12-01", "[ ] Call by 2026-12-01", "* [ ]  Call by 2026-12-01"])
def test_a_task_stays_a_task(task: str) -> None:
    assert entry(f"{task}\nor write", NOW) == "- [ ] Call by 2026-12-01 ➕ 2026-11-25 18:05\n  or write"


@pytest.mark.parametrize("text", ["[ ]", "[x] Call", "[1] Call"])
def test_what_is_no_open_task_is_a_line_with_its_time_in_front(text: str) -> None:
    assert entry(text, NOW) == f"- 2026-11-25 18:05 {text}"


def test_several_lines_are_one_list_item() -> None:
    assert entry("Buy\r\nmilk\n\nand bread", NOW) == "- 2026-11-25 18:05 Buy\n  milk\n\n  and bread"


def test_what_could_steer_a_terminal_is_left_out() -> None:
    assert entry("a\x1b]0;owned\x07b\u202ec\udcff\0", NOW) == "- 2026-11-25 18:05 a]0;ownedbc\ufffd"


@pytest.mark.parametrize(
    ("before", "added"),
    [
        (b"", f"{ITEM}\n".encode()),
        (b"# Inbox\n", f"{ITEM}\n".encode()),
        (b"no end", f"\n{ITEM}\n".encode()),
        (b"# Inbox\r\n\r\n- old\r\n", f"{ITEM}\r\n".encode()),
        (b"old Mac\rtext", f"\r{ITEM}\r".encode()),
        (b"one\r\ntwo\n", f"{ITEM}\n".encode()),
        (codecs.BOM_UTF8 + b"x\n", f"{ITEM}\n".encode()),
        (codecs.BOM_UTF16_LE + "x\r\ny".encode("utf-16-le"), f"\r\n{ITEM}\r\n".encode("utf-16-le")),
        (codecs.BOM_UTF16_BE + "x\n".encode("utf-16-be"), f"{ITEM}\n".encode("utf-16-be")),
        ("Été à la plage, déjà très loin d'ici.\n".encode("cp1252"), f"{ITEM}\n".encode("cp1252")),
        ("Größe und Maß für die Tür.\n".encode() + b"\xff damaged\n", f"{ITEM}\n".encode()),
    ],
)
def test_encoding_and_line_ends_stay_those_of_the_file(tmp_path: Path, before: bytes, added: bytes) -> None:
    file = tmp_path / "inbox.md"
    file.write_bytes(before)
    add_entry(file, ITEM)
    assert file.read_bytes() == before + added


def test_several_lines_get_the_line_ends_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "inbox.md"
    file.write_bytes(b"x\r\n")
    add_entry(file, entry("a\nb", NOW))
    assert file.read_bytes() == b"x\r\n- 2026-11-25 18:05 a\r\n  b\r\n"


def test_a_letter_that_the_encoding_lacks_is_told_and_nothing_is_added(tmp_path: Path) -> None:
    file = tmp_path / "inbox.md"
    before = "Été à la plage, déjà très loin d'ici.\n".encode("cp1252")
    file.write_bytes(before)
    with pytest.raises(SourceError, match="Save the note as UTF-8"):
        add_entry(file, entry("饺子", NOW))
    assert file.read_bytes() == before


@pytest.mark.parametrize("content", [b"%PDF-1.7\n\0\0\1\2", b"\0" * 100])
def test_what_is_no_text_stays_as_it_is(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "inbox.pdf"
    file.write_bytes(content)
    with pytest.raises(SourceError, match="Name another note"):
        add_entry(file, ITEM)
    assert file.read_bytes() == content


def test_what_cannot_be_written_is_told_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "link.md").symlink_to(tmp_path / "elsewhere.md")
    for name, told in (("link.md", "is a link"), ("no/inbox.md", "folder does not exist"), ("", "is a folder")):
        with pytest.raises(SourceError, match=told):
            add_entry(tmp_path / name, ITEM)
    assert [path.name for path in tmp_path.iterdir()] == ["link.md"]


def test_the_inbox_is_a_note_outside_the_vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert inbox_of("~/notes/inbox.md", tmp_path / "vault") == tmp_path / "notes" / "inbox.md"
    with pytest.raises(SettingsError, match="inbox_file"):
        inbox_of("", tmp_path / "vault")
    with pytest.raises(SettingsError, match="in the vault"):
        inbox_of(str(tmp_path / "vault" / "vault.sqlite"), tmp_path / "vault")
