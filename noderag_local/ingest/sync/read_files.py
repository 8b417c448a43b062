"""Reads files into documents; a file or record that cannot be read becomes a `Skipped` among them.

A separate process (`sandbox.worker`) reads every file, text included. If a file makes that process crash or use too much
time or memory, only this file is lost. This process goes on with its own work meanwhile. Small text files are sent together,
since waiting for each alone would take longer than reading it.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO

from noderag_local.domain.documents import Document, Passage, Skipped, SourceFile
from noderag_local.domain.errors import DocumentError, ReaderEnded, ReaderTooSlow, SourceError
from noderag_local.ingest.chunks.file_parts import Stretch
from noderag_local.ingest.chunks.packing import DEFAULT_SIZE, ChunkSize, CountTokens, chunk_documents, in_batches
from noderag_local.ingest.chunks.parsed_document import Draft, Found, Omission, PageRead
from noderag_local.ingest.formats.registry import format_of
from noderag_local.ingest.sandbox.known_records import NOTHING_KNOWN, KnownRecords
from noderag_local.ingest.sandbox.read_copies import FileCopy, read_copies
from noderag_local.ingest.sandbox.worker_exchange import Assignment, Task
from noderag_local.ingest.sandbox.worker_process import WorkerProcess
from noderag_local.ingest.scan.opened_file import NotAtRest, Opened, opened
from noderag_local.ingest.scan.scan import UNREADABLE
from noderag_local.system.batches.executor import Executor, LocalExecutor, WorkSignals

EMPTY = "empty"
NOT_USABLE = "not usable as text"
NOT_READABLE = "not readable"
NOT_AT_REST = "changed while it was read"
NO_READER = "no reader"
VANISHED = "vanished"
READER_ENDED = "reading was ended"
TOO_SLOW = "took too long"
TRIED_ONCE_MORE = "The next run tries it once more; if that fails, too, index it by its own path."
TRIED_NO_MORE = "Index it by its own path to try it again."
HOPELESS = frozenset({NOT_USABLE, NOT_READABLE})
"""Reasons that stay true as long as the file does not change, so reading it again would fail again."""
BATCH_CHARACTERS = 1 << 20
SMALL_BYTES = 128 << 10
"""Largest size of a text file that is sent together with others."""
SENT_FILES = 32
"""Most files that are sent together; all of them are open meanwhile."""
SENT_BYTES = 1 << 20
"""Largest total size of files that are sent together."""
COPIED_BYTES = 32 << 20
"""Largest size of a file that another machine reads; a larger one is read here, as its bytes would fill the memory."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file that is to be read."""

    file: SourceFile
    """The file, as the scan found it."""
    by_lines: bool = False
    """Whether each line of a text is a document; other formats are read as usual."""
    part_bytes: int = 0
    """Approximate size of the parts in which a text is read; 0 means the size that suits its format, mostly 4 MB. A file of
    several parts is several documents."""
    is_scan: bool = False
    """Whether the slow reader of its format reads it, with the text in its pictures."""
    known: KnownRecords = NOTHING_KNOWN
    """Records of the file that the vault already has; those that it keeps are not among the results."""
    is_new: bool = False
    """Whether the vault has nothing of the file, so that it can be read where the vault is not."""


