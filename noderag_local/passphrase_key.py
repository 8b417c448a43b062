"""A key made of a passphrase, slowly, so that guessing is slow as well."""

from __future__ import annotations

import hashlib

LOG2_N = 17
"""Of scrypt's n: 128 MiB and half a second a guess."""
MOST_LOG2_N = 20
"""A file that asks for more wants to fill the memory."""
SALT_BYTES = 16


def passphrase_key(passphrase: str, salt: bytes, log2_n: int, length: int) -> bytes:
    """`length` bytes by scrypt (RFC 7914) with r = 8 and p = 1; the salt is of SALT_BYTES random bytes."""
    n, r = 1 << log2_n, 8
    return hashlib.scrypt(passphrase.encode(), salt=salt, n=n, r=r, p=1, maxmem=256 * r * n, dklen=length)
