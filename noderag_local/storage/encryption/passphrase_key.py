"""A key made of a passphrase, slowly, so that guessing is slow as well."""

from __future__ import annotations

import hashlib
import unicodedata

LOG2_N = 17
"""Of scrypt's n: 128 MiB and half a second a guess."""
LEAST_LOG2_N, MOST_LOG2_N = 1, 20
"""A file that asks for less is damaged; one that asks for more wants to fill the memory."""
SALT_BYTES = 16


def passphrase_key(passphrase: str, salt: bytes, log2_n: int, length: int) -> bytes:
    """`length` bytes by scrypt (RFC 7914) with r = 8 and p = 1; the salt is of SALT_BYTES random bytes.

    Two spellings of a letter in Unicode, of which each keyboard and editor has its own, are the same (NFC).
    """
    spelled = unicodedata.normalize("NFC", passphrase).encode()
    n, r = 1 << log2_n, 8
    # What scrypt needs; twice as much would be more than OpenSSL lets one allow, at the most.
    most_bytes = 128 * r * (n + 4)
    return hashlib.scrypt(spelled, salt=salt, n=n, r=r, p=1, maxmem=most_bytes, dklen=length)
