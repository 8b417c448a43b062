"""A token counter for tests: a word is a token."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from noderag_local.domain.documents import Document, Sentence, Skipped, SourceFile
from noderag_local.ingest.sync.read_files import read_documents


def count_words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def read(path: Path, *, by_lines: bool = False, part_bytes: int = 0) -> tuple[list[Document], list[Skipped]]:
    """All that comes out of a file."""
    documents, skipped = [], []
    file = SourceFile(str(path), 0, 0)
    for found in read_documents(file, by_lines=by_lines, count_tokens=count_words, part_bytes=part_bytes):
        if isinstance(found, Document):
            documents.append(found)
        else:
            skipped.append(found)
    return documents, skipped


def sentences(document: Document) -> list[Sentence]:
    return [sentence for chunk in document.chunks for sentence in chunk.sentences]


def texts(document: Document) -> list[str]:
    return [sentence.text for sentence in sentences(document)]
