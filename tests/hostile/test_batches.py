"""Files that are read together: whatever one of them does to the reading process, the others are read, and it is named."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.reading_process import task_of
from ingest.formats.misbehaving import MODULE

from noderag_local.domain.documents import Skipped, SourceFile
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.chunks.parsed_document import Draft
from noderag_local.ingest.sandbox.worker_exchange import Assignment, Limits, Task
from noderag_local.ingest.sandbox.worker_process import WorkerProcess
from noderag_local.ingest.sync import read_files
from noderag_local.ingest.sync.read_files import Wanted, read_many

QUICK = Limits(memory_bytes=128 << 20, document_seconds=1, file_seconds=3, output_bytes=1 << 20)
MANY = 70
"""Files; more than are sent at once."""


@pytest.fixture(scope="module")
def process() -> Iterator[WorkerProcess]:
    with WorkerProcess(QUICK) as started:
        yield started


def text_task(size_bytes: int) -> Task:
    """What is told of a file that is read as text: together with others, in one process."""
    return replace(task_of("a.deed", size_bytes, MODULE), is_text=True)


def told(process: WorkerProcess, deeds: Sequence[str]) -> list[str]:
    """Of each file its first sentence, or why it has none."""
    data = [f"{deed}\n{deed} {number}.".encode() for number, deed in enumerate(deeds)]
    batch = [Assignment(text_task(len(each)), io.BytesIO(each)) for each in data]
    return [first(documents) for documents in process.documents(batch)]


def first(documents: Iterator[object]) -> str:
    try:
        draft, *_ = documents
    except DocumentError as error:
        return str(error)
    assert isinstance(draft, Draft)
    return draft.sentences[0].sentence.text


@pytest.mark.parametrize(
    ("deed", "message"),
    [
        ("stumble", "its reader stumbled over it (KeyError)"),
        ("deep", "its reader stumbled over it (RecursionError)"),
        ("refuse", "it is locked by a password"),
        ("segfault", "it made its reader crash (SIGSEGV)"),
        ("exit", "it made its reader crash (exit status 3)"),
        ("hog", "it needs more than 128 MB of memory"),
        ("loop", "reading it takes longer than 1 s for"),
        ("lie", "its reader gave what is no document"),
        ("fall silent", "it made its reader crash"),
        ("flood", "its reader gave what is no document"),  # More of it than there is in the file.
    ],
)
def test_the_file_that_did_it_is_found_and_those_around_it_are_read(
    process: WorkerProcess, deed: str, message: str
) -> None:
    before, culprit, again, after = told(process, ["nothing", deed, deed, "print"])
    assert (before, after) == ("nothing 0.", "print 3.")
    assert culprit.startswith(message) and again.startswith(message)


def test_files_are_sent_together_and_come_back_in_order(process: WorkerProcess) -> None:
    assert told(process, ["nothing"] * MANY) == [f"nothing {number}." for number in range(MANY)]


def test_a_batch_that_is_left_in_the_middle_does_no_harm_to_the_next(process: WorkerProcess) -> None:
    data = b"nothing\nOne."
    batch = [Assignment(text_task(len(data)), io.BytesIO(data)) for _ in range(3)]
    documents = process.documents(batch)
    next(documents)
    documents.close()
    assert told(process, ["nothing", "print"]) == ["nothing 0.", "print 1."]


def test_what_is_wrong_with_one_of_many_small_files_costs_that_file(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number:02}.md" for number in range(MANY)]
    for number, path in enumerate(paths):
        path.write_text(f"Note {number}.\n", encoding="utf-8")
    paths[3].write_bytes(b"\0" * 500)
    paths[7].write_bytes(b"")
    paths[40].unlink()
    paths[41].unlink()
    paths[41].mkdir()
    wanted = [Wanted(SourceFile(str(path), 8, 0)) for path in paths]
    with WorkerProcess() as process:
        found = [(one, list(each)) for one, each in read_many(wanted, process)]
    assert [one for one, _ in found] == wanted
    reasons = {number: each[0].reason for number, (_, each) in enumerate(found) if isinstance(each[0], Skipped)}
    assert reasons == {3: read_files.NOT_USABLE, 7: read_files.EMPTY, 40: "vanished", 41: read_files.NOT_AT_REST}
    texts = {n: each[0].text for n, (_, each) in enumerate(found) if isinstance(each[0], Draft)}
    assert texts == {number: f"Note {number}." for number in range(MANY) if number not in reasons}


def test_a_small_file_that_changes_while_its_batch_is_read_is_told(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.md" for number in range(4)]
    for path in paths:
        path.write_text("As it was.\n", encoding="utf-8")
    reasons = []
    with WorkerProcess() as process:
        for wanted, found in read_many([Wanted(SourceFile(str(path), 11, 0)) for path in paths], process):
            if wanted.file.path == str(paths[0]):
                paths[2].write_text("As it is now, while the batch is read.\n", encoding="utf-8")
            reasons.append([one.reason if isinstance(one, Skipped) else one.text for one in found])
    assert reasons == [["As it was."], ["As it was."], [read_files.NOT_AT_REST], ["As it was."]]
