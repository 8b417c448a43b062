"""An extractor that does what the file tells it to: `WORDS` of its first line, the rest is text.

The reading process imports it by its name, as it does with the real ones.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.extract import ExtractedBlock, ExtractedDocument, Extractor

MODULE = __name__


def document(*texts: str, place: str = "") -> ExtractedDocument:
    blocks = tuple(ExtractedBlock(BlockKind.PARAGRAPH, text, place=place) for text in texts)
    return ExtractedDocument("", blocks)


def _hog() -> None:
    held = []
    while True:
        held.append(bytearray(16 << 20))


def _loop() -> None:
    while True:
        pass


def _sleep() -> None:
    time.sleep(3600)


def _deep() -> None:
    _deep()


def _refuse() -> None:
    raise DocumentError("it is locked by a password")


def _stumble() -> None:
    raise KeyError("something private")


def _segfault() -> None:
    ctypes.string_at(0)


def _lie() -> None:
    # Whoever has taken the process over can write what he likes to where the parent reads.
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, b'drafts [{"title": 7}]\n')
        except OSError:
            continue
    _sleep()


def _fall_silent() -> None:
    os.closerange(3, 64)
    _sleep()


def _print() -> None:
    print("drafts []")
    os.write(1, b"drafts []\n")
    sys.stderr.write("warning\n")


DEEDS: dict[str, Callable[[], object]] = {
    "hog": _hog,
    "loop": _loop,
    "sleep": _sleep,
    "deep": _deep,
    "refuse": _refuse,
    "stumble": _stumble,
    "exit": lambda: os._exit(3),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "segfault": _segfault,
    "lie": _lie,
    "fall silent": _fall_silent,
    "print": _print,
    "write": lambda: Path(os.devnull).write_text("x"),
    "remove": lambda: Path("/no/such/file").unlink(),
    "start": lambda: subprocess.run(["true"], check=True),
    "fork": os.fork if hasattr(os, "fork") else _stumble,
    "connect": lambda: socket.create_connection(("127.0.0.1", 9), 1),
}


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    deed, _, text = file.read().decode().partition("\n")
    if deed == "flood":
        while True:
            yield document("word " * 20_000)
    if deed == "trickle":
        while True:
            time.sleep(0.2)
            yield document("word")
    if deed == "stall":
        yield document("word")
        time.sleep(0.3)
        yield document("word")
        _sleep()
    if deed == "patience":
        yield document("word")
        time.sleep(1)
        yield document("word")
        _loop()
    if deed == "bytes":
        yield document(text.encode().hex())
        return
    if deed == "late":
        yield document(text)
        _loop()
    if deed == "open":
        yield document(Path(text).read_text("utf-8"))
        return
    if deed == "open natively":
        yield document(str(ctypes.CDLL(None).open(os.fsencode(text), os.O_RDONLY)))
        return
    if deed == "tell":
        yield document(name, str(os.getpid()), place="page 1")
        return
    if deed in DEEDS:
        DEEDS[deed]()
    yield document(*text.split("\n\n"))


EXTRACTOR = Extractor(_read)
