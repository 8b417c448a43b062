"""Reads and writes exported files that are encrypted with a passphrase, in the format of `sealed_pieces`.

Layout: 8 bytes that say what it is, log2 of scrypt's n, salt (16), proof of the key (16), beginning of the nonces (7); then the pieces.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from noderag_local.domain.errors import SourceError
from noderag_local.storage.encryption.passphrase_key import (
    LEAST_LOG2_N,
    LOG2_N,
    MOST_LOG2_N,
    SALT_BYTES,
    passphrase_key,
)
from noderag_local.storage.encryption.sealed_pieces import BEGINNING_BYTES, KEY_BYTES, sealing_pieces, unsealed_pieces

KIND = b"NRSEAL01"

_PROOF = 16
_HEADER_BYTES = len(KIND) + 1 + SALT_BYTES + _PROOF + BEGINNING_BYTES


def is_sealed(path: Path) -> bool:
    """Returns whether a file starts like an encrypted export."""
    with path.open("rb") as file:
        return file.read(len(KIND)) == KIND


@contextmanager
def sealing(target: BinaryIO, passphrase: str, log2_n: int = LOG2_N) -> Iterator[BinaryIO]:
    """Yields a file object that encrypts into `target`; the file is complete after the block has ended without an error."""
    salt, beginning = os.urandom(SALT_BYTES), os.urandom(BEGINNING_BYTES)
    key, proof = _keys(passphrase, salt, log2_n)
    header = KIND + bytes([log2_n]) + salt + proof + beginning
    target.write(header)
    with sealing_pieces(target, key, header) as file:
        yield file


def unsealed(path: Path, source: BinaryIO, passphrase: str) -> BinaryIO:
    """Returns a file object that decrypts an encrypted export.

    Args:
        path: of the file, for messages.
        source: the file, at its beginning.
        passphrase: the one that the file was made with.

    Raises:
        SourceError: the passphrase is wrong. Reading raises it if the file was cut off or changed.
    """
    header = source.read(_HEADER_BYTES)
    if len(header) < _HEADER_BYTES or not LEAST_LOG2_N <= header[len(KIND)] <= MOST_LOG2_N:
        raise _broken(path)
    at = len(KIND) + 1
    salt, proof = header[at : at + SALT_BYTES], header[at + SALT_BYTES : at + SALT_BYTES + _PROOF]
    key, expected = _keys(passphrase, salt, header[len(KIND)])
    if not hmac.compare_digest(proof, expected):
        raise SourceError(f"The passphrase does not open {path}. Type it again; capitals and blanks count.")
    return unsealed_pieces(source, key, header, lambda: _broken(path))


def _keys(passphrase: str, salt: bytes, log2_n: int) -> tuple[bytes, bytes]:
    """Returns the key and a proof of the right passphrase, which reveals nothing about the key."""
    key = passphrase_key(passphrase, salt, log2_n, KEY_BYTES + _PROOF)
    return key[:KEY_BYTES], key[KEY_BYTES:]


def _broken(path: Path) -> SourceError:
    return SourceError(f"{path} was cut or changed since it was made. Nothing of it was taken over; copy it once more.")
