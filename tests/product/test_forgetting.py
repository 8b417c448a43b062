"""Forgetting: what is taken out leaves no trace, does not come back by itself, and comes back when it is named."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from noderag_local.config import Settings
from noderag_local.domain.errors import NotFound, VaultMissing
from noderag_local.domain.passages import Scope
from noderag_local.domain.progress import Progress
from noderag_local.ingest.sync.forgetting import FORGOTTEN
from noderag_local.pipeline.caches import PREPARING
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.noted_roots import BroughtRoots
from noderag_local.storage.graph.llm_cache import CachedText, LlmCache
from noderag_local.storage.snapshots.cache_file import caches
from noderag_local.vault.vault import Vault

SECRET = "Where does Quirin hide the ledger?"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Four notes, two of them in a folder below, one of which has a secret."""
    folder = tmp_path / "notes"
    (folder / "private").mkdir(parents=True)
    (folder / "anna.md").write_text("# Anna\n\nAnna lives in Vienna. She met [[Ben]] there.\n", "utf-8")
    (folder / "ben.md").write_text("# Ben\n\nBen met Anna in Vienna on 3 May 2021.\n", "utf-8")
    (folder / "private" / "diary.md").write_text("# Diary\n\nQuirin hides the ledger under the stairs.\n", "utf-8")
    (folder / "private" / "list.txt").write_text("Quinces from Ghent\n", "utf-8")
    return folder


@pytest.fixture
def vault(tmp_path: Path, notes: Path, settings: Settings) -> Iterator[Vault]:
    with Vault(tmp_path / "vault", settings) as opened:
        opened.index([notes])
        yield opened


def names(vault: Vault) -> list[str]:
    return [Path(document.path).name for document in vault.atlas.library().documents]


