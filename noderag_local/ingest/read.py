"""Files to documents; whatever is wrong with a file or a record comes out as a Skipped beside the others.

The reading itself happens in a process apart (`formats.worker`), for text as for all other formats: what a file does to its
reader costs that file alone, and this process goes on meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from noderag_local.errors import DocumentError, SourceError
from noderag_local.ingest.chunk import DEFAULT_SIZE, ChunkSize, CountTokens, chunk_documents, in_batches
from noderag_local.ingest.draft import Draft, Omission
from noderag_local.ingest.formats import module_of
from noderag_local.ingest.formats.exchange import Task
from noderag_local.ingest.formats.worker_process import WorkerProcess
from noderag_local.ingest.known_records import NOTHING_KNOWN, KnownRecords
from noderag_local.ingest.opened import NotAtRest, Opened, opened
from noderag_local.ingest.parts import Stretch
from noderag_local.ingest.readers import has_record_a_line, text_module_of
from noderag_local.records import Document, Passage, Skipped, SourceFile

EMPTY = "empty"
NOT_USABLE = "not usable as text"
NOT_READABLE = "not readable"
NOT_AT_REST = "changed while it was read"
HOPELESS = frozenset({NOT_USABLE, NOT_READABLE})
"""Reasons of files that their readers cannot take: reading them again as they are would end the same."""
BATCH_CHARACTERS = 1 << 20


def read_drafts(
    file: SourceFile,
    *,
    by_lines: bool = False,
    part_bytes: int = 0,
    process: WorkerProcess | None = None,
    known: KnownRecords = NOTHING_KNOWN,
) -> Iterator[Draft | Skipped]:
    """The documents of a file, cut into sentences, as they are read.

    Args:
        file: as the scan found it.
        by_lines: each line of a text file is a document; other formats are read as ever.
        part_bytes: read a text in parts of about this size; 0: what suits the format. A file of several parts is several
            documents (one part is 4 MB of text).
        process: reads the file; None: one for this file alone.
        known: records that the vault has of the file; those that it keeps are not among the results.
    """
    is_text = not module_of(file.path)
    try:
        count = 0
        counting = _Counting(known)
        for found in _found(file.path, by_lines, part_bytes, process, counting):
            count += 1
            yield found
        if count + counting.kept == 0:
            yield Skipped(file.path, EMPTY, f"{file.path} has no text in it.")
    except NotAtRest as error:
        yield Skipped(file.path, NOT_AT_REST, str(error), is_error=True)
    except DocumentError as error:
        yield Skipped(file.path, NOT_USABLE if is_text else NOT_READABLE, str(error), is_error=True)
    except SourceError as error:
        yield Skipped(file.path, "no reader", f"{file.path} was not read: {error}.", is_error=True)
    except FileNotFoundError:
        detail = f"{file.path} vanished before it was read. Index again if it comes back."
        yield Skipped(file.path, "vanished", detail, is_error=True)
    except OSError as error:
        detail = (
            f"{file.path} cannot be read: {error.strerror}. Fix its permissions or exclude it, then run "
            "`noderag index` again."
        )
        yield Skipped(file.path, "unreadable", detail, is_error=True)


def read_documents(
    file: SourceFile,
    *,
    by_lines: bool = False,
    count_tokens: CountTokens,
    size: ChunkSize = DEFAULT_SIZE,
    part_bytes: int = 0,
) -> Iterator[Document | Skipped]:
    """The documents of a file in chunks; what was left out comes after the documents of its batch."""
    skipped: list[Skipped] = []

    def drafts() -> Iterator[Draft]:
        for found in read_drafts(file, by_lines=by_lines, part_bytes=part_bytes):
            if isinstance(found, Skipped):
                skipped.append(found)
            else:
                yield found

    for batch in in_batches(drafts(), BATCH_CHARACTERS):
        yield from chunk_documents(batch, count_tokens, size)
        yield from skipped
        skipped.clear()
    yield from skipped


class _Counting:
    """Known records, and how many of them are kept."""

    def __init__(self, known: KnownRecords) -> None:
        self._known = known
        self.counts = known.counts
        self.reached = known.reached
        self.kept = 0

    def stretch(self, source: Opened) -> Stretch | None:
        stretch = self._known.stretch(source)
        self.kept += stretch.known if stretch else 0
        return stretch

    def keep(self, record: int, content_hash: str, encoding: str, first: Passage) -> bool:
        kept = self._known.keep(record, content_hash, encoding, first)
        self.kept += kept
        return kept


def _found(
    path: str, by_lines: bool, part_bytes: int, process: WorkerProcess | None, known: KnownRecords
) -> Iterator[Draft | Skipped]:
    with nullcontext(process) if process else WorkerProcess() as used, opened(path) as source, _naming(path):
        task = _task(source, by_lines, part_bytes, known)
        try:
            for found in used.documents(task, source.file, known):
                source.check_unchanged()
                yield _told(path, found) if isinstance(found, Omission) else found
        except DocumentError:
            # What is wrong with it may be that it changed.
            source.check_unchanged()
            raise
        source.check_unchanged()


def _task(source: Opened, by_lines: bool, part_bytes: int, known: KnownRecords) -> Task:
    """What the reading process is told of an open file."""
    path = source.path
    folder, name = os.path.split(path)
    size_bytes = os.fstat(source.file.fileno()).st_size
    module = module_of(path)
    if module:
        return Task(path, module, name, size_bytes)
    module = text_module_of(path, by_lines=by_lines)
    stretch = known.stretch(source) if has_record_a_line(module) else None
    source.file.seek(0)
    name = os.path.join(os.path.basename(folder), name)
    return Task(path, module, name, size_bytes, is_text=True, part_bytes=part_bytes, stretch=stretch)


def _told(path: str, omission: Omission) -> Skipped:
    place = f"{path}:{omission.line}" if omission.line else path
    return Skipped(path, omission.reason, f"{place} {omission.detail}", omission.is_error)


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Puts the file into messages that do not name it."""
    try:
        yield
    except DocumentError as error:
        if path in str(error):
            raise
        raise DocumentError(f"{path} cannot be read: {error}. Fix it or exclude it.") from error
