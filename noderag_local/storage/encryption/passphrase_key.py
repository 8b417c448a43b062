"""Derives a key from a passphrase, slowly, so that guessing is slow as well."""

from __future__ import annotations

import hashlib
import unicodedata

LOG2_N = 17
"""Base-2 logarithm of scrypt's n: a guess takes 128 MiB and half a second."""
LEAST_LOG2_N, MOST_LOG2_N = 1, 20
"""A file that asks for less is damaged; one that asks for more wants to fill the memory."""
SALT_BYTES = 16


def passphrase_key(passphrase: str, salt: bytes, log2_n: int, length: int) -> bytes:
    """Returns `length` bytes by scrypt (RFC 7914) with r = 8 and p = 1; the salt has SALT_BYTES random bytes.

    Different Unicode spellings of a letter, as keyboards and editors make them, give the same key (NFC).
    """
    spelled = unicodedata.normalize("NFC", passphrase).encode()
    n, r = 1 << log2_n, 8
    # What scrypt needs; twice as much would be more than OpenSSL lets one allow, at the most.
    most_bytes = 128 * r * (n + 4)
    return hashlib.scrypt(spelled, salt=salt, n=n, r=r, p=1, maxmem=most_bytes, dklen=length)