def everything_stored(folder: Path) -> str:
    """Every text that any row of the vault holds."""
    with Store.open(folder, write=False) as store:
        tables = [name for (name,) in store.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = [
            row for name in tables if not name.startswith("entity_names") for row in store.rows(f"SELECT * FROM {name}")
        ]
        return "\n".join(str(value) for row in rows for value in row if not isinstance(value, bytes))


def test_a_forgotten_note_is_found_by_nothing(vault: Vault, notes: Path) -> None:
    assert "stairs" in vault.search(SECRET).context
    report = vault.forget([notes / "private" / "diary.md"])
    assert (report.files, report.documents, report.stopped) == (1, 1, False)
    for method in ("", "naive", "bm25"):
        assert "ledger" not in vault.search(SECRET, method=method).context
    for name in ("Diary", "Quirin", str(notes / "private" / "diary.md"), f"{notes}/private/diary.md:3"):
        with pytest.raises(NotFound):
            vault.show(name)
    assert names(vault) == ["anna.md", "ben.md", "list.txt"]
    assert "Quirin" not in vault.atlas.entities().names
    assert "ledger" not in everything_stored(vault.folder)
    assert (notes / "private" / "diary.md").is_file()
    assert all(finding.ok for finding in vault.check())


def test_the_rest_is_as_if_it_had_never_been_there(
    vault: Vault, notes: Path, tmp_path: Path, settings: Settings
) -> None:
    vault.forget([notes / "private" / "diary.md"])
    (notes / "private" / "diary.md").unlink()
    with Vault(tmp_path / "fresh", settings) as fresh:
        fresh.index([notes])
        assert vault.stats().nodes == fresh.stats().nodes
        assert vault.stats().edges == fresh.stats().edges
        assert vault.atlas.entities().names == fresh.atlas.entities().names


def test_it_does_not_come_back_with_its_folder_and_the_report_says_why(vault: Vault, notes: Path) -> None:
    diary = notes / "private" / "diary.md"
    vault.forget([diary])
    for _ in range(2):
        diary.write_text(diary.read_text("utf-8") + "Another day.\n", "utf-8")
        report = vault.index([notes])
        (left_out,) = [skip for skip in report.skipped if skip.reason == FORGOTTEN]
        assert (report.added, report.unchanged, left_out.is_error) == (0, 3, False)
        assert left_out.detail == f"{diary} was forgotten by you. Index it by its own path to take it back."
    assert (FORGOTTEN, [str(notes)]) in [(one.reason, list(one.paths)) for one in vault.atlas.library().left_out]


def test_named_by_its_own_path_it_comes_back_and_stays(vault: Vault, notes: Path) -> None:
    vault.forget([notes / "private" / "diary.md"])
    assert vault.index([notes / "private" / "diary.md"]).added == 1
    assert "stairs" in vault.search(SECRET).context
    assert vault.index([notes]).unchanged == 4
    assert "stairs" in vault.search(SECRET).context


def test_a_forgotten_folder_is_left_out_with_what_is_new_in_it(vault: Vault, notes: Path) -> None:
    assert vault.forget([notes / "private"]).files == 2
    assert names(vault) == ["anna.md", "ben.md"]
    (notes / "private" / "new.md").write_text("Quirin has a new ledger.\n", "utf-8")
    assert vault.index([notes]).added == 0
    assert vault.index([notes / "private" / "list.txt"]).added == 1
    assert vault.index([notes]).removed == 0
    assert names(vault) == ["anna.md", "ben.md", "list.txt"]
    assert vault.index([notes / "private"]).added == 2
    assert vault.index([notes]).unchanged == 5


def test_a_note_that_was_forgotten_alone_stays_away_when_its_folder_comes_back(vault: Vault, notes: Path) -> None:
    vault.forget([notes / "private" / "diary.md"])
    vault.forget([notes])
    assert names(vault) == []
    assert "ledger" not in vault.search(SECRET).context
    vault.index([notes])
    assert names(vault) == ["anna.md", "ben.md", "list.txt"]


def test_a_file_of_many_records_goes_as_a_whole(tmp_path: Path, settings: Settings) -> None:
    lines = tmp_path / "facts.txt"
    lines.write_text("The heron is a bird.\nThe pike is a fish.\nThe ledger is lost.\n", "utf-8")
    with Vault(tmp_path / "vault", settings) as vault:
        vault.index([lines], by_lines=True)
        assert vault.forget([lines]).documents == 3
        assert vault.stats().documents == 0
        assert vault.search("Which bird?").sources == ()
        assert vault.index([lines], by_lines=True).added == 3


def test_a_file_that_cannot_be_read_is_not_tried_again(vault: Vault, notes: Path) -> None:
    (notes / "broken.md").write_bytes(b"\x00\x01\x02" * 500)
    vault.index([notes])
    assert "broken.md" in names(vault)
    assert vault.forget([notes / "broken.md"]).documents == 0
    assert "broken.md" not in names(vault)
    assert not any(skip.is_error for skip in vault.index([notes]).skipped)


def test_within_a_scope_it_is_not_found_either(vault: Vault, notes: Path) -> None:
    scope = Scope(folder=str(notes / "private"))
    assert "ledger" in vault.search(SECRET, scope=scope).context
    vault.forget([notes / "private" / "diary.md"])
    assert vault.atlas.count_in(scope) == 1
    assert "ledger" not in vault.search(SECRET, scope=scope).context
    vault.forget([notes / "private" / "list.txt"])
    with pytest.raises(NotFound, match="private"):
        vault.search(SECRET, scope=scope)


def test_what_is_not_there_is_told_with_what_is_near_and_nothing_goes(vault: Vault, notes: Path) -> None:
    with pytest.raises(NotFound, match=r"diary\.md"):
        vault.forget([notes / "anna.md", notes / "diary.md"])
    assert len(names(vault)) == 4


def test_without_a_vault_there_is_nothing_to_forget(tmp_path: Path, settings: Settings) -> None:
    with Vault(tmp_path / "none", settings) as none, pytest.raises(VaultMissing):
        none.forget([tmp_path])
    assert not (tmp_path / "none").exists()


def test_answers_of_the_model_that_nothing_stands_on_go_too(vault: Vault, notes: Path) -> None:
    vault.close()
    with Store.open(vault.folder, write=True) as store:
        LlmCache(store).put("model", "1", "hash", CachedText("Quirin | hides | ledger", 1, 1))
    vault.forget([notes / "private" / "diary.md"])
    assert "ledger" not in everything_stored(vault.folder)


def test_stopped_on_the_way_it_is_gone_and_the_next_run_tidies_up(vault: Vault, notes: Path) -> None:
    looks = iter([False])
    report = vault.forget([notes / "private" / "diary.md"], cancelled=lambda: next(looks, True))
    assert (report.documents, report.stopped) == (1, True)
    assert "ledger" not in vault.search(SECRET).context
    vault.index([notes])
    assert "Quirin" not in vault.atlas.entities().names
    assert all(finding.ok for finding in vault.check())


def test_no_byte_of_twelve_notes_is_left_and_the_graph_is_that_of_a_vault_that_never_had_them() -> None:
    script = Path(__file__).parents[2] / "scripts" / "bench" / "forget.py"
    command = [sys.executable, script, "--documents", "12", "--kept", "8"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]


def test_the_name_of_what_was_forgotten_does_not_come_back_with_the_next_indexing(vault: Vault, notes: Path) -> None:
    (notes / "private" / ".hidden.md").write_text("Hidden.\n", "utf-8")
    vault.forget([notes / "private"])
    vault.index([notes])
    vault.close()
    for path in vault.folder.iterdir():
        assert not any(name in path.read_bytes() for name in (b"diary", b"private", b"Quirin", b"quirin"))


def test_an_index_of_vectors_that_it_was_in_goes(vault: Vault, notes: Path) -> None:
    cache = vault.folder / "sentences.usearch"
    cache.write_bytes(b"numbers that were made of the ledger")
    vault.forget([notes / "private" / "diary.md"])
    assert not cache.exists()


def test_more_than_a_thousand_files_are_indexed_and_forgotten_by_their_names(vault: Vault, tmp_path: Path) -> None:
    many = [tmp_path / "many" / f"{number}.txt" for number in range(1_100)]
    many[0].parent.mkdir()
    for file in many:
        file.write_text(f"Row {file.stem}.\n", "utf-8")
    assert vault.index(many).added == len(many)
    assert vault.index(many).unchanged == len(many)
    assert vault.forget(many).files == len(many)
    assert names(vault) == ["anna.md", "ben.md", "diary.md", "list.txt"]


@pytest.mark.parametrize("has_second_names", [True, False])
def test_a_cache_that_a_search_wrote_meanwhile_goes(
    vault: Vault, notes: Path, monkeypatch: pytest.MonkeyPatch, has_second_names: bool
) -> None:
    vault.search(SECRET)
    if not has_second_names:
        # As on a FAT drive.
        monkeypatch.setattr("os.link", refused)
    before = {path: path.read_bytes() for path in caches(vault.folder)}
    assert before

    def search_that_began_before(progress: Progress) -> None:
        if progress.stage == PREPARING and progress.done == progress.total:
            for path, content in before.items():
                path.write_bytes(content)

    report = vault.forget([notes / "private" / "diary.md"], progress=search_that_began_before)
    assert not report.has_traces
    assert not set(before.values()) & {path.read_bytes() for path in caches(vault.folder)}


def refused(*_: object) -> None:
    raise PermissionError


def test_the_path_of_a_root_that_was_imported_goes_with_its_files(vault: Vault, notes: Path) -> None:
    vault.close()
    with Store.open(vault.folder, write=True) as store, store.transaction():
        assert BroughtRoots(store).keep() == (str(notes),)
    vault.forget([notes / "private"])
    assert vault.exchange.unchosen_roots() == [str(notes)]
    vault.forget([notes])
    assert vault.exchange.unchosen_roots() == []
    assert str(notes) not in everything_stored(vault.folder)


def test_while_another_program_reads_it_says_that_traces_are_left_and_the_next_run_clears_them(
    vault: Vault, notes: Path
) -> None:
    with Store.open(vault.folder, write=False) as other, other.steady():
        other.value("SELECT count(*) FROM documents")
        assert vault.forget([notes / "private" / "diary.md"]).has_traces
    vault.index([notes])
    vault.close()
    assert not any(b"ledger" in path.read_bytes() for path in vault.folder.iterdir())


KILLED = """
import os, signal, sys
from pathlib import Path
from noderag_local.config import load_settings
from noderag_local.vault.vault import Vault

def told(step):
    if step.stage == sys.argv[4]:
        os.kill(os.getpid(), signal.SIGKILL)

Vault(Path(sys.argv[1]), load_settings(models_dir=sys.argv[3])).forget([Path(sys.argv[2])], progress=told)
"""


@pytest.mark.parametrize("stage", ["forgetting", "linking", "connecting"])
def test_killed_at_any_stage_the_vault_opens_and_goes_on(
    vault: Vault, notes: Path, settings: Settings, stage: str
) -> None:
    vault.close()
    diary = notes / "private" / "diary.md"
    arguments = [str(vault.folder), str(diary), str(settings.models_dir), stage]
    assert subprocess.run([sys.executable, "-c", KILLED, *arguments], check=False).returncode < 0
    was_removed = stage != "forgetting"
    assert ("stairs" not in vault.search(SECRET).context) is was_removed
    vault.index([notes])
    assert ("diary.md" not in names(vault)) is was_removed
    assert ("Quirin" not in vault.atlas.entities().names) is was_removed
    assert all(finding.ok for finding in vault.check())
