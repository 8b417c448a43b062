"""The key of an encrypted vault, and which keys this process has been given.

A key is known by its proof, which stands in the key file of every folder that it opens: of the vault, of its backups, of
a copy of either.
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
    """Random name of the vault, 32 hexadecimal digits; under it the desktop's keyring keeps the key."""
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
        """Returns a key for one purpose, KEY_BYTES bytes: HKDF-Expand (RFC 5869) in one step, as the secret is random already."""
        return hmac.digest(self.secret, b"noderag vault " + purpose + b"\x01", hashlib.sha256)


_given: dict[str, VaultKey] = {}
"""Keys that this process was given, by proof."""


def give(key: VaultKey) -> None:
    """Gives a key to this process until it ends, and prevents images of its memory from now on."""
    _given[key.proof] = key
    leave_no_dump()


def given(proof: str) -> VaultKey | None:
    """Returns the key with this proof, if it was given."""
    return _given.get(proof)