def read_many(
    wanted: Iterable[Wanted],
    process: WorkerProcess,
    executor: Executor | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Generator[tuple[Wanted, Iterator[Draft | Skipped | PageRead]], None, None]:
    """Yields each file with its documents, cut into sentences, as they are read.

    Args:
        wanted: the files; the iterator is a few files ahead of the one that is read.
        process: reads the files.
        executor: reads copies of new files in other processes; None lets `process` read all.
        cancelled: asked between batches of files; True ends the reading.

    Yields:
        Each file in order, with its documents, which must be used up before the next file is asked for.
    """
    in_hand: deque[list[_File]] = deque()

    def copies() -> Iterator[list[FileCopy]]:
        for batch in _batches(wanted, is_copying=executor is not None):
            in_hand.append(batch)
            yield [file.copy for file in batch if file.copy]

    work = partial(read_copies, process.without_walls)
    try:
        for read in (executor or LocalExecutor()).results(work, copies(), WorkSignals(cancelled=cancelled)):
            batch = in_hand.popleft()
            # What has no copies is read here, when its turn comes.
            documents = (one.documents() for one in read) if read else process.documents(_assignments(batch))
            yield from _read_batch(batch, documents)
    finally:
        _close(file for batch in in_hand for file in batch)


def read_drafts(wanted: Wanted, process: WorkerProcess | None = None) -> Iterator[Draft | Skipped]:
    """Yields the documents of one file, cut into sentences, as they are read.

    Args:
        wanted: the file.
        process: reads the file; None starts a process for this file alone.
    """
    with nullcontext(process) if process else WorkerProcess() as used, closing(read_many((wanted,), used)) as read:
        for _, found in read:
            yield from (one for one in found if not isinstance(one, PageRead))


def read_documents(
    file: SourceFile,
    *,
    by_lines: bool = False,
    count_tokens: CountTokens,
    size: ChunkSize = DEFAULT_SIZE,
    part_bytes: int = 0,
) -> Iterator[Document | Skipped]:
    """Yields the documents of a file, cut into chunks; what was skipped follows the documents of its batch."""
    skipped: list[Skipped] = []

    def drafts() -> Iterator[Draft]:
        for found in read_drafts(Wanted(file, by_lines, part_bytes)):
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
    """Known records with a count of those that are kept."""

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


class _File:
    """A file that the reading process reads; it is opened at once."""

    def __init__(self, wanted: Wanted, is_copied: bool) -> None:
        """Opens the file.

        Args:
            wanted: the file.
            is_copied: whether another process may read a copy of it; a large file is not copied.
        """
        self.wanted = wanted
        self._path = wanted.file.path
        self._counting = _Counting(wanted.known)
        self._open = ExitStack()
        self._failure: DocumentError | OSError | None = None
        self.assignment: Assignment | None = None
        """Task and content for the process; None if the file cannot be opened."""
        self.copy: FileCopy | None = None
        """The file for another process; None if this machine reads it."""
        try:
            self._source = self._open.enter_context(opened(self._path, wanted.file.real_path))
            task = self._task(self._source)
            if is_copied and task.size_bytes <= COPIED_BYTES:
                self.copy = self._copied(task)
            self.assignment = self._assigned(task)
        except (DocumentError, OSError) as error:
            self._failure = error

    @property
    def is_small(self) -> bool:
        """Whether the file is sent together with others."""
        task = self.assignment.task if self.assignment else None
        return task is None or (task.is_text and task.size_bytes <= SMALL_BYTES)

    @property
    def sent_bytes(self) -> int:
        """Number of bytes that the process is sent."""
        return self.assignment.task.size_bytes if self.assignment else 0

    def close(self) -> None:
        """Closes the file, once it is read or will not be."""
        self._open.close()

    def found(self, documents: Iterator[Found]) -> Iterator[Draft | Skipped | PageRead]:
        """Yields what the process reads of the file, and what is reported of it."""
        try:
            count = 0
            for found in self._checked(documents):
                count += not isinstance(found, PageRead)
                yield found
            if count + self._counting.kept == 0:
                yield Skipped(self._path, EMPTY, f"{self._path} has no text in it.")
        except (DocumentError, SourceError, OSError) as error:
            yield _failed(self._path, error)

    def _checked(self, documents: Iterator[Found]) -> Iterator[Draft | Skipped | PageRead]:
        if self._failure is not None:
            raise self._failure
        try:
            for found in documents:
                self._check_unchanged()
                yield _told(self._path, found) if isinstance(found, Omission) else found
        except DocumentError:
            # The file may be damaged only because it changed meanwhile.
            self._check_unchanged()
            raise
        self._check_unchanged()

    def _check_unchanged(self) -> None:
        # A copy was checked when it was made. Its file is closed, since a cluster has hundreds of files in hand.
        if self.copy is None:
            self._source.check_unchanged()

    def _copied(self, task: Task) -> FileCopy:
        copy = FileCopy(task, self._source.file.read(task.size_bytes))
        self._source.check_unchanged()
        self.close()
        return copy

    def _assigned(self, task: Task) -> Assignment:
        if self.copy is not None:
            return Assignment(task, BytesIO(self.copy.content), self._counting)
        if task.is_text and task.size_bytes <= SMALL_BYTES:
            # What fails now costs this file, and not those that are sent with it.
            return Assignment(task, BytesIO(self._source.file.read(task.size_bytes)), self._counting)
        return Assignment(task, self._source.file, self._counting)

    def _task(self, source: Opened) -> Task:
        """Makes the task that tells the process about the file."""
        folder, name = os.path.split(self._path)
        size_bytes = os.fstat(source.file.fileno()).st_size
        known = format_of(self._path, by_lines=self.wanted.by_lines)
        if not known.is_text:
            module = known.full_scan_module if self.wanted.is_scan else known.full_module
            return Task(self._path, module, name, size_bytes, is_scan=self.wanted.is_scan, is_sparse=known.is_sparse)
        stretch = self._counting.stretch(source) if known.has_record_a_line else None
        source.file.seek(0)
        name = os.path.join(os.path.basename(folder), name)
        return Task(
            self._path,
            known.full_module,
            name,
            size_bytes,
            is_text=True,
            part_bytes=self.wanted.part_bytes,
            stretch=stretch,
        )


def _batches(wanted: Iterable[Wanted], *, is_copying: bool) -> Iterator[list[_File]]:
    """Yields the files that a reading process is sent at once."""
    batch: list[_File] = []
    for one in wanted:
        file = _File(one, is_copying and one.is_new)
        if batch and not _go_together([*batch, file]):
            yield batch
            batch = []
        batch.append(file)
    if batch:
        yield batch


def _go_together(files: list[_File]) -> bool:
    """Whether a process is sent these files at once."""
    is_small = all(file.is_small for file in files)
    is_alike = len({file.copy is None for file in files if file.assignment}) < 2
    return is_small and is_alike and len(files) <= SENT_FILES and sum(file.sent_bytes for file in files) <= SENT_BYTES


def _assignments(files: Iterable[_File]) -> list[Assignment]:
    return [file.assignment for file in files if file.assignment is not None]


def _read_batch(
    files: Sequence[_File], documents: Generator[Iterator[Found], None, None]
) -> Generator[tuple[Wanted, Iterator[Draft | Skipped | PageRead]], None, None]:
    """Yields each file of a batch with what is read of it.

    Args:
        files: the batch.
        documents: the documents of each file that could be opened.
    """
    try:
        with closing(documents):
            for file in files:
                yield file.wanted, file.found(next(documents) if file.assignment else iter(()))
                file.close()
    finally:
        _close(files)


def _close(files: Iterable[_File]) -> None:
    for file in files:
        file.close()


def is_hopeless(failed: Skipped, before: Iterable[Skipped]) -> bool:
    """Whether reading a file again would fail again as long as the file stays as it is.

    Args:
        failed: what the file, or a part of it, was skipped for.
        before: notes of the run before about the file. One that takes too long twice in turn does so by itself.
    """
    return failed.reason in HOPELESS or _is_slow_again(failed, before)


def with_advice(failed: Skipped, before: Iterable[Skipped]) -> Skipped:
    """Returns a note with what to do next, which for a file that takes too long depends on the run before.

    Args:
        failed: what the file, or a part of it, was skipped for.
        before: notes of the run before about the file.
    """
    if not _is_slow_again(failed, before):
        return failed
    return replace(failed, detail=failed.detail.replace(TRIED_ONCE_MORE, TRIED_NO_MORE))


def _is_slow_again(failed: Skipped, before: Iterable[Skipped]) -> bool:
    return failed.reason == TOO_SLOW and any(one.reason == TOO_SLOW for one in before)


def _told(path: str, omission: Omission) -> Skipped:
    place = f"{path}:{omission.line}" if omission.line else path
    return Skipped(path, omission.reason, f"{place} {omission.detail}", omission.is_error)


def _failed(path: str, error: DocumentError | SourceError | OSError) -> Skipped:
    """Reports a file that could not be read."""
    if isinstance(error, NotAtRest):
        return Skipped(path, NOT_AT_REST, str(error), is_error=True)
    if isinstance(error, DocumentError):
        reason = NOT_USABLE if format_of(path).is_text else NOT_READABLE
        message = str(error)
        detail = message if path in message else f"{path} cannot be read: {message}. Fix it or exclude it."
        return Skipped(path, reason, detail, is_error=True)
    if isinstance(error, ReaderEnded):
        detail = f"{path} was not read: {error}. The next run tries it again."
        return Skipped(path, READER_ENDED, detail, is_error=True)
    if isinstance(error, ReaderTooSlow):
        detail = f"{path} was not read: {error}. {TRIED_ONCE_MORE}"
        return Skipped(path, TOO_SLOW, detail, is_error=True)
    if isinstance(error, SourceError):
        return Skipped(path, NO_READER, f"{path} was not read: {error}.", is_error=True)
    if isinstance(error, FileNotFoundError):
        detail = f"{path} vanished before it was read. Index again if it comes back."
        return Skipped(path, VANISHED, detail, is_error=True)
    detail = (
        f"{path} cannot be read: {error.strerror}. Fix its permissions or exclude it, then run `noderag index` again."
    )
    return Skipped(path, UNREADABLE, detail, is_error=True)
