"""Documents of many elements, nested or in a row, and large mailboxes: read, or told, and the next file is read in any case.

scripts/bench/deep_documents.py does the same with a million elements and 200,000 letters.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.reading_process import read_by
from hostile.deep_documents import DOCUMENTS, SENTENCE, write_mailbox

from noderag_local.domain.documents import Skipped, SourceFile
from noderag_local.ingest.chunks.parsed_document import Draft
from noderag_local.ingest.sandbox.worker_process import WorkerProcess
from noderag_local.ingest.sync.read_files import Wanted, read_drafts

ELEMENTS = 2_000
LETTERS = 2_000


@pytest.fixture(scope="module")
def process() -> Iterator[WorkerProcess]:
    with WorkerProcess() as started:
        yield started


def found_in(path: Path, process: WorkerProcess) -> list[Draft | Skipped]:
    return [*read_drafts(Wanted(SourceFile(str(path), path.stat().st_size, 0)), process)]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_of_many_elements_is_read_or_told(name: str, tmp_path: Path, process: WorkerProcess) -> None:
    path = tmp_path / name
    path.write_bytes(DOCUMENTS[name](ELEMENTS))
    found = found_in(path, process)
    assert found
    assert all(name in told.detail for told in found if isinstance(told, Skipped))
    (after,) = read_by(process, "after.html", b"<p>After that.</p>")
    assert after.text == "After that."


@pytest.mark.parametrize("mark", ["- ", "> ", "1. ", "- > "])
@pytest.mark.parametrize("depth", [98, 99, 100, 199, 200, ELEMENTS])
def test_a_note_is_read_to_its_end_however_deep_it_nests(mark: str, depth: int, process: WorkerProcess) -> None:
    text = f"Before.\n\n{mark * depth}deep word\n\n{SENTENCE}\n\n# Head\n\nAfter that.\n"
    sentences = [one.sentence.text for draft in read_by(process, "a.md", text.encode()) for one in draft.sentences]
    assert "deep word" in sentences[1]
    assert sentences[-3:] == [SENTENCE, "Head", "After that."]


def test_every_letter_of_a_large_mailbox_is_read(tmp_path: Path, process: WorkerProcess) -> None:
    path = tmp_path / "letters.mbox"
    write_mailbox(path, LETTERS)
    found = found_in(path, process)
    assert len(found) == LETTERS
    assert isinstance(found[-1], Draft) and SENTENCE in found[-1].text
