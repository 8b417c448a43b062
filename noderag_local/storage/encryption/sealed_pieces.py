"""Encrypts content in pieces, so that it is noticed if a piece is changed, moved, left out or cut off.

The pieces of 1 MiB are encrypted with AES-256-GCM. The nonce of a piece contains its number and whether it is the last. The header
before the pieces is not secret but authenticated; its last BEGINNING_BYTES begin each nonce. No two contents may have the same
key and the same beginning.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES = 32
BEGINNING_BYTES = 7
PIECE_BYTES = 1 << 20
TAG_BYTES = 16

_MOST_PIECES = 1 << 32


@contextmanager
def sealing_pieces(target: BinaryIO, key: bytes, header: bytes) -> Iterator[BinaryIO]:
    """Yields a file object that encrypts into `target`; the file is complete after the block has ended without an error.

    Args:
        target: file open for writing, after its header.
        key: KEY_BYTES bytes.
        header: bytes that were written into `target` before.

    Raises:
        OverflowError: more than four petabytes were written.
    """
    raw = _SealedOutput(target, _cipher(key), header)
    with io.BufferedWriter(raw, PIECE_BYTES) as buffered:
        yield buffered
        buffered.flush()
        raw.finish()


def unsealed_pieces(source: BinaryIO, key: bytes, header: bytes, broken: Callable[[], Exception]) -> BinaryIO:
    """Returns a file object that decrypts the pieces of `source` from its present position.

    Args:
        source: file open for reading, after its header.
        key: KEY_BYTES bytes.
        header: bytes of `source` before the pieces.
        broken: makes the error to raise if the content was changed or cut off, or was encrypted with another key.
    """
    return io.BufferedReader(_SealedInput(source, _cipher(key), header, broken), PIECE_BYTES)


def _cipher(key: bytes) -> AESGCM:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(key)


def _nonce(header: bytes, number: int, last: bool) -> bytes:
    return header[-BEGINNING_BYTES:] + number.to_bytes(4, "big") + bytes([last])


class _SealedOutput(io.RawIOBase):
    """Encrypts what is written, piece by piece; holds the last piece back until `finish`."""

    def __init__(self, target: BinaryIO, cipher: AESGCM, header: bytes) -> None:
        self._target, self._cipher, self._header = target, cipher, header
        self._held = bytearray()
        self._number = 0

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        given = memoryview(data)  # type: ignore[arg-type]
        self._held += given
        while len(self._held) > PIECE_BYTES:
            self._put(bytes(self._held[:PIECE_BYTES]), last=False)
            del self._held[:PIECE_BYTES]
        return len(given)

    def finish(self) -> None:
        self._put(bytes(self._held), last=True)

    def _put(self, piece: bytes, *, last: bool) -> None:
        if self._number >= _MOST_PIECES:
            raise OverflowError("more than four petabytes cannot be sealed in one file")
        nonce = _nonce(self._header, self._number, last)
        self._target.write(self._cipher.encrypt(nonce, piece, self._header))
        self._number += 1


class _SealedInput(io.RawIOBase):
    """Decrypts piece by piece; returns nothing of a piece that was changed."""

    def __init__(self, source: BinaryIO, cipher: AESGCM, header: bytes, broken: Callable[[], Exception]) -> None:
        self._source, self._cipher, self._header, self._broken = source, cipher, header, broken
        self._next = source.read(PIECE_BYTES + TAG_BYTES)
        self._plain = memoryview(b"")
        self._number = 0
        self._ended = False

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._source.close()
        super().close()

    def readinto(self, buffer: object) -> int:
        wanted = memoryview(buffer)  # type: ignore[arg-type]
        while not self._plain and not self._ended:
            self._plain = memoryview(self._piece())
        given = self._plain[: len(wanted)]
        wanted[: len(given)] = given
        self._plain = self._plain[len(given) :]
        return len(given)

    def _piece(self) -> bytes:
        from cryptography.exceptions import InvalidTag

        piece, self._next = self._next, self._source.read(PIECE_BYTES + TAG_BYTES)
        self._ended = not self._next
        try:
            plain = self._cipher.decrypt(_nonce(self._header, self._number, self._ended), piece, self._header)
        except (InvalidTag, ValueError) as error:
            raise self._broken() from error
        self._number += 1
        return plain
