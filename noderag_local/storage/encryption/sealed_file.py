"""Reads and writes files of a vault other than databases, encrypted in pieces where the vault is encrypted.

Layout of an encrypted one: 8 bytes that say what it is, salt of its key (16), beginning of the nonces (7); then the pieces.
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
        OSError: it cannot be read.
        ValueError: it was not encrypted by this key, or cut or changed since.
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
    """Gives a file that writes content into an open file; complete once the block has ended without an error."""
    if key is None:
        yield target
        return
    header = KIND + os.urandom(_SALT + BEGINNING_BYTES)
    target.write(header)
    with sealing_pieces(target, _file_key(key, header), header) as content:
        yield content


def _file_key(key: VaultKey, header: bytes) -> bytes:
    """Returns the key of this file alone, so that no two contents ever share a key and a nonce."""
    return key.derived(b"file " + header[len(KIND) : len(KIND) + _SALT])


def _broken() -> ValueError:
    return ValueError("cut, changed, or encrypted by another key")
