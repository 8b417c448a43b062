"""A file that changes while it is read loses nothing of what was read of it before; one that became unreadable does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers.changing_notes import fresh_digest, index

from noderag_local.ingest.sandbox.wire import Kind
from noderag_local.ingest.sandbox.worker_exchange import FileExchange
from noderag_local.ingest.sync import file_writes
from noderag_local.ingest.sync.file_writes import FileWrites
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows

LINES = 200
"""More than one message of the reading process holds."""


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_writes, "BATCH_CHARACTERS", 10_000)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "vault", write=True) as opened:
        yield opened


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    return tmp_path / "notes/log.jsonl"


def write(log: Path, word: str) -> None:
    padding = "x" * 600
    texts = (f"Anna took {word} number {number} {padding}." for number in range(LINES))
    log.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")


def after_first_write(monkeypatch: pytest.MonkeyPatch, does: Callable[[], None]) -> None:
    """Does something to the file once a part of it is written, in the next run only."""
    of_writes = FileWrites.write

    def written(self: FileWrites) -> None:
        of_writes(self)
        monkeypatch.setattr(FileWrites, "write", of_writes)
        does()

    monkeypatch.setattr(FileWrites, "write", written)


def texts(store: Store, word: str) -> int:
    return int(store.value("SELECT count(*) FROM chunks WHERE instr(text, ?)", (f"took {word} ",)))


def grow(log: Path) -> None:
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"text": "Ben came."}) + "\n")


@pytest.mark.parametrize("changes", [grow, Path.unlink])
def test_a_file_that_changes_while_it_is_read_keeps_what_was_stored(
    log: Path, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: Callable[[Path], None]
) -> None:
    write(log, "pear")
    index(store, log.parent)
    write(log, "plum")
    after_first_write(monkeypatch, lambda: changes(log))
    report = index(store, log.parent)
    assert (report.removed, texts(store, "pear")) == (0, LINES)
    assert 0 < texts(store, "plum") == report.added < LINES
    assert not FileRows(store).known()[str(log)].complete
    write(log, "plum")
    assert index(store, log.parent).removed == LINES
    assert digest(store) == fresh_digest(tmp_path / "fresh", log.parent)


def test_several_runs_in_turn_that_do_not_come_to_its_end(
    log: Path, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for word in ("pear", "plum", "fig", "nut"):
        write(log, word)
        if word != "pear":
            after_first_write(monkeypatch, lambda: grow(log))
        index(store, log.parent)
    assert texts(store, "pear") == LINES
    index(store, log.parent)
    assert texts(store, "nut") == LINES
    assert digest(store) == fresh_digest(tmp_path / "fresh", log.parent)


def test_a_note_that_holds_nothing_readable_any_more_is_no_source(store: Store, tmp_path: Path) -> None:
    note = tmp_path / "notes/a.md"
    note.parent.mkdir()
    note.write_text("Anna took pear and plum.\n", encoding="utf-8")
    index(store, note.parent)
    number = FileRows(store).known()[str(note)].id
    note.write_bytes(bytes(range(256)) * 40)
    report = index(store, note.parent)
    assert (report.removed, [skip.is_error for skip in report.skipped]) == (1, [True])
    assert texts(store, "pear") == 0
    assert FileRows(store).known()[str(note)].id == number
    assert index(store, note.parent).unchanged == 1
    note.write_text("Anna took pear and figs.\n", encoding="utf-8")
    assert index(store, note.parent).added == 1
    assert digest(store) == fresh_digest(tmp_path / "fresh", note.parent)


def test_a_note_that_a_new_reader_cannot_read_stays_as_it_was(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = tmp_path / "notes/a.md"
    note.parent.mkdir()
    note.write_text("Anna took pear and plum.\n", encoding="utf-8")
    index(store, note.parent)
    with monkeypatch.context() as patched:
        patched.setattr(FileExchange, "_message", broken)
        report = index(store, note.parent, again=True)
    assert (report.removed, [skip.is_error for skip in report.skipped]) == (0, [True])
    assert texts(store, "pear") == 1


OF_EXCHANGE = FileExchange._message


def broken(exchange: FileExchange) -> tuple[Kind, bytes]:
    """Fails after the reader has said all, so that its process goes on to the next file."""
    while OF_EXCHANGE(exchange)[0] is not Kind.END:
        pass
    return Kind.REFUSED, b'"it is damaged"'
