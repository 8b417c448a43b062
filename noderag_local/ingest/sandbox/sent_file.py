"""The file that is read, in the reading process: its beginning came with the request, the parent is asked for the rest."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from typing import BinaryIO


class SentFile(io.RawIOBase):
    """A file whose bytes come from the parent."""

    def __init__(self, head: bytes, size_bytes: int, ask: Callable[[int, int], bytes]) -> None:
        """
        Args:
            head: the beginning of the file.
            size_bytes: size of the whole file.
            ask: (offset, size) → so many bytes of the file from there, or fewer; b"" at its end.
        """
        self._head = memoryview(head)
        self._size_bytes = size_bytes
        self._ask = ask
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size_bytes}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        wanted = len(buffer)
        if self._at < len(self._head):
            data: bytes | memoryview = self._head[self._at : self._at + wanted]
        elif self._at < self._size_bytes:
            data = self._ask(self._at, wanted)
        else:
            data = b""
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


def sent_file(head: bytes, size_bytes: int, ask: Callable[[int, int], bytes]) -> BinaryIO:
    """As `SentFile`, reading as much as it is asked for."""
    if len(head) >= size_bytes:
        return io.BytesIO(head)
    return io.BufferedReader(SentFile(head, size_bytes, ask), 1 << 20)
