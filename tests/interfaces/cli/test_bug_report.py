"""`noderag doctor --report`: what a report of a bug needs, shown first, and no word of notes, questions or file names."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from helpers.command_line import Noderag

import noderag_local
from noderag_local.config import Settings

IN_NAMES, IN_TEXTS, IN_QUESTIONS, IN_SETTINGS = "Zebrafinchhof", "Quirinschatz", "Wombatfrage", "Otterschluessel"
CANARIES = (IN_NAMES, IN_TEXTS, IN_QUESTIONS, IN_SETTINGS)


@pytest.fixture
def vault(tmp_path: Path, noderag: Noderag, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault with a log that quotes names, and settings that hold paths, addresses and keys."""
    notes = tmp_path / IN_NAMES
    notes.mkdir()
    (notes / f"{IN_NAMES}.md").write_text(f"# {IN_TEXTS}\n\nThe {IN_TEXTS} belongs to Vera {IN_TEXTS}.\n")
    (notes / f"{IN_NAMES}.pdf").write_text(IN_TEXTS)
    named = (notes, "--vault", tmp_path / "vault", "--log", tmp_path / "a.log", "--log-names")
    assert noderag("index", *named).code == 0
    assert noderag("show", IN_QUESTIONS, *named[1:]).code == 7
    assert IN_QUESTIONS in (tmp_path / "a.log").read_text()
    monkeypatch.setenv("NODERAG_SERVER_URL", f"http://127.0.0.1:9/{IN_SETTINGS}")
    monkeypatch.setenv("NODERAG_SERVER_KEY", IN_SETTINGS)
    monkeypatch.setenv("NODERAG_MODEL", IN_SETTINGS)
    monkeypatch.setenv("NODERAG_METHOD", IN_SETTINGS)
    return tmp_path / "vault"


def canaries_in(text: str) -> list[str]:
    return [canary for canary in CANARIES if canary.lower() in text.lower()]


def test_it_tells_what_is_needed_and_no_word_of_anybody(noderag: Noderag, vault: Path, tmp_path: Path) -> None:
    done = noderag("doctor", "--report", tmp_path / "r.txt", "--yes", "--vault", vault, "--log", tmp_path / "a.log")
    assert done.code == 0
    report = (tmp_path / "r.txt").read_text(encoding="utf-8")
    assert report.strip() in done.out
    assert stat.S_IMODE((tmp_path / "r.txt").stat().st_mode) == 0o600
    for told in (
        f"noderag {noderag_local.__version__}, vault format ",
        "torch ",
        "ok   wall: files",
        "server_key: set, from variable",
        "2 files, 1 documents",
        "noderag_local.domain.errors.NotFound, exit code 7",
        "stage reading took",
    ):
        assert told in report
    for name in Settings.model_fields:
        assert f"\n{name}: " in report
    assert canaries_in(report) == []
    assert str(tmp_path) not in report
    assert str(Path.home()) not in report


def test_without_a_terminal_it_is_shown_and_not_written(
    noderag: Noderag, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = noderag("doctor", "--report", "--vault", vault)
    assert done.code == 2
    assert "add --yes" in done.err
    assert "## Versions" in done.out
    assert "There is none: run what fails with --log FILE" in done.out
    assert not (tmp_path / "noderag-report.txt").exists()


def test_a_file_that_is_there_is_kept(noderag: Noderag, sample_vault: Path, tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("mine")
    words = ("doctor", "--report", tmp_path / "r.txt", "--yes", "--vault", sample_vault)
    assert noderag(*words).code == 3
    assert (tmp_path / "r.txt").read_text() == "mine"
    assert noderag(*words, "--force").code == 0
    assert "## Versions" in (tmp_path / "r.txt").read_text()


def test_it_works_where_little_else_does(noderag: Noderag, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "not read: VaultMissing" in noderag("doctor", "--report", "--vault", tmp_path / "none").out
    monkeypatch.setenv("NODERAG_BUDGET_TOKENS", IN_SETTINGS)
    done = noderag("doctor", "--report", "--vault", tmp_path / "none")
    assert "cannot be used" in done.out
    assert canaries_in(done.out) == []


def test_its_options_are_for_it_alone(noderag: Noderag, tmp_path: Path) -> None:
    for words in ([tmp_path / "r.txt"], ["--yes"], ["--force"]):
        assert noderag("doctor", *words).code == 2


def test_for_programs(noderag: Noderag, sample_vault: Path, tmp_path: Path) -> None:
    done = noderag("doctor", "--report", tmp_path / "r.txt", "--yes", "--json", "--vault", sample_vault)
    assert done.document["report"] == (tmp_path / "r.txt").read_text()
