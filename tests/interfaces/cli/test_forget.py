"""`noderag forget`: asks, removes, and says how to take it back."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.command_line import Noderag, answered

from noderag_local.config import load_settings
from noderag_local.storage.conversations.conversations import Turn
from noderag_local.vault.vault import Vault


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
    done = answered(f"{answer}\n", "forget", notes / "ann.md", "--vault", tmp_path / "vault")
    assert "Forget 1 document of " in done.stderr
    assert "conversation" not in done.stderr
    assert noderag("stats", "--vault", tmp_path / "vault", "--json").document["documents"] == left


@pytest.mark.parametrize(("typed", "left"), [("1\ny\n", 2), ("none\n", 3), ("all\ny\n", 2), ("9\n", 3)])
def test_what_a_search_finds_is_shown_and_the_person_says_which(
    noderag: Noderag, notes: Path, tmp_path: Path, typed: str, left: int
) -> None:
    vault = tmp_path / "vault"
    done = answered(typed, "forget", "--query", "Who lives in Oslo?", "--vault", vault)
    assert "ann.md" in done.stderr.splitlines()[0]
    assert "Ann Lee lives in Oslo." in done.stderr
    assert noderag("stats", "--vault", vault, "--json").document["documents"] == left


def test_a_search_or_paths_and_not_both(noderag: Noderag, notes: Path, tmp_path: Path) -> None:
    for words in ((), (notes, "--query", "Oslo"), (notes, "--expect", "1")):
        assert noderag("forget", *words, "--yes", "--vault", tmp_path / "vault").code == 2


def test_without_a_person_a_query_needs_the_number_of_files_that_it_is_to_match(
    noderag: Noderag, notes: Path, tmp_path: Path
) -> None:
    vault = tmp_path / "vault"

    def left() -> int:
        return int(noderag("stats", "--vault", vault, "--json").document["documents"])

    refused = noderag("forget", "--query", "Bergen", "--yes", "--vault", vault)
    assert (refused.code, left(), "--expect" in refused.err) == (2, 3, True)
    other = noderag("forget", "--query", "Bergen", "--yes", "--expect", "1", "--vault", vault)
    assert (other.code, left(), "2 files match" in " ".join(other.err.split())) == (2, 3, True)
    assert noderag("forget", "--query", "Bergen", "--yes", "--expect", "2", "--vault", vault).code == 0
    assert left() == 1
    one = noderag("forget", "--query", "Oslo", "--yes", "--expect", "3", "--vault", vault)
    assert "1 file matches" in " ".join(one.err.split())


def test_conversations_that_quote_it_go_after_asking_and_stay_where_that_is_wanted(
    noderag: Noderag, notes: Path, tmp_path: Path
) -> None:
    vault = tmp_path / "vault"
    with Vault(vault, load_settings()) as opened:
        for question in ("Where does Ann Lee live?", "Who builds boats?"):
            found = opened.search(question, budget_tokens=50)
            opened.conversations.add(None, Turn(question, "", found.context, found))
        talks = opened.conversations
        noderag("forget", notes / "cid.md", "--yes", "--keep-conversations", "--vault", vault)
        assert len(talks.all()) == 2
        quoting = len(opened.safety.conversations_quoting([notes / "ann.md"]))
        assert quoting
        done = answered("y\n", "forget", notes / "ann.md", "--vault", vault)
        assert f"{quoting} conversation" in " ".join(done.stderr.split())
        assert len(talks.all()) == 2 - quoting
        assert not any(b"Ann Lee" in path.read_bytes() for path in vault.iterdir())


def test_backups_that_still_have_it_are_told_and_replaced_on_demand(
    noderag: Noderag, notes: Path, tmp_path: Path
) -> None:
    vault = tmp_path / "vault"
    assert noderag("backup", "--vault", vault).code == 0
    done = noderag("forget", notes / "ann.md", "--yes", "--vault", vault)
    assert "They are still in 1 backup." in " ".join(done.out.split())
    assert any(b"Oslo" in path.read_bytes() for path in vault.rglob("*.sqlite"))
    noderag("forget", notes / "bob.md", "--yes", "--backups", "--vault", vault)
    assert not any(b"Oslo" in path.read_bytes() for path in vault.rglob("*.sqlite"))
    assert len(list((vault / "backups").iterdir())) == 1


def test_what_is_not_there_is_told_with_what_is_near(noderag: Noderag, notes: Path, tmp_path: Path) -> None:
    done = noderag("forget", notes / "an.md", "--yes", "--vault", tmp_path / "vault")
    assert done.code == 7
    assert "Did you mean" in done.err
    assert "ann.md" in done.err
    assert noderag("forget", notes / "an.md", "--yes", "--vault", tmp_path / "none").code == 4
