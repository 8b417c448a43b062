"""Indexing with work in other processes gives the vault that indexing in this one gives, bit by bit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers import musique
from helpers.changing_notes import count_words
from helpers.pickling_executor import PicklingExecutor

from noderag_local.domain.progress import IndexReport, Progress
from noderag_local.ingest.chunks.packing import Counters
from noderag_local.models.embedding.sentence_transformer import SentenceTransformerEmbedder
from noderag_local.pipeline import indexing
from noderag_local.pipeline.index_request import IndexRequest
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.store import Store


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty notes, a file of records, one of another format, and two that cannot be read."""
    folder = tmp_path_factory.mktemp("notes")
    for number, record in enumerate(musique.records()[:40]):
        (folder / f"{number:02}.md").write_text(f"# {record['title']}\n\n{record['text']}\n", "utf-8")
    (folder / "more.jsonl").write_text("".join(json.dumps(one) + "\n" for one in musique.records()[40:44]), "utf-8")
    (folder / "page.html").write_text("<h1>A page</h1><p>Its first sentence. Its second one.</p>", "utf-8")
    (folder / "broken.docx").write_bytes(b"no archive")
    (folder / "binary.txt").write_bytes(bytes(range(256)) * 8)
    return folder


def indexed(store: Store, notes: Path, executor: PicklingExecutor | None = None, **options: object) -> IndexReport:
    request = IndexRequest(
        paths=[notes],
        by_lines=False,
        max_file_bytes=1 << 20,
        counters=Counters(count_words, count_words),
        embedder=lambda: SentenceTransformerEmbedder(threads=2),
        progress=options.get("progress", lambda _: None),  # type: ignore[arg-type]
        cancelled=options.get("cancelled", lambda: False),  # type: ignore[arg-type]
        formats_without_walls=True,
        executor=executor,
    )
    return indexing.index(store, request)


def test_the_vault_is_the_same_and_so_is_what_is_told(notes: Path, tmp_path: Path) -> None:
    executor = PicklingExecutor()
    told: list[Progress] = []
    with Store.open(tmp_path / "here", write=True) as here, Store.open(tmp_path / "there", write=True) as there:
        ours = indexed(here, notes)
        theirs = indexed(there, notes, executor, progress=told.append)
        assert digest(here) == digest(there)
        assert (ours.added, ours.skipped) == (theirs.added, theirs.skipped)
        assert len(theirs.skipped) == 2
    # The files went as copies, and then the chunks.
    assert sum(executor.sizes) > 44 + 44
    for stage in ("reading", "embedding"):
        done = [one.done for one in told if one.stage == stage]
        assert done == sorted(done)
        assert done[-1] == next(one.total for one in told if one.stage == stage)


def test_what_the_vault_has_is_read_here_and_not_sent(notes: Path, tmp_path: Path) -> None:
    changed = tmp_path / "notes"
    changed.mkdir()
    for path in sorted(notes.glob("*.jsonl")):
        (changed / path.name).write_bytes(path.read_bytes())
    executor = PicklingExecutor()
    with Store.open(tmp_path / "vault", write=True) as store:
        indexed(store, changed)
        with (changed / "more.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(musique.records()[50]) + "\n")
        assert indexed(store, changed, executor).added == 1
    assert executor.sizes == [0, 1]


def test_a_cancelled_run_keeps_what_is_done_and_the_next_one_goes_on(notes: Path, tmp_path: Path) -> None:
    told: list[Progress] = []

    def cancelled() -> bool:
        return bool(told) and told[-1].stage == "embedding"

    with Store.open(tmp_path / "vault", write=True) as store, Store.open(tmp_path / "other", write=True) as other:
        assert indexed(store, notes, PicklingExecutor(), progress=told.append, cancelled=cancelled).stopped
        report = indexed(store, notes, PicklingExecutor())
        assert (report.added, report.stopped) == (0, False)
        indexed(other, notes)
        assert digest(store) == digest(other)
