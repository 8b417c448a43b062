"""Files to documents; whatever is wrong with a file or a record comes out as a Skipped beside the others."""

from __future__ import annotations

from collections.abc import Iterator

from noderag_local.errors import DocumentError
from noderag_local.ingest.chunk import DEFAULT_SIZE, ChunkSize, CountTokens, chunk_documents, in_batches
from noderag_local.ingest.draft import Draft
from noderag_local.ingest.opened import opened
from noderag_local.ingest.parts import parts
from noderag_local.ingest.readers import reader_for
from noderag_local.records import Document, Skipped, SourceFile

EMPTY = "empty"
BATCH_CHARACTERS = 1 << 20


def read_drafts(file: SourceFile, *, by_lines: bool = False, part_bytes: int = 0) -> Iterator[Draft | Skipped]:
    """The documents of a file, cut into sentences, as they are read.

    Args:
        file: as the scan found it.
        by_lines: each line of a text file is a document.
        part_bytes: read in parts of about this size; 0: what suits the format. A file of several parts is several
            documents (one part is 4 MB of text).
    """
    try:
        count = 0
        for found in _records(file.path, by_lines, part_bytes):
            count += 1
            yield found
        if count == 0:
            yield Skipped(file.path, EMPTY, f"{file.path} has no text in it.")
    except DocumentError as error:
        yield Skipped(file.path, "not usable as text", str(error), is_error=True)
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


def _records(path: str, by_lines: bool, part_bytes: int) -> Iterator[Draft | Skipped]:
    reader = reader_for(path, by_lines=by_lines)
    with opened(path) as source:
        try:
            encoding = reader.detect(source)
            yield from reader.read(path, encoding.name, parts(source, encoding, part_bytes or reader.part_bytes))
        except DocumentError as error:
            message = str(error)
            named = message if path in message else f"{path} cannot be read: {message}. Leave it out or mend it."
            raise DocumentError(named) from error
