"""Files that only a passphrase opens.

The key comes from the passphrase by scrypt, which makes guessing slow; the content is encrypted by AES-256-GCM in pieces of
1 MiB, each with its number and whether it is the last one in its nonce, so that none can be changed, moved, left out or cut off.

Layout: 8 bytes that say what it is, log2 of scrypt's n, salt (16), proof of the key (16), beginning of the nonces (7); then the pieces.
"""

from __future__ import annotations

import hashlib
import hmac
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from noderag_local.errors import SourceError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KIND = b"NRSEAL01"
PIECE_BYTES = 1 << 20
TAG_BYTES = 16
LOG2_N = 17
"""Of scrypt's n: 128 MiB and half a second a guess."""
MOST_LOG2_N = 20
"""A file that asks for more wants to fill the memory."""

_SALT, _PROOF, _BEGINNING = 16, 16, 7
_HEADER_BYTES = len(KIND) + 1 + _SALT + _PROOF + _BEGINNING
_MOST_PIECES = 1 << 32


def is_sealed(path: Path) -> bool:
    """Whether a file begins as sealed ones do."""
    with path.open("rb") as file:
        return file.read(len(KIND)) == KIND


@contextmanager
def sealing(target: BinaryIO, passphrase: str, log2_n: int = LOG2_N) -> Iterator[BinaryIO]:
    """A file whose content goes, encrypted, into `target`; complete once the block has ended without an error."""
    salt, beginning = os.urandom(_SALT), os.urandom(_BEGINNING)
    cipher, proof = _keys(passphrase, salt, log2_n)
    header = KIND + bytes([log2_n]) + salt + proof + beginning
    target.write(header)
    raw = _SealedOutput(target, cipher, header)
    with io.BufferedWriter(raw, PIECE_BYTES) as buffered:
        yield buffered
        buffered.flush()
        raw.finish()


def unsealed(path: Path, source: BinaryIO, passphrase: str) -> BinaryIO:
    """The content of a sealed file, from its beginning.

    Args:
        path: of the file, for messages.
        source: the file, at its beginning.

    Raises:
        SourceError: the passphrase is another one. Reading raises it where the file was cut or changed.
    """
    header = source.read(_HEADER_BYTES)
    if len(header) < _HEADER_BYTES or header[len(KIND)] > MOST_LOG2_N:
        raise _broken(path)
    at = len(KIND) + 1
    salt, proof = header[at : at + _SALT], header[at + _SALT : at + _SALT + _PROOF]
    cipher, expected = _keys(passphrase, salt, header[len(KIND)])
    if not hmac.compare_digest(proof, expected):
        raise SourceError(f"The passphrase does not open {path}. Type it again; capitals and blanks count.")
    return io.BufferedReader(_SealedInput(path, source, cipher, header), PIECE_BYTES)


def _keys(passphrase: str, salt: bytes, log2_n: int) -> tuple[AESGCM, bytes]:
    """The cipher, and what proves that the passphrase is the right one without telling anything of the key."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    n, r = 1 << log2_n, 8
    key = hashlib.scrypt(passphrase.encode(), salt=salt, n=n, r=r, p=1, maxmem=256 * r * n, dklen=32 + _PROOF)
    return AESGCM(key[:32]), key[32:]


def _nonce(header: bytes, number: int, last: bool) -> bytes:
    return header[-_BEGINNING:] + number.to_bytes(4, "big") + bytes([last])


def _broken(path: Path) -> SourceError:
    return SourceError(f"{path} was cut or changed since it was made. Nothing of it was taken over; copy it once more.")


class _SealedOutput(io.RawIOBase):
    """Encrypts what is written, piece by piece; the last piece is kept back until it is known to be the last."""

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
            raise SourceError("More than four petabytes cannot be sealed in one file.")
        nonce = _nonce(self._header, self._number, last)
        self._target.write(self._cipher.encrypt(nonce, piece, self._header))
        self._number += 1


class _SealedInput(io.RawIOBase):
    """Decrypts piece by piece; gives nothing of a piece that is not as it was written."""

    def __init__(self, path: Path, source: BinaryIO, cipher: AESGCM, header: bytes) -> None:
        self._path, self._source, self._cipher, self._header = path, source, cipher, header
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
            raise _broken(self._path) from error
        self._number += 1
        return plain
