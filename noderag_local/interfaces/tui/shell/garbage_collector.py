"""Python's garbage collector, kept out of the way of keys."""

from __future__ import annotations

import gc

YOUNG, MIDDLE, OLD = 5_000, 10, 100
"""Objects, and passes over the younger ones, between two passes. Python's own (700, 10, 10) goes through everything some four
times a hundred keys, at 100 ms a time with a large vault open; cycles that nobody needs wait longer for it."""


def calm() -> None:
    """To be called when everything that stays is imported: it is never gone through again."""
    gc.freeze()
    gc.set_threshold(YOUNG, MIDDLE, OLD)
