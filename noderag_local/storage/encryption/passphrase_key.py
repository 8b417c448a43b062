"""Derives a key from a passphrase with a slow function, so that guessing passphrases is slow, too."""

from __future__ import annotations

import hashlib
import unicodedata

LOG2_N = 17
"""Base-2 logarithm of scrypt's n: a guess takes 128 MiB and half a second."""
LEAST_LOG2_N, MOST_LOG2_N = 1, 20
"""Accepted range: a key file with a lower value is damaged, and one with a higher value would fill the memory."""
SALT_BYTES = 16


def passphrase_key(passphrase: str, salt: bytes, log2_n: int, length: int) -> bytes:
    """Derives `length` bytes with scrypt (RFC 7914), r = 8 and p = 1; the salt has SALT_BYTES random bytes.

    Different Unicode encodings of the same letter give the same key (NFC), since keyboards and editors differ.
    """
    spelled = unicodedata.normalize("NFC", passphrase).encode()
    n, r = 1 << log2_n, 8
    # The memory that scrypt needs; twice as much would exceed OpenSSL's upper limit at the largest cost.
    most_bytes = 128 * r * (n + 4)
    return hashlib.scrypt(spelled, salt=salt, n=n, r=r, p=1, maxmem=most_bytes, dklen=length)
