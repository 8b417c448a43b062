"""A file is read again when another version of its reader, or another way of cutting, makes other documents of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.changing_notes import fresh_digest, index, indexed
from helpers.note_files import written_notes
from helpers.time_zones import in_zone

from noderag_local.domain.documents import SourceFile
from noderag_local.ingest import reading_version
from noderag_local.ingest.chunks import packing
from noderag_local.ingest.chunks.packing import ChunkSize
from noderag_local.ingest.formats import registry
from noderag_local.ingest.formats.registry import FORMATS, format_of
from noderag_local.ingest.sandbox.worker_process import WorkerProcess
from noderag_local.ingest.sync.file_changes import unread
from noderag_local.ingest.sync.read_files import Wanted, read_drafts
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.browsing.scope_rows import ScopeRows
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.storage.documents.texts import TextRows

DATA = Path(__file__).parents[1] / "data"
MAX_BYTES = 1 << 20

FINGERPRINTS = {
    "bibtex": (2, "3b73872b4528"),
    "bookmarks": (2, "b6983edc9280"),
    "canvas": (3, "edecf58241ab"),
    "calendar": (3, "fe3047a87572"),
    "code": (1, "1837410e73f7"),
    "docx": (2, "16c9df40ffcb"),
    "epub": (2, "2a5a87477768"),
    "evernote": (3, "14de5bedf78b"),
    "html": (4, "84f1b44c40a6"),
    "jsonl": (2, "3dd0fac8edc0"),
    "keep": (3, "771072fa5f4a"),
    "latex": (2, "d8bebe4d7f16"),
    "mail": (5, "9a4d525d5f6e"),
    "markdown": (5, "957c34805f19"),
    "notebook": (3, "53f3163c40d4"),
    "odp": (2, "ac1df6bb9619"),
    "ods": (1, "1f5cb9461945"),
    "notion": (3, "30514c692e18"),
    "notion-html": (2, "6ad3419b3e41"),
    "notion-table": (2, "4ff48aac2190"),
    "odt": (2, "cea4dbcb61d2"),
    "org": (2, "720c194653ec"),
    "pdf": (3, "5e6b3bcf6cdd"),
    "picture": (3, "fbde84a71901"),
    "plain": (4, "0fb56c6167ee"),
    "pptx": (1, "7fb413bf2152"),
    "restructured": (2, "20dcc4759e32"),
    "ris": (1, "75590df5f040"),
    "rtf": (2, "385784052e64"),
    "subtitles": (1, "0f5a9b092a1b"),
    "tables": (2, "763775b8f2aa"),
    "whatsapp": (3, "577317d6dea1"),
    "xlsx": (2, "abf5f6e8f0eb"),
    "zip": (6, "6c863de4d1aa"),
    "zotero": (3, "d984d85e9ec4"),
}
"""Reader -> its version, and a hash of what it makes of the sample files."""


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# Bob\n\nBob went home to Paris. He likes it there.\n\nHe sings.\n", encoding="utf-8")
    (folder / "b.csv").write_text("name,town\nEve,Rome\nAnn,Oslo\n", encoding="utf-8")
    (folder / "c.jsonl").write_text('{"text": "A fern."}\n{"text": "A moss."}\n', encoding="utf-8")
    return folder


@pytest.fixture
def store(tmp_path: Path, notes: Path) -> Iterator[Store]:
    with indexed(tmp_path / "vault", notes) as opened:
        yield opened


def mend(patch: pytest.MonkeyPatch, name: str) -> None:
    """As if the reader of a format made other documents from now on."""
    for suffix, known in list(registry._BY_SUFFIX.items()):
        if known.name == name:
            patch.setitem(registry._BY_SUFFIX, suffix, known._replace(version=known.version + 1))


def documents(store: Store) -> dict[str, list[int]]:
    """Ids of the documents of each file."""
    rows = store.rows("SELECT path, d.id FROM documents d JOIN files f ON f.id = file_id ORDER BY d.id")
    found: dict[str, list[int]] = {}
    for path, number in rows:
        found.setdefault(Path(path).name, []).append(number)
    return found


@pytest.mark.parametrize(
    ("name", "file"),
    [("markdown", "a.md"), ("tables", "b.csv"), ("jsonl", "c.jsonl")],
    ids=["text", "table", "records"],
)
def test_a_mended_reader_reaches_the_files_of_its_format_alone(
    name: str, file: str, store: Store, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = documents(store)
    mend(monkeypatch, name)
    assert {one.path for one in unread(store, [notes], False, MAX_BYTES).files} == {str(notes / file)}
    report = index(store, notes)
    count = len(before[file])
    assert (report.read_again, report.unchanged, report.changed) == (1, 2, 0)
    assert (report.added, report.removed) == (count, count)
    after = documents(store)
    assert {other for other in before if before[other] != after[other]} == {file}
    assert digest(store) == fresh_digest(tmp_path / "fresh", notes)
    assert index(store, notes).unchanged == 3


def test_other_chunk_sizes_make_all_files_anew(
    store: Store, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "DEFAULT_SIZE", ChunkSize(3, 6))
    assert index(store, notes).read_again == 3
    assert store.value("SELECT count(*) FROM chunks") > 4
    assert digest(store) == fresh_digest(tmp_path / "fresh", notes)


def test_another_cut_of_sentences_makes_all_files_anew(
    store: Store, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading_version, "SENTENCES", reading_version.SENTENCES + 1)
    assert index(store, notes).read_again == 3


def test_what_older_readers_made_can_wait(store: Store, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = documents(store)
    mend(monkeypatch, "jsonl")
    mend(monkeypatch, "tables")
    assert index(store, notes, keep_old=True).unchanged == 3
    assert documents(store) == before
    # A file that changes is read in the new way, all of it.
    (notes / "c.jsonl").write_text('{"text": "A fern."}\n{"text": "A moss."}\n{"text": "A yew."}\n', encoding="utf-8")
    report = index(store, notes, keep_old=True)
    assert (report.changed, report.added, report.removed, report.read_again) == (1, 3, 2, 0)
    assert index(store, notes).read_again == 1


def test_a_run_that_ends_in_the_middle_leaves_no_file_half_old(
    store: Store, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mend(monkeypatch, "jsonl")
    file = next(one for one in unread(store, [notes], False, MAX_BYTES).files)
    FileRows(store).begin(file, str(notes), False, read_by="jsonl 2")
    report = index(store, notes)
    assert (report.added, report.removed) == (2, 2)
    assert digest(store) == fresh_digest(tmp_path / "fresh", notes)


def test_a_vault_of_before_is_taken_for_one_of_the_first_versions(
    store: Store, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.run("UPDATE files SET read_by = ''")
    # Sentences have been cut in another way since.
    assert index(store, notes).read_again == 3
    mend(monkeypatch, "tables")
    assert index(store, notes).read_again == 1


def test_a_vault_of_before_learns_the_days_of_its_notes(tmp_path: Path) -> None:
    notes = written_notes(tmp_path / "notes", {"a.md": "---\ndate: 2026-05-03\n---\nRain.\n", "b.md": "Sun.\n"})
    with indexed(tmp_path / "vault", notes) as store:
        store.run("ALTER TABLE documents DROP COLUMN day")
        store.run("UPDATE files SET read_by = replace(read_by, 'markdown 5', 'markdown 4')")
        store.run("DELETE FROM _sqlite_migrations WHERE name = 'own_days_of_documents'")
        store.run("PRAGMA user_version = 12")
    with Store.open(tmp_path / "vault", write=False) as store:
        assert [one.day for one in TextRows(store).sentences_in_place()] == ["", ""]
        assert [one.day for one in ScopeRows(store).documents(with_tags=False)] == ["", ""]
    with Store.open(tmp_path / "vault", write=True) as store:
        assert [one.day for one in ScopeRows(store).documents(with_tags=False)] == ["", ""]
        index(store, notes)
        days = {Path(one.path).name: one.day for one in ScopeRows(store).documents(with_tags=False)}
        assert days == {"a.md": "2026-05-03", "b.md": ""}
        assert digest(store) == fresh_digest(tmp_path / "fresh", notes)


def test_again_reads_what_has_not_changed(store: Store, notes: Path, tmp_path: Path) -> None:
    before = documents(store)
    report = index(store, notes / "a.md", again=True)
    assert (report.read_again, report.added, report.removed) == (1, 1, 1)
    after = documents(store)
    assert {name for name in before if before[name] != after[name]} == {"a.md"}
    assert index(store, notes, again=True).read_again == 3
    assert digest(store) == fresh_digest(tmp_path / "fresh", notes)


def fingerprints() -> dict[str, tuple[int, str]]:
    """Version of each reader, and a hash of what it makes of the sample files."""
    found: dict[str, tuple[int, list[str]]] = {}
    folders = ("formats", "formats/Keep", "plain")
    paths = sorted(path for folder in folders for path in (DATA / folder).iterdir() if path.is_file())
    with in_zone("UTC"), WorkerProcess() as process:
        for path in paths:
            if path.name in ("README.md", "TEXTS.md"):
                continue
            known = format_of(str(path))
            drafts = read_drafts(Wanted(SourceFile(str(path), path.stat().st_size, 0)), process)
            # A document that tells no day is what it was before days were told.
            said = [repr(draft).replace(str(DATA), "").replace(", day=''", "") for draft in drafts]
            found.setdefault(known.name, (known.version, []))[1].extend(said)
    return {
        name: (version, hashlib.sha256("\n".join(said).encode()).hexdigest()[:12])
        for name, (version, said) in found.items()
    }


def test_no_reader_makes_other_documents_without_a_new_version() -> None:
    assert fingerprints() == FINGERPRINTS, (
        "a reader makes other documents of tests/data: raise its version (ingest/formats/registry.py;"
        " SENTENCES in ingest/reading_version.py where sentences are cut otherwise), and note the new hash here"
    )
    assert {known.name for known in FORMATS} <= FINGERPRINTS.keys()
