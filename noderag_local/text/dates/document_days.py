"""The days that a document is about: those that the names of its file and folders tell, else its own day, else that of its last change."""

from __future__ import annotations

import os
from datetime import date, datetime

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
    named = next((days for _, days in _named_days(path)), None)
    if named:
        return named.first, named.last
    day = told_day(told) or datetime.fromtimestamp(modified_ns / 1e9).date()
    return day, day


def spelled_day(path: str, told: str) -> str:
    """Returns the day of `day_of` as it stands in the file's name ("2024-03-05", "5 March 2024"), else as "2024-03-05"; "" for none."""
    spelled, days = next(iter(_named_days(path)), ("", None))
    if days:
        return spelled if days.length == 1 else ""
    return iso_day(told)


def named_day(path: str) -> date | None:
    """Returns the day in a file's name; None where it has none, or names a week."""
    days = next((days for _, days in _named_days(path)), None)
    return days.first if days and days.length == 1 else None


def day_of(path: str, told: str) -> date | None:
    """Returns the day that the file's name tells, else the document itself; None where the name tells a week or month, or neither tells.

    Args:
        path: path of the file.
        told: the document's own day, as in `Document.day`; "" where it tells none.
    """
    days = next((days for _, days in _named_days(path)), None)
    if days:
        return days.first if days.length == 1 else None
    return told_day(told)


def _named_days(path: str) -> list[tuple[str, Days]]:
    """Returns the days, weeks and months in a file's name as they stand there, with the days that they mean."""
    stem = os.path.splitext(os.path.basename(path))[0]
    if found := days_in_name(stem):
        return found
    # Most names have no digits, and folders are only looked at for the others.
    day = day_within(stem, period_of_folders(path)) if any(map(str.isdigit, stem)) else None
    return [(stem, Days(day, day))] if day else []
