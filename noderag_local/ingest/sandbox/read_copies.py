"""Reads copies of files in another process, perhaps of another machine, behind the walls of that machine.

A worker of Ray parses no file itself: like this process, it sends each to a reading process of its own, and checks what comes
back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from io import BytesIO

from noderag_local.domain.errors import SourceError
from noderag_local.ingest.chunks.parsed_document import Found
from noderag_local.ingest.sandbox.worker_exchange import Assignment, Task
from noderag_local.ingest.sandbox.worker_process import WorkerProcess
from noderag_local.system.batches.executor import WorkSignals


@dataclass(frozen=True, slots=True)
class FileCopy:
    """A file to be read where it does not lie."""

    task: Task
    content: bytes
    """All bytes of the file."""


@dataclass(frozen=True, slots=True)
class ReadCopy:
    """The documents that were read of a copy, and why the rest was not read."""

    found: tuple[Found, ...]
    error: SourceError | OSError | None
    """Why the rest was not read, as `WorkerProcess.documents` raises it; None if all was read."""

    def documents(self) -> Iterator[Found]:
        """Yields the documents, and raises the error after them."""
        yield from self.found
        if self.error is not None:
            raise self.error


def read_copies(without_walls: bool, copies: Sequence[FileCopy], signals: WorkSignals) -> list[ReadCopy]:
    """Reads some files; it is the work of an executor.

    Args:
        without_walls: as for `WorkerProcess`.
        copies: the files; several go to the reading process together.
        signals: not used, since reading a batch takes a second.
    """
    assignments = [Assignment(copy.task, BytesIO(copy.content)) for copy in copies]
    with WorkerProcess(without_walls=without_walls) as process, closing(process.documents(assignments)) as documents:
        return [_read(of_file) for of_file in documents]


def _read(documents: Iterator[Found]) -> ReadCopy:
    found: list[Found] = []
    try:
        found += documents
    except (SourceError, OSError) as error:
        return ReadCopy(tuple(found), error)
    return ReadCopy(tuple(found), None)
