"""No request reaches outside the folder and the tag that the server was started with."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from helpers.mcp_lines import LineClient
from helpers.mcp_notes import SECRETS

from noderag_local.interfaces.cli.run_command import run

CALLS: list[tuple[str, dict[str, object]]] = [
    *(("search_notes", {"query": word, "budget_tokens": 20000, "limit": 200}) for word in SECRETS),
    *(("ask_notes", {"question": f"What do my notes say about {word}?"}) for word in SECRETS),
    ("ask_notes", {"question": "What is still to do?"}),
    ("ask_notes", {"question": "What did Ana Lucas lose?"}),
    ("ask_notes", {"question": "Who fears the animal?"}),
    ("read_document", {"document": "Diary of Zanzibar"}),
    ("read_document", {"document": "private/diary.md"}),
    ("read_document", {"document": "diary.md", "record": 0}),
    ("read_document", {"document": "diary"}),
    ("read_document", {"document": "../private/diary.md"}),
    *(("find", {"query": word, "limit": 100}) for word in (*SECRETS, "diary", "a", "Ana")),
    *(("related_names", {"name": word, "limit": 100}) for word in (*SECRETS, "Ana Lucas", "Mr", "a")),
    ("timeline", {"first": "0001-01-01", "last": "9999-12-31", "limit": 100}),
    ("open_tasks", {"limit": 100}),
    *(("open_tasks", {"about": word}) for word in SECRETS),
    ("recent_changes", {"limit": 100}),
]


@pytest.mark.parametrize("limit", ["folder", "relative folder", "tag"])
def test_nothing_from_outside_is_in_any_answer(vault: Path, notes: Path, limit: str) -> None:
    options = {
        "folder": ("--folder", notes / "work"),
        "relative folder": ("--folder", "work"),
        "tag": ("--tag", "shared"),
    }
    with LineClient("--vault", vault, *options[limit]) as client:
        for tool, given in CALLS:
            answer = json.dumps(client.call(tool, **given)).casefold()
            asked = json.dumps(given).casefold()
            leaked = [word for word in (*SECRETS, "diary") if word in answer and word not in asked]
            assert not leaked, (tool, given)
            assert "diary.md:" not in answer


def test_what_lies_inside_is_found(vault: Path, notes: Path) -> None:
    with LineClient("--vault", vault, "--folder", notes / "work") as client:
        assert client.found("related_names", name="ana lucas")["all_mentions"] == 3
        assert [one["task"] for one in client.found("open_tasks")["tasks"]] == ["order the soil"]
        assert len(client.found("recent_changes")["documents"]) == 3
        assert client.found("timeline", first="2026-01-01", last="2026-12-31")["all_moments"] == 2
        assert client.found("find", query="Tom")["names"][0]["name"] == "Tom Berg"
    with LineClient("--vault", vault, "--tag", "#shared") as client:
        assert [one["title"] for one in client.found("recent_changes")["documents"]] == ["Garden plan"]


def test_a_private_note_that_changes_stays_outside(notes: Path, tmp_path: Path) -> None:
    """Sentences that are added to an old document get new ids, behind those of every other document."""
    own, new = tmp_path / "notes", tmp_path / "vault"
    shutil.copytree(notes, own)
    assert run(["index", str(own), "--vault", str(new)]) == 0
    with LineClient("--vault", new, "--folder", own / "work") as client:
        client.found("recent_changes")
        diary = own / "private/diary.md"
        diary.write_text(diary.read_text() + "\nAna Lucas hides the quokka from Mr Grimaldi since 1987-06-01.\n")
        assert run(["index", str(own), "--vault", str(new)]) == 0
        for tool, given in CALLS:
            answer = json.dumps(client.call(tool, **given)).casefold()
            asked = json.dumps(given).casefold()
            assert not [word for word in SECRETS if word in answer and word not in asked], (tool, given)


@pytest.mark.parametrize("named", ["work", "NOTES/work"])
def test_a_folder_that_has_become_empty_is_not_another_one(tmp_path: Path, named: str) -> None:
    own, new = tmp_path / "notes", tmp_path / "vault"
    for name in ("work", "Work", "../work"):
        (own / name).mkdir(parents=True, exist_ok=True)
    (own / "work/plan.md").write_text("Ana plants a pear tree.\n")
    assert run(["index", str(own), "--vault", str(new)]) == 0
    with LineClient("--vault", new, "--folder", named) as client:
        assert len(client.found("recent_changes")["documents"]) == 1
        (own / "work/plan.md").unlink()
        for folder in (own / "Work", own / "../work"):
            (folder / "secret.md").write_text("The quokka is hidden.\n")
        assert run(["index", str(own), str(tmp_path / "work"), "--vault", str(new)]) == 0
        assert client.refused("recent_changes").startswith("No note is left")


def test_a_scope_that_has_become_empty_names_nothing_else(notes: Path, tmp_path: Path) -> None:
    own, new = tmp_path / "notes", tmp_path / "vault"
    shutil.copytree(notes, own)
    assert run(["index", str(own), "--vault", str(new)]) == 0
    with LineClient("--vault", new, "--tag", "shared") as client:
        client.found("recent_changes")
        (own / "work/plan.md").unlink()
        assert run(["index", str(own), "--vault", str(new)]) == 0
        for tool, given in CALLS:
            told = client.refused(tool, **given)
            assert told == "No note is left in the folder or with the tag that this server is limited to."
