"""Reads the dates of a chat, whose order of day, month and year depends on the phone that exported it.

"03/04/24" is a day in March or in April. All lines of a file have the same order, and messages are in order of time, so the whole
file shows what one line does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from itertools import pairwise

Numbers = tuple[int, int, int]
"""The three numbers of a date, as they stand in the file."""
Order = tuple[int, int, int]
"""Positions of year, month and day among the three numbers."""

YEAR_FIRST, DAY_FIRST, MONTH_FIRST = (0, 1, 2), (2, 1, 0), (2, 0, 1)
_CENTURY = 2000


def date_order(dates: Sequence[Numbers], *, seems_american: bool) -> Order:
    """Returns the order of the numbers in the dates of one file.

    It is the order in which most of them are valid dates. Among equal orders, it is the one in which the fewest dates are earlier
    than the date before.

    Args:
        dates: dates of all messages, in the order of the file.
        seems_american: whether the file writes dates and times as America does; if all else is equal, the month then comes first.
    """
    if 2 * sum(numbers[0] > 31 for numbers in dates) > len(dates):
        return YEAR_FIRST
    orders = (MONTH_FIRST, DAY_FIRST) if seems_american else (DAY_FIRST, MONTH_FIRST)
    return min(orders, key=lambda order: _faults(dates, order))


def day_of(numbers: Numbers, order: Order) -> date | None:
    """Returns the day that three numbers mean; None if there is no such day."""
    year, month, day = (numbers[place] for place in order)
    try:
        return date(year + _CENTURY if year < 100 else year, month, day)
    except ValueError:
        return None


def _faults(dates: Sequence[Numbers], order: Order) -> tuple[int, int]:
    """Returns how many of the dates are invalid, and how many are earlier than the date before."""
    days = [day for numbers in dates if (day := day_of(numbers, order))]
    return len(dates) - len(days), sum(later < earlier for earlier, later in pairwise(days))
