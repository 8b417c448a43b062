"""Reads and writes a vault's files other than databases; in an encrypted vault they are encrypted in pieces.

Layout of an encrypted file: 8 bytes that mark the format, 16 bytes of salt for the key, 7 bytes that begin the nonces, and then
the pieces.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from noderag_local.storage.encryption.sealed_pieces import BEGINNING_BYTES, sealing_pieces, unsealed_pieces
from noderag_local.storage.encryption.vault_key import VaultKey

KIND = b"NRSEAL02"

_SALT = 16
_HEADER_BYTES = len(KIND) + _SALT + BEGINNING_BYTES


def read_content(path: Path, key: VaultKey | None) -> bytes:
    """Returns the whole content of a file.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file was encrypted with another key, or was changed or cut off.
    """
    if key is None:
        return path.read_bytes()
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
        if len(header) < _HEADER_BYTES or not header.startswith(KIND):
            raise _broken()
        with unsealed_pieces(file, _file_key(key, header), header, _broken) as content:
            return content.read()


@contextmanager
def writing_content(target: BinaryIO, key: VaultKey | None) -> Iterator[BinaryIO]:
    """Yields a file object that writes, encrypted if there is a key, into `target`; complete after the block has ended."""
    if key is None:
        yield target
        return
    header = KIND + os.urandom(_SALT + BEGINNING_BYTES)
    target.write(header)
    with sealing_pieces(target, _file_key(key, header), header) as content:
        yield content


def _file_key(key: VaultKey, header: bytes) -> bytes:
    """Derives a key for this file only, so that no two contents ever share a key and a nonce."""
    return key.derived(b"file " + header[len(KIND) : len(KIND) + _SALT])


def _broken() -> ValueError:
    return ValueError("cut off, changed, or encrypted with another key")
