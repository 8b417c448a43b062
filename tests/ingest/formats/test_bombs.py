"""XML that grows without end or asks for files of the machine. scripts/bench/fuzz_formats.py has all the other bombs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.reading_process import read_by
from ingest.formats.bombs import SECRET, by_entities

from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.sandbox.worker_process import WorkerProcess

BOMBS = dict(by_entities())
LONGEST = 300_000
"""Characters of what may come out: the markup itself, where a reader takes it for text."""


@pytest.fixture(scope="module")
def process() -> Iterator[WorkerProcess]:
    with WorkerProcess() as started:
        yield started


@pytest.mark.parametrize("name", BOMBS)
def test_entities_neither_grow_nor_reach_out(name: str, process: WorkerProcess) -> None:
    data = BOMBS[name]
    try:
        documents = read_by(process, name, data)
    except DocumentError:
        return
    text = "\n".join(document.text for document in documents)
    assert len(text) < LONGEST
    assert Path(SECRET).read_text("utf-8").splitlines()[0] not in text
