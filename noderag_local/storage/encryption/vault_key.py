"""Defines the key of an encrypted vault, and keeps the keys that this process was given.

A key is identified by its proof, which is in the key file of every folder that the key opens: the vault, its backups and their
copies.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from dataclasses import dataclass, field

from noderag_local.storage.encryption.sealed_pieces import KEY_BYTES
from noderag_local.system.walls.dumps import leave_no_dump

KEY_FILE_NAME = "vault.key"
"""Name of the key file in the folder of every encrypted vault."""


@dataclass(frozen=True, slots=True)
class VaultKey:
    """Key that opens the files of one vault."""

    vault: str
    """Random name of the vault, 32 hexadecimal digits, under which the desktop's keyring stores the key."""
    secret: bytes = field(repr=False)
    """KEY_BYTES random bytes, which never appear in an error, a log or a statement of SQL."""

    @classmethod
    def new(cls) -> VaultKey:
        """Makes a new random key."""
        return cls(os.urandom(16).hex(), os.urandom(KEY_BYTES))

    @property
    def proof(self) -> str:
        """Proof that identifies the key without revealing it; 64 hexadecimal digits."""
        return self.derived(b"proof").hex()

    def derived(self, purpose: bytes) -> bytes:
        """Derives a key of KEY_BYTES bytes for one purpose by HKDF-Expand (RFC 5869); one step is enough for a random secret."""
        return hmac.digest(self.secret, b"noderag vault " + purpose + b"\x01", hashlib.sha256)


_given: dict[str, VaultKey] = {}
"""Keys that this process was given, by proof."""


def give(key: VaultKey) -> None:
    """Keeps a key until this process ends, and prevents core dumps of its memory from now on."""
    _given[key.proof] = key
    leave_no_dump()


def given(proof: str) -> VaultKey | None:
    """Returns the key with this proof; None if this process was not given it."""
    return _given.get(proof)
