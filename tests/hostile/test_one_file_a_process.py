"""A reader that one file has taken over sees that file: not the one before, not the one after, nobody else's answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.reading_process import read_by
from hostile import staying

from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.sandbox.worker_exchange import Limits
from noderag_local.ingest.sandbox.worker_process import WorkerProcess

QUICK = Limits(memory_bytes=128 << 20, document_seconds=2, file_seconds=4, output_bytes=1 << 20)


@pytest.fixture
def process() -> Iterator[WorkerProcess]:
    with WorkerProcess(QUICK) as started:
        yield started


def told(process: WorkerProcess, text: str) -> list[str]:
    drafts = read_by(process, "a.staying", text.encode(), staying.MODULE)
    return [one.sentence.text for draft in drafts for one in draft.sentences]


def test_what_a_file_leaves_in_memory_the_next_does_not_find(process: WorkerProcess) -> None:
    assert told(process, "remember\nVera's letter") == ["Vera's letter"]
    assert told(process, "recall\n") == ["nothing"]


def test_a_reader_that_a_file_has_rewritten_reads_no_other_file(process: WorkerProcess) -> None:
    assert told(process, "rewrite\nOne.") == ["One."]
    assert told(process, "plain\nTwo.") == ["Two."]


def test_a_reader_that_stays_when_it_is_done_gets_no_other_file_and_answers_for_none(process: WorkerProcess) -> None:
    assert told(process, "linger\nOne.") == ["One."]
    for _ in range(2):
        assert told(process, "plain\nTwo.") == ["Two."]


def test_a_reader_that_answers_twice_answers_for_its_own_file_alone(process: WorkerProcess) -> None:
    assert told(process, "end twice\nOne.") == ["One."]
    assert told(process, "plain\nTwo.") == ["Two."]


def test_a_reader_has_no_open_file_but_its_two_pipes(process: WorkerProcess) -> None:
    told(process, "plain\nOne.")
    assert told(process, "descriptors\n") == ["pipes 2, sockets 0, others 0"]


def test_a_reader_that_closes_all_it_has_costs_its_file_alone(process: WorkerProcess) -> None:
    with pytest.raises(DocumentError, match="fell silent"):
        told(process, "close\n")
    assert told(process, "plain\nTwo.") == ["Two."]
