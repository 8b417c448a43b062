"""A file of another format than text to documents."""

from __future__ import annotations

import os
from collections.abc import Iterator

from noderag_local.ingest.draft import Draft
from noderag_local.ingest.formats import module_of
from noderag_local.ingest.formats.drafted import drafted
from noderag_local.ingest.formats.worker_process import WorkerProcess
from noderag_local.ingest.opened import Opened
from noderag_local.records import Skipped

PARTLY_READ = "partly read"
NOTICES_TOLD = 5
"""Of a document; a scanned book has one a page."""


def read_format(source: Opened, process: WorkerProcess) -> Iterator[Draft | Skipped]:
    """The documents of an open file, and what could not be read of them.

    Raises:
        DocumentError: it cannot be read, goes over a limit, made its reader crash, or changes meanwhile.
        OSError: the file or a process cannot be opened.
    """
    size = os.fstat(source.file.fileno()).st_size
    name = os.path.basename(source.path)
    documents = process.documents(module_of(source.path), name, source.file, size)
    record = 0
    for document in documents:
        # The process has the whole file before its first document.
        source.check_unchanged()
        if document.notices:
            yield Skipped(source.path, PARTLY_READ, _told(source.path, document.notices))
        draft = drafted(source.path, record, document)
        if draft is not None:
            yield draft
            record += 1


def _told(path: str, notices: tuple[str, ...]) -> str:
    more = f"; and {len(notices) - NOTICES_TOLD} more" if len(notices) > NOTICES_TOLD else ""
    return f"{path} was not read in full: {'; '.join(notices[:NOTICES_TOLD])}{more}."
