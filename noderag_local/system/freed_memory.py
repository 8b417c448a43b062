"""Lets the C library keep memory that is freed, for large arrays that come one after the other."""

from __future__ import annotations

_KEPT_BYTES = 31 << 20
"""Just below 32 MB, the most that glibc adapts to."""


def keep_freed_memory() -> None:
    """Lets glibc keep the memory of arrays that are done with, for the next ones; elsewhere this does nothing.

    glibc gives blocks of more than 128 KB back to the system, and gets them again page by page: a tenth of the time of a search among
    100,000 documents. Once a block of this size was given back, it keeps all that are smaller (mallopt(3), M_MMAP_THRESHOLD).
    """
    bytes(_KEPT_BYTES)
