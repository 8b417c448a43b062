"""Makes the choices that complete a folder or a day of a scope."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

from noderag_local.interfaces.tui.shared.terminal_text import from_home


class Offer(NamedTuple):
    """A choice that fills a field."""

    shown: str
    value: str


def day_offers(today: date, *, is_first: bool) -> list[Offer]:
    """Returns days that people often mean, the nearest first.

    Args:
        today: the day of today.
        is_first: whether a first day is chosen; else a last one.
    """
    before = today.replace(day=1) - timedelta(1)
    first = [str(today), str(today - timedelta(7)), f"{today:%Y-%m}", f"{before:%Y-%m}", str(today.year)]
    last = [str(today), str(today - timedelta(7)), f"{today:%Y-%m}", str(today.year - 1)]
    return [Offer(day, day) for day in (first if is_first else last)]


def folder_offers(paths: Sequence[str]) -> list[Offer]:
    """Returns the folders as choices, shown relative to their common parent; the value is the whole path."""
    if not paths:
        return []
    common = os.path.commonpath(paths)
    base = os.path.dirname(common) if common in paths else common
    return [Offer(os.path.relpath(path, base), from_home(path)) for path in paths]
