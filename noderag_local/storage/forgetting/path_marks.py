"""Marks that stand for paths: they tell whether a path is the same, and not what it is.

Whoever has the vault has the salt, too, and can try out names; that a name cannot be read off is all that is promised.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection

SALT_BYTES = 32
MARK_BYTES = 16


def new_salt() -> str:
    """Makes a salt, hexadecimal."""
    return os.urandom(SALT_BYTES).hex()


def mark_of(path: str, salt: str) -> bytes:
    """Returns MARK_BYTES bytes that only this path has under this salt.

    Args:
        path: absolute, as the file system spells it.
        salt: of `new_salt`.
    """
    return hashlib.blake2b(os.fsencode(path), digest_size=MARK_BYTES, key=bytes.fromhex(salt)).digest()


class MarkedPaths:
    """Paths of which the marks alone are known."""

    def __init__(self, marks: Collection[bytes], salt: str) -> None:
        self._marks = frozenset(marks)
        self._salt = salt

    def __len__(self) -> int:
        return len(self._marks)

    def __contains__(self, path: object) -> bool:
        """Whether a path, absolute, is one of them."""
        return isinstance(path, str) and bool(self._marks) and mark_of(path, self._salt) in self._marks
