"""Computes marks of paths: salted hashes that can be compared with a path but not turned back into it.

Anybody who has the vault also has the salt and can guess names. The marks only make sure that names cannot be read directly.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection

SALT_BYTES = 32
MARK_BYTES = 16


def new_salt() -> str:
    """Returns a new random salt in hexadecimal."""
    return os.urandom(SALT_BYTES).hex()


def mark_of(path: str, salt: str) -> bytes:
    """Returns the mark of a path: MARK_BYTES bytes that depend on the path and the salt.

    Args:
        path: absolute path, as the file system spells it.
        salt: a salt from `new_salt`.
    """
    return hashlib.blake2b(os.fsencode(path), digest_size=MARK_BYTES, key=bytes.fromhex(salt)).digest()


class MarkedPaths:
    """A set of paths of which only the marks are known."""

    def __init__(self, marks: Collection[bytes], salt: str) -> None:
        self._marks = frozenset(marks)
        self._salt = salt

    def __len__(self) -> int:
        return len(self._marks)

    def __contains__(self, path: object) -> bool:
        """Returns whether an absolute path is in the set."""
        return isinstance(path, str) and bool(self._marks) and mark_of(path, self._salt) in self._marks
