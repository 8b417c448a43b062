"""The log of every kind of work, and of its failures, holds no word of notes, questions, answers or file names."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest

from noderag_local.interfaces.cli.run_command import run
from noderag_local.system.log.log_lines import NAMES
from noderag_local.vault.vault import Vault

MODELS = Path(os.environ.get("NODERAG_MODELS_DIR", Path(__file__).parents[2] / "models"))
IN_NAMES, IN_TEXTS, IN_QUESTIONS, IN_TAGS = "Zebrafinchhof", "Quirinschatz", "Wombatfrage", "Ottermarke"
CANARIES = (IN_NAMES, IN_TEXTS, IN_QUESTIONS, IN_TAGS)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Notes and broken files, with a canary in each name and each text."""
    folder = tmp_path / IN_NAMES
    folder.mkdir()
    text = f"# {IN_TEXTS}\n\nThe {IN_TEXTS} belongs to Vera {IN_TEXTS}. She hides it. #{IN_TAGS}\n"
    for number in range(3):
        (folder / f"{IN_NAMES}-{number}.md").write_text(text, encoding="utf-8")
    (folder / f"{IN_NAMES}.yaml.md").write_text(f"---\n{IN_TAGS}: !!timestamp {IN_TEXTS}\n---\n{IN_TEXTS}.\n")
    (folder / f"{IN_NAMES}.jsonl").write_text(f'{{"text": "{IN_TEXTS}"\n{IN_TEXTS}\n')
    (folder / f"{IN_NAMES}.txt").write_bytes(IN_TEXTS.encode() + b"\xff\xfe\x00\x81" * 50)
    for ending in ("pdf", "docx", "eml", "ipynb"):
        (folder / f"{IN_NAMES}.{ending}").write_bytes(f"{IN_TEXTS} {IN_TAGS}\x00".encode() * 40)
    (folder / f".{IN_NAMES}").write_text(IN_TEXTS)
    (folder / f"{IN_NAMES}-link.md").symlink_to(tmp_path / IN_NAMES / "nowhere")
    return folder


class Noderag:
    """Runs commands that write a log."""

    def __init__(self, folder: Path) -> None:
        self.log, self._vault = folder / "noderag.log", folder / "vault"

    def __call__(self, *words: object) -> int:
        return run([*map(str, words), "--vault", str(self._vault), "--log", str(self.log)])

    def told(self) -> str:
        return self.log.read_text(encoding="utf-8")


@pytest.fixture
def noderag(tmp_path: Path) -> Noderag:
    return Noderag(tmp_path)


def test_work_and_its_failures(notes: Path, noderag: Noderag, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NODERAG_MODELS_DIR", str(tmp_path))
    assert noderag("index", notes) == 0
    assert noderag("search", f"Who has the {IN_QUESTIONS} of {IN_TEXTS}?") == 0
    assert noderag("ask", f"Who has the {IN_QUESTIONS} of {IN_TEXTS}?", "--tag", IN_TAGS) == 0
    assert noderag("ask", IN_QUESTIONS, "--tag", IN_QUESTIONS) == 7
    assert noderag("ask", IN_QUESTIONS, "--method", IN_QUESTIONS) == 2
    assert noderag("show", IN_QUESTIONS) == 7
    assert noderag("index", notes / "nowhere") == 3
    assert noderag("enrich", "--model", IN_NAMES) == 6
    assert noderag("export", tmp_path / f"{IN_NAMES}.jsonl") == 0
    assert noderag("forget", notes / f"{IN_NAMES}-0.md", "--yes") == 0
    told = noderag.told()
    assert "stage reading took" in told
    assert "left out: 2, hidden" not in told
    assert "WARNING" in told
    assert "noderag_local.domain.errors.NotFound, exit code 7" in told
    assert [canary for canary in CANARIES if canary.lower() in told.lower()] == []


@pytest.mark.real
@pytest.mark.skipif(not any(MODELS.glob("*.gguf")), reason="no model in models/")
def test_a_language_model(notes: Path, noderag: Noderag, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NODERAG_MODELS_DIR", str(MODELS))
    assert noderag("index", notes) == 0
    assert noderag("enrich", "--for", "5s") == 0
    assert noderag("ask", f"Who has the {IN_TEXTS}?", "--budget", "60") == 0
    assert noderag("ask", f"Why does Vera hide the {IN_TEXTS}?", "--budget", "60") == 0
    told = noderag.told()
    assert "stage decompose: " in told
    # The first question asks for a span of the notes; the second for words that the model writes.
    assert "weighed spans: " in told
    assert "answered: " in told
    assert [canary for canary in CANARIES if canary.lower() in told.lower()] == []


def test_a_crash_and_what_libraries_log(
    notes: Path, noderag: Noderag, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def crash(vault: Vault) -> None:
        logging.getLogger("docutils").warning("odd line in %s: %s", notes, IN_TEXTS)
        try:
            IN_TEXTS.encode("utf-16").decode("ascii")
        except UnicodeDecodeError as error:
            raise ValueError(f"{notes}: {IN_TEXTS}") from error

    monkeypatch.setattr(Vault, "stats", crash)
    assert noderag("stats") == 70
    told = noderag.told()
    assert "docutils: a message of line" in told
    assert "    ValueError\n" in told
    assert "    caused by UnicodeDecodeError\n" in told
    assert f"{__name__.rpartition('.')[2]}" in told
    assert [canary for canary in CANARIES if canary.lower() in told.lower()] == []
    shown = capsys.readouterr().err
    assert "--log noderag.log" in shown
    assert "noderag doctor --report" in shown


def test_with_names_they_stand_in_marked_lines_alone(notes: Path, noderag: Noderag) -> None:
    assert noderag("index", notes, "--log-names") == 0
    assert noderag("show", IN_QUESTIONS, "--log-names") == 7
    lines = noderag.told().splitlines()
    assert any(IN_NAMES in line for line in lines)
    assert any(IN_QUESTIONS in line for line in lines)
    assert [line for line in lines if not line.startswith(NAMES) and any(one in line for one in CANARIES)] == []


def test_a_log_that_cannot_be_written_is_told_before_any_work(
    notes: Path, noderag: Noderag, capsys: pytest.CaptureFixture[str]
) -> None:
    noderag.log = notes / f"{IN_NAMES}-0.md" / "a.log"
    assert noderag("index", notes) == 2
    assert "The log " in capsys.readouterr().err
    assert not (notes.parent / "vault").exists()
    noderag.log = notes / f"{IN_NAMES}-0.md"
    assert noderag("index", notes) == 2
    assert (notes / f"{IN_NAMES}-0.md").read_text().startswith(f"# {IN_TEXTS}")


def test_a_setting_writes_it_too(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, noderag: Noderag
) -> None:
    monkeypatch.setenv("NODERAG_LOG", str(tmp_path / "of-setting.log"))
    assert run(["index", str(notes), "--vault", str(tmp_path / "vault")]) == 0
    assert "ended with exit code 0" in (tmp_path / "of-setting.log").read_text()
