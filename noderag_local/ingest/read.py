"""Files to documents; whatever is wrong with a file or a record comes out as a Skipped beside the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from noderag_local.errors import DocumentError, SourceError
from noderag_local.ingest.chunk import DEFAULT_SIZE, ChunkSize, CountTokens, chunk_documents, in_batches
from noderag_local.ingest.draft import Draft
from noderag_local.ingest.encodings import Encoding
from noderag_local.ingest.formats import module_of
from noderag_local.ingest.formats.read import read_format
from noderag_local.ingest.formats.worker_process import WorkerProcess
from noderag_local.ingest.opened import NotAtRest, Opened, opened
from noderag_local.ingest.parts import Stretch, part_of, parts
from noderag_local.ingest.readers import reader_for
from noderag_local.ingest.readers.reader import Keep, keeps_none
from noderag_local.records import Document, Passage, Skipped, SourceFile

EMPTY = "empty"
NOT_USABLE = "not usable as text"
NOT_READABLE = "not readable"
NOT_AT_REST = "changed while it was read"
HOPELESS = frozenset({NOT_USABLE, NOT_READABLE})
"""Reasons of files that their readers cannot take: reading them again as they are would end the same."""
BATCH_CHARACTERS = 1 << 20

Changed = Callable[[Opened, Encoding], Stretch | None]
"""(a file with a record a line, its encoding) → the lines of it that are to be read; None: all."""


def whole(source: Opened, encoding: Encoding) -> Stretch | None:
    """For a file that nothing is known of."""
    return None


def read_drafts(
    file: SourceFile,
    *,
    by_lines: bool = False,
    part_bytes: int = 0,
    process: WorkerProcess | None = None,
    keep: Keep = keeps_none,
    changed: Changed = whole,
) -> Iterator[Draft | Skipped]:
    """The documents of a file, cut into sentences, as they are read.

    Args:
        file: as the scan found it.
        by_lines: each line of a text file is a document; other formats are read as ever.
        part_bytes: read in parts of about this size; 0: what suits the format. A file of several parts is several
            documents (one part is 4 MB of text).
        process: reads what is no text; None: one for this file alone.
        keep: asked for each record; those that it keeps are not among the results.
        changed: asked once for a file with a record a line; records outside of what it says are not among the results.
    """
    is_text = not module_of(file.path)
    try:
        count = 0
        kept = _Counting(keep, changed)
        found_in = _records(file.path, by_lines, part_bytes, kept) if is_text else _extracted(file.path, process)
        for found in found_in:
            count += 1
            yield found
        if count + kept.count == 0:
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
            f"{file.path} cannot be read: {error.strerror}. Mend its permissions or leave it out, then index again."
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
    """Asks others, and counts the records that are kept."""

    def __init__(self, keep: Keep, changed: Changed) -> None:
        self._keep = keep
        self._changed = changed
        self.count = 0

    def changed(self, source: Opened, encoding: Encoding) -> Stretch | None:
        stretch = self._changed(source, encoding)
        self.count += stretch.known if stretch else 0
        return stretch

    def keep(self, record: int, content_hash: str, encoding: str, first: Passage) -> bool:
        kept = self._keep(record, content_hash, encoding, first)
        self.count += kept
        return kept


def _records(path: str, by_lines: bool, part_bytes: int, kept: _Counting) -> Iterator[Draft | Skipped]:
    reader = reader_for(path, by_lines=by_lines)
    with opened(path) as source, _naming(path):
        encoding = reader.detect(source)
        if reader.skim is None:
            yield from reader.read(path, encoding.name, parts(source, encoding, part_bytes or reader.part_bytes))
            return
        stretch = kept.changed(source, encoding)
        if stretch is None:
            found = parts(source, encoding, part_bytes or reader.part_bytes)
            yield from reader.skim(path, encoding.name, found, kept.keep, 0)
        else:
            found = iter((part_of(source, encoding, stretch),))
            yield from reader.skim(path, encoding.name, found, kept.keep, stretch.record)


def _extracted(path: str, process: WorkerProcess | None) -> Iterator[Draft | Skipped]:
    with nullcontext(process) if process else WorkerProcess() as used, opened(path) as source, _naming(path):
        yield from read_format(source, used)


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Puts the file into messages that do not name it."""
    try:
        yield
    except DocumentError as error:
        if path in str(error):
            raise
        raise DocumentError(f"{path} cannot be read: {error}. Leave it out or mend it.") from error
