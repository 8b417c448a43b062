"""`noderag forget`: asks, removes, and says how to take it back."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Noderag


@pytest.fixture
def notes(tmp_path: Path, noderag: Noderag) -> Path:
    """Three notes, in a vault beside them."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "ann.md").write_text("# Ann\n\nAnn Lee lives in Oslo.\n", "utf-8")
    (folder / "bob.md").write_text("# Bob\n\nBob builds boats in Bergen.\n", "utf-8")
    (folder / "cid.md").write_text("# Cid\n\nCid sails in Bergen.\n", "utf-8")
    assert noderag("index", folder, "--vault", tmp_path / "vault").code == 0
    return folder


def test_a_file_is_forgotten_stays_away_and_comes_back_by_its_path(
    noderag: Noderag, notes: Path, tmp_path: Path
) -> None:
    vault = tmp_path / "vault"
    done = noderag("forget", notes / "ann.md", "--yes", "--vault", vault)
    assert done.code == 0
    assert done.out.splitlines()[0] == "Forgot 1 document of 1 file; on disk nothing has changed."
    assert "Oslo" not in noderag("search", "Where is Ann Lee?", "--vault", vault).out
    again = noderag("index", notes, "--vault", vault)
    assert "Left out: 1 forgotten by you." in again.out
    assert again.out.startswith("0 documents added")
    assert noderag("index", notes / "ann.md", "--vault", vault).out.startswith("1 document added")
    assert "Oslo" in noderag("search", "Where is Ann Lee?", "--vault", vault).out


def test_a_program_is_told_in_numbers(noderag: Noderag, notes: Path, tmp_path: Path) -> None:
    told = noderag("forget", notes, "--yes", "--json", "--vault", tmp_path / "vault").document
    assert (told["files"], told["documents"], told["stopped"]) == (3, 3, False)


def test_where_nobody_can_be_asked_nothing_goes_without_yes(noderag: Noderag, notes: Path, tmp_path: Path) -> None:
    done = noderag("forget", notes, "--vault", tmp_path / "vault")
    assert (done.code, "--yes" in done.err) == (2, True)
    assert noderag("stats", "--vault", tmp_path / "vault", "--json").document["documents"] == 3


@pytest.mark.parametrize(("answer", "left"), [("n", 3), ("y", 2)])
def test_a_person_is_asked(noderag: Noderag, notes: Path, tmp_path: Path, answer: str, left: int) -> None:
    ours, theirs = os.openpty()
    os.write(ours, f"{answer}\n".encode())
    command = [sys.executable, "-m", "noderag_local", "forget", notes / "ann.md", "--vault", tmp_path / "vault"]
    done = subprocess.run(command, stdin=theirs, capture_output=True, text=True, check=True, timeout=60)
    assert "Forget 1 document of " in done.stderr
    assert "conversations may still quote" in " ".join(done.stderr.split())
    assert noderag("stats", "--vault", tmp_path / "vault", "--json").document["documents"] == left
    os.close(ours)
    os.close(theirs)


def test_what_is_not_there_is_told_with_what_is_near(noderag: Noderag, notes: Path, tmp_path: Path) -> None:
    done = noderag("forget", notes / "an.md", "--yes", "--vault", tmp_path / "vault")
    assert done.code == 7
    assert "Did you mean" in done.err
    assert "ann.md" in done.err
    assert noderag("forget", notes / "an.md", "--yes", "--vault", tmp_path / "none").code == 4
