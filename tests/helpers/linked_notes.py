"""Vaults of a few notes with the instant tier's graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from helpers.note_files import written_notes
from noderag_local.domain.graph import EdgeType
from noderag_local.extraction.instant_graph import build_instant_graph
from noderag_local.ingest.chunks.packing import Counters
from noderag_local.ingest.sandbox.worker_process import WorkerProcess
from noderag_local.ingest.scan.scan import scan
from noderag_local.ingest.sync.sync import Sync
from noderag_local.models.embedding.wordpieces import WordPieces
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows


@contextmanager
def linked_notes(folder: Path, notes: Mapping[str, str]) -> Iterator[Store]:
    """A vault in `folder`, open for writing, of notes by their file names."""
    source = written_notes(folder / "notes", notes)
    count = WordPieces().count
    with Store.open(folder / "vault", write=True) as opened:
        found = scan([source], 1 << 20)
        Sync(opened, Counters(count, count), False, [source], WorkerProcess()).run(
            found, lambda *_: None, lambda: False
        )
        build_instant_graph(opened, lambda _: None)
        yield opened


def edges(store: Store, kind: EdgeType) -> set[tuple[str, str]]:
    """Names of both ends of every edge of a type."""
    graph = GraphRows(store)
    sources, targets, _ = graph.edges(kind)
    return set(zip(graph.names(sources.tolist()), graph.names(targets.tolist()), strict=True))
