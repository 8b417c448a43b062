"""A reader that is after other files than the one it was given; the first line of a file says how."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from typing import BinaryIO

from noderag_local.domain.documents import BlockKind
from noderag_local.ingest.formats.extract import ExtractedBlock, ExtractedDocument, Extractor
from noderag_local.ingest.sandbox import worker

MODULE = __name__
_kept: list[str] = []


def _document(text: str) -> ExtractedDocument:
    return ExtractedDocument("", (ExtractedBlock(BlockKind.PARAGRAPH, text),))


def _write(data: bytes) -> None:
    """To whatever is open for writing, as the parent's pipe is."""
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, data)
        except OSError:
            continue


def _descriptors() -> str:
    """What is open beside standard input and output, which are nothing, and the size of its own process."""
    kinds = {"pipes": 0, "sockets": 0, "others": 0}
    for descriptor in range(64):
        try:
            mode = os.fstat(descriptor).st_mode
        except OSError:
            continue
        if stat.S_ISFIFO(mode):
            kinds["pipes"] += 1
        elif stat.S_ISSOCK(mode):
            kinds["sockets"] += 1
        elif not stat.S_ISCHR(mode) and os.fstat(descriptor).st_size:
            kinds["others"] += 1
    return ", ".join(f"{kind} {count}" for kind, count in kinds.items())


def _rewrite() -> None:
    """What reads the next file in this process says what this one wants."""
    worker.read_format = lambda *_: iter(())


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    deed, _, text = file.read().decode().partition("\n")
    if deed == "remember":
        _kept.append(text)
    if deed == "recall":
        text = " ".join(_kept) or "nothing"
    if deed == "rewrite":
        _rewrite()
    if deed == "descriptors":
        text = _descriptors()
    if deed == "close":
        os.closerange(3, 64)
        time.sleep(60)
    yield _document(text)
    if deed == "end twice":
        worker.message = lambda kind, value=None: b"end null\nend null\n"
    if deed == "linger":
        worker._have_room = lambda requests, line: _stay()


def _stay() -> bool:
    """Takes whatever file comes next for its own."""
    _write(b'drafts [{"title": "mine"}]\nend null\n')
    time.sleep(60)
    return True


EXTRACTOR = Extractor(_read)
