"""A file whose reader was killed or stood still is sound, and is read by the next run."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.changing_notes import index

from noderag_local.ingest.sandbox.reading_process import Worker
from noderag_local.ingest.sandbox.serving_process import ServingProcess
from noderag_local.ingest.sandbox.worker_exchange import Limits, Task
from noderag_local.ingest.sandbox.worker_process import end_waiting
from noderag_local.ingest.sync.read_files import READER_ENDED, TOO_SLOW, TRIED_NO_MORE, TRIED_ONCE_MORE
from noderag_local.storage.database.store import Store


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    for name in ("anna", "ben"):
        (tmp_path / f"notes/{name}.md").write_text(f"{name} has a key.\n", encoding="utf-8")
    return tmp_path / "notes"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    end_waiting()
    with Store.open(tmp_path / "vault", write=True) as opened:
        yield opened


def texts(store: Store) -> list[str]:
    return sorted(text.strip() for (text,) in store.rows("SELECT text FROM chunks"))


def every_reader_gets(monkeypatch: pytest.MonkeyPatch, sent: signal.Signals) -> None:
    of_process = ServingProcess.worker

    def worker(self: ServingProcess, module: str) -> Worker:
        started = of_process(self, module)
        os.kill(self.number, sent)
        return started

    monkeypatch.setattr(ServingProcess, "worker", worker)


def test_a_killed_reader(notes: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        every_reader_gets(patched, signal.SIGKILL)
        for _ in range(2):
            report = index(store, notes)
            assert (report.added, [skip.reason for skip in report.skipped]) == (0, [READER_ENDED] * 2)
            assert all("The next run" in skip.detail for skip in report.skipped)
    report = index(store, notes)
    assert (report.added, report.skipped) == (2, ())


def test_a_reader_that_stands_still(notes: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    index(store, notes)
    (notes / "anna.md").write_text("Anna has two keys.\n", encoding="utf-8")
    of_limits = Limits.of

    def short(self: Limits, task: Task) -> Limits:
        return replace(of_limits(self, task), file_seconds=1)

    def run_that_stands_still(removed: int, advice: str) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(Limits, "of", short)
            every_reader_gets(patched, signal.SIGSTOP)
            report = index(store, notes)
        (slow,) = report.skipped
        assert (report.removed, slow.reason) == (removed, TOO_SLOW)
        assert slow.detail.endswith(advice)

    run_that_stands_still(removed=0, advice=TRIED_ONCE_MORE)
    assert index(store, notes).added == 1
    (notes / "anna.md").write_text("Anna has three keys.\n", encoding="utf-8")
    run_that_stands_still(removed=0, advice=TRIED_ONCE_MORE)
    assert texts(store) == ["Anna has two keys.", "ben has a key."]
    run_that_stands_still(removed=1, advice=TRIED_NO_MORE)
    assert texts(store) == ["ben has a key."], "what the file no longer says is not told as if it did"
    # What is too slow twice in turn is so by itself, until it changes or is named.
    report = index(store, notes)
    assert (report.added, [skip.reason for skip in report.skipped]) == (0, [TOO_SLOW])
    assert index(store, notes / "anna.md").added == 1
