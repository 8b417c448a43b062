"""Indexing as a whole: incremental equals fresh, stopped and killed runs go on, order never matters."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers import musique

from noderag_local.config import Settings
from noderag_local.domain.errors import VaultLocked
from noderag_local.storage.database.store import Store
from noderag_local.vault.vault import Vault

QUESTION = "Where does Anna keep the spare key?"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "anna.md").write_text("# Anna\n\nShe keeps the spare key behind the clock in Vienna.\n", encoding="utf-8")
    (folder / "ben.md").write_text("# Ben\n\nBen met Anna in Vienna on 3 May 2021.\n", encoding="utf-8")
    (folder / "list.txt").write_text("milk\n\neggs\n\nbread\n", encoding="utf-8")
    return folder


def graph_of(folder: Path) -> list[tuple[object, ...]]:
    """Everything that a search can see, without the numbers of the rows."""
    with Store.open(folder, write=False) as store:
        return store.rows(
            "SELECT coalesce(a.name, s.text), e.type, coalesce(b.name, t.text), round(e.weight, 3) FROM edges e"
            " JOIN nodes a ON a.id = e.source JOIN nodes b ON b.id = e.target"
            " LEFT JOIN sentences s ON s.id = a.id LEFT JOIN sentences t ON t.id = b.id"
            " WHERE e.type <> 's' ORDER BY 1, 2, 3"
        ) + store.rows("SELECT text, tokens FROM sentences ORDER BY 1")


def test_the_second_run_does_nothing(tmp_path: Path, notes: Path, settings: Settings) -> None:
    with Vault(tmp_path / "vault", settings) as vault:
        first = vault.index([notes])
        again = vault.index([notes])
    assert (first.added, first.unchanged) == (3, 0)
    assert (again.added, again.changed, again.removed, again.unchanged) == (0, 0, 0, 3)


def test_what_could_not_be_read_of_a_file_is_told_again_while_it_stays_as_it_is(
    tmp_path: Path, notes: Path, settings: Settings
) -> None:
    records = notes / "records.jsonl"
    records.write_text('{"title": "Ada", "text": "Ada keeps bees."}\n{broken\n', encoding="utf-8")
    with Vault(tmp_path / "vault", settings) as vault:
        first, again = vault.index([notes]), vault.index([notes])
        assert [skip.path for skip in first.skipped] == [str(records)]
        assert again.skipped == first.skipped
        records.write_text('{"title": "Ada", "text": "Ada keeps bees."}\n', encoding="utf-8")
        assert vault.index([notes]).skipped == ()


def test_a_file_that_cannot_be_read_is_tried_again_when_it_changes_or_is_named(
    tmp_path: Path, notes: Path, settings: Settings
) -> None:
    broken = notes / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 and no more")
    with Vault(tmp_path / "vault", settings) as vault:
        first, again = vault.index([notes]), vault.index([notes])
        assert [skip.path for skip in first.skipped] == [str(broken)]
        assert again.skipped == first.skipped
        assert (again.unchanged, vault.index([broken]).unchanged) == (4, 0)
        broken.write_bytes(b"%PDF-1.7 and nothing more")
        assert vault.index([notes]).unchanged == 3


def test_a_file_that_holds_nothing_readable_any_more_is_not_quoted(
    tmp_path: Path, notes: Path, settings: Settings
) -> None:
    with Vault(tmp_path / "vault", settings) as vault:
        vault.index([notes])
        (notes / "anna.md").write_bytes(b"\x7fELF\x00\x00\x01\x02" * 200)
        for _ in range(2):
            report = vault.index([notes])
            assert [skip.path for skip in report.skipped] == [str(notes / "anna.md")]
            assert str(notes / "anna.md") not in [source.path for source in vault.search(QUESTION).sources]


def test_an_edit_a_new_note_and_a_lost_one_equal_a_fresh_vault(tmp_path: Path, notes: Path, settings: Settings) -> None:
    with Vault(tmp_path / "vault", settings) as vault:
        vault.index([notes])
        (notes / "ben.md").write_text("# Ben\n\nBen moved to Graz in 2022.\n", encoding="utf-8")
        (notes / "list.txt").unlink()
        (notes / "zoe.md").write_text("# Zoe\n\nZoe lives in Graz.\n", encoding="utf-8")
        report = vault.index([notes])
        assert (report.added, report.changed, report.removed) == (2, 1, 2)
        assert all(finding.ok for finding in vault.check())
    with Vault(tmp_path / "fresh", settings) as fresh:
        fresh.index([notes])
    assert graph_of(tmp_path / "vault") == graph_of(tmp_path / "fresh")


def test_a_line_more_in_a_json_file_costs_one_document(tmp_path: Path, settings: Settings) -> None:
    corpus = tmp_path / "corpus.jsonl"
    lines = musique.CORPUS.read_text(encoding="utf-8").splitlines()
    corpus.write_text("\n".join(lines[:6]) + "\n", encoding="utf-8")
    with Vault(tmp_path / "vault", settings) as vault:
        vault.index([corpus])
        corpus.write_text("\n".join(lines[:7]) + "\n", encoding="utf-8")
        report = vault.index([corpus])
    assert (report.added, report.removed) == (1, 0)


def test_files_read_in_another_order_give_the_same_graph(tmp_path: Path, notes: Path, settings: Settings) -> None:
    with Vault(tmp_path / "together", settings) as together:
        together.index([notes])
    with Vault(tmp_path / "apart", settings) as apart:
        for name in ("list.txt", "ben.md", "anna.md"):
            apart.index([notes / name])
    assert graph_of(tmp_path / "together") == graph_of(tmp_path / "apart")


def test_indexing_another_folder_leaves_the_first_alone(tmp_path: Path, notes: Path, settings: Settings) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "note.md").write_text("The boat is called Albatros.", encoding="utf-8")
    with Vault(tmp_path / "vault", settings) as vault:
        vault.index([notes])
        assert vault.index([other]).removed == 0
        assert vault.stats().documents == 4


def test_a_stopped_run_goes_on_and_ends_the_same(tmp_path: Path, notes: Path, settings: Settings) -> None:
    with Vault(tmp_path / "whole", settings) as whole:
        whole.index([notes])
    with Vault(tmp_path / "vault", settings) as vault:
        for checks in range(1, 30):
            left = iter([False] * checks)
            if not vault.index([notes], cancelled=lambda left=left: next(left, True)).stopped:
                break
        else:
            pytest.fail("thirty checks were not enough to end")
        assert checks > 1
        assert vault.index([notes]).stopped is False
    assert graph_of(tmp_path / "vault") == graph_of(tmp_path / "whole")


def test_one_broken_document_is_told_and_the_rest_is_there(tmp_path: Path, notes: Path, settings: Settings) -> None:
    (notes / "broken.md").write_bytes(b"\x7fELF\x00\x00\x01\x02" * 200)
    (notes / "empty.md").write_text("", encoding="utf-8")
    corpus = notes / "damaged.jsonl"
    corpus.write_text('{"title": "A", "text": "The oar is red."}\n{"title": "B", "te\n', encoding="utf-8")
    with Vault(tmp_path / "vault", settings) as vault:
        report = vault.index([notes])
        assert report.added == 4
        told = {Path(skip.path).name: skip for skip in report.skipped}
        assert str(notes / "broken.md") in told["broken.md"].detail
        assert told["empty.md"].reason == "empty"
        assert "2" in told["damaged.jsonl"].detail
        assert vault.search("What colour is the oar?").sources[0].text == "The oar is red."


def test_a_second_process_is_told_who_is_writing(tmp_path: Path, notes: Path, settings: Settings) -> None:
    with (
        Store.open(tmp_path / "vault", write=True),
        Vault(tmp_path / "vault", settings) as vault,
        pytest.raises(VaultLocked, match=str(os.getpid())),
    ):
        vault.index([notes])


def test_searching_sees_what_another_run_has_added(tmp_path: Path, notes: Path, settings: Settings) -> None:
    with Vault(tmp_path / "vault", settings) as reader, Vault(tmp_path / "vault", settings) as writer:
        writer.index([notes])
        assert "clock" in reader.search(QUESTION).context
        (notes / "anna.md").write_text("# Anna\n\nShe keeps the spare key under the mat.\n", encoding="utf-8")
        writer.index([notes])
        context = reader.search(QUESTION).context
        assert "mat" in context
        assert "clock" not in context


KILLED = """
import sys
from pathlib import Path
from noderag_local.config import load_settings
from noderag_local.vault.vault import Vault

Vault(Path(sys.argv[1]), load_settings(models_dir=sys.argv[3])).index([Path(sys.argv[2])])
"""


@pytest.mark.parametrize("delay_seconds", [0.6, 1.5, 4.0, 7.0])
def test_a_killed_run_leaves_a_whole_vault_that_goes_on(
    tmp_path: Path, settings: Settings, delay_seconds: float
) -> None:
    arguments = [str(tmp_path / "vault"), str(musique.CORPUS), str(settings.models_dir)]
    with subprocess.Popen([sys.executable, "-c", KILLED, *arguments], stderr=subprocess.DEVNULL) as process:
        time.sleep(delay_seconds)
        process.send_signal(signal.SIGKILL)
    with Vault(tmp_path / "vault", settings) as vault:
        vault.index([musique.CORPUS])
        assert all(finding.ok for finding in vault.check())
        assert vault.stats().documents == len(musique.records())
