"""`noderag add`: from the shell into the inbox and into the vault."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.command_line import Noderag

from noderag_local.storage.database.store import Store


@pytest.fixture
def inbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """In a folder with one other note, and a vault that has both folders yet to be indexed."""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "garden.md").write_text("The quince needs a stake.\n", encoding="utf-8")
    monkeypatch.setenv("NODERAG_INBOX_FILE", str(notes / "inbox.md"))
    monkeypatch.setenv("NODERAG_VAULT", str(tmp_path / "vault"))
    return notes / "inbox.md"


def test_a_line_is_written_and_found_at_once(noderag: Noderag, inbox: Path) -> None:
    done = noderag("add", "Call the landlord", "about the boiler")
    assert done.code == 0
    written = inbox.read_text(encoding="utf-8")
    assert re.fullmatch(r"- \d{4}-\d\d-\d\d \d\d:\d\d Call the landlord about the boiler\n", written)
    assert done.out == f"Added to {inbox}:\n{written}"
    (found,) = noderag("search", "boiler", "--json").document["sources"]
    assert (found["path"], found["first_line"]) == (str(inbox), 1)


def test_a_task_is_a_task_of_the_day_page(noderag: Noderag, inbox: Path) -> None:
    assert noderag("add", "- [ ] Pay the rent by 2096-12-01").code == 0
    assert re.fullmatch(
        r"- \[ \] Pay the rent by 2096-12-01 ➕ [-\d]{10} [:\d]{5}\n", inbox.read_text(encoding="utf-8")
    )
    page = noderag("today", "--json").document
    assert [(task["text"][:12], task["due"]) for task in page["tasks"]] == [("Pay the rent", "2096-12-01")]
    assert page["appointments"] == []
    assert noderag("add", "milk", "--jsn").code == 2, "a wrong option is none the less one"


def test_it_joins_what_was_indexed_before(noderag: Noderag, inbox: Path) -> None:
    assert noderag("index", inbox.parent).code == 0
    noderag("add", "Prune the quince")
    added = noderag("add", "Buy stakes", "--json").document
    assert added["file"] == str(inbox)
    assert inbox.read_text(encoding="utf-8").endswith(f"{added['entry']}\n")
    again = noderag("index", inbox.parent, "--json").document
    assert (again["added"], again["changed"], again["unchanged"]) == (0, 0, 2)


def test_standard_input_becomes_one_entry(inbox: Path) -> None:
    command = [sys.executable, "-m", "noderag_local", "add", "-"]
    done = subprocess.run(command, input=b"Milk\nand \xff bread\n", capture_output=True, check=False, timeout=60)
    assert done.returncode == 0
    assert inbox.read_text(encoding="utf-8").split(" ", 3)[3] == "Milk\n  and \ufffd bread\n"


def test_without_an_inbox_it_says_how_to_name_one(
    noderag: Noderag, inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NODERAG_INBOX_FILE")
    done = noderag("add", "Call the landlord")
    assert done.code == 2
    assert "inbox_file = " in done.err
    assert not inbox.exists()


@pytest.mark.parametrize("text", ["", " \u200b", "x" * 100_001])
def test_nothing_and_far_too_much_are_wrong_usage(noderag: Noderag, inbox: Path, text: str) -> None:
    assert noderag("add", text).code == 2
    assert not inbox.exists()


def test_while_another_process_writes_the_line_is_kept(noderag: Noderag, inbox: Path, tmp_path: Path) -> None:
    assert noderag("index", inbox.parent).code == 0
    with Store.open(tmp_path / "vault", write=True):
        done = noderag("add", "Call the landlord")
    assert done.code == 5
    assert "is not found yet" in done.err
    assert inbox.read_text(encoding="utf-8").endswith("Call the landlord\n")


def test_no_link_is_followed(noderag: Noderag, inbox: Path, tmp_path: Path) -> None:
    inbox.symlink_to(tmp_path / "elsewhere.md")
    done = noderag("add", "Call the landlord")
    assert done.code == 3
    assert "is a link" in done.err
    assert not (tmp_path / "elsewhere.md").exists()
