"""The days that a document is about: those that the names of its file and folders tell, else its own day, else that of its last change."""

from __future__ import annotations

import os
from datetime import date, datetime
from functools import lru_cache

from noderag_local.text.dates.days import Days
from noderag_local.text.dates.days_in_names import days_in_name
from noderag_local.text.dates.note_period import day_within, period_of_folders
from noderag_local.text.dates.told_day import iso_day, told_day


def days_of(path: str, modified_ns: int, told: str) -> tuple[date, date]:
    """Returns the first and last day that a document is about.

    A day, week or month in the file's name ("2024-03-05 Porto.md", "5 March 2024.md", "20240305.txt", "2024-W10.md", "2024-03.md")
    counts for more than the day that the document itself tells: a journal is about its days, whenever it was begun. That counts for more
    than the day on which the file was last changed, which is that of copying for a note that was copied. Folders may tell the month and
    year of a day: "2024/03 March/Tue 5.md".

    Args:
        path: path of the file.
        modified_ns: nanoseconds since 1970, UTC; its day is taken in the machine's time zone.
        told: the document's own day, as in `Document.day`; "" where it tells none.
    """
    _, named = _in_name(path)
    if named:
        return named.first, named.last
    day = told_day(told) or datetime.fromtimestamp(modified_ns / 1e9).date()
    return day, day


def spelled_day(path: str, told: str) -> str:
    """Returns the day of `day_of` as it stands in the file's name ("2024-03-05", "5 March 2024"), else as "2024-03-05"; "" for none."""
    spelled, days = _in_name(path)
    if days:
        return spelled if days.length == 1 else ""
    return iso_day(told)


def named_day(path: str) -> date | None:
    """Returns the day in a file's name; None where it has none, or names a week."""
    _, days = _in_name(path)
    return days.first if days and days.length == 1 else None


def day_of(path: str, told: str) -> date | None:
    """Returns the day that the file's name tells, else the document itself; None where the name tells a week or month, or neither tells.

    Args:
        path: path of the file.
        told: the document's own day, as in `Document.day`; "" where it tells none.
    """
    return named_day(path) if _in_name(path)[1] else told_day(told)


@lru_cache(maxsize=1024)
def _in_name(path: str) -> tuple[str, Days | None]:
    """Returns the surest day, week or month in a file's name as it stands there, with the days that it means; ("", None) for none.

    Kept, as packing asks for the same files again and again.
    """
    stem = os.path.splitext(os.path.basename(path))[0]
    if found := days_in_name(stem):
        return found[0]
    # Most names have no digits, and folders are only looked at for the others.
    day = day_within(stem, period_of_folders(path)) if any(map(str.isdigit, stem)) else None
    return (stem, Days(day, day)) if day else ("", None)
