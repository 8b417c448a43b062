"""`noderag demo`, with the notes and questions that ship with the package."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.command_line import Noderag

from noderag_local.interfaces.cli.questions import demo_command


def test_three_questions_are_answered_with_citations(noderag: Noderag, tmp_path: Path) -> None:
    done = noderag("demo", "--vault", tmp_path / "demo")
    assert done.code == 0
    for question in demo_command.demo_script().questions:
        assert f"? {question}" in done.out
    for place in ("marta.md:", "journal-2026.md:", "reading.md:"):
        assert place in done.out
    assert "noderag index ~/notes" in done.out.splitlines()[-2]
    again = noderag("demo", "--vault", tmp_path / "demo", "--json").document
    assert [len(answer["sources"]) > 0 for answer in again["answers"]] == [True] * 3


def test_the_sample_notes_show_what_notes_can_hold() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in demo_command.notes_folder().rglob("*.md"))
    for sign in ("---\ntitle:", "[[", "#todo", "| --- |", "```bash", "1. ", "> ", "Vermieterin", "饺子"):
        assert sign in text


def test_a_vault_of_other_notes_is_made_anew(tmp_path: Path) -> None:
    notes, folder = tmp_path / "notes", tmp_path / "vault"
    notes.mkdir()
    (notes / "a.md").write_text("one", encoding="utf-8")
    demo_command.forget_other_notes(folder, notes)
    (folder / "vault.sqlite").touch()
    demo_command.forget_other_notes(folder, notes)
    assert (folder / "vault.sqlite").exists()
    (notes / "a.md").write_text("two", encoding="utf-8")
    demo_command.forget_other_notes(folder, notes)
    assert not (folder / "vault.sqlite").exists()


def test_a_vault_that_the_demo_did_not_make_is_never_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "vault.sqlite").touch()
    demo_command.forget_other_notes(tmp_path, demo_command.notes_folder())
    monkeypatch.setattr(demo_command, "STAMP", "another name")
    demo_command.forget_other_notes(tmp_path, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["vault.sqlite"]
