"""This machine's clock in another time zone."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def in_zone(name: str) -> Iterator[None]:
    """Sets the time zone of this process, and of those that it starts.

    Args:
        name: "Europe/Berlin", or "EST5" for a zone that needs no table.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", name)
        time.tzset()
        yield
    time.tzset()
