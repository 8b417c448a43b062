"""Finds what the notes have about the same day of earlier years."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import NamedTuple

from noderag_local.domain.documents import BlockKind
from noderag_local.storage.browsing.day_rows import DayRows, DaySentence
from noderag_local.storage.snapshots.word_index import Words
from noderag_local.text.dates.days import OLDEST_YEAR, same_day


class SameDay(NamedTuple):
    """A note with a day of an earlier year."""

    day: date
    sentence: DaySentence
    """The first sentence about that day that is no heading, or the heading."""
    more: int
    """Number of its further sentences about it."""


def same_day_of_other_years(
    rows: DayRows, words: Words, today: date, is_inside: Callable[[int], bool]
) -> list[SameDay]:
    """Returns the notes that were written on this day of earlier years or name it, the latest year first; no calendars.

    Args:
        rows: the vault.
        words: its word index.
        today: the day.
        is_inside: tells of a document's id whether it may be used.
    """
    found: list[SameDay] = []
    for year in range(today.year - 1, OLDEST_YEAR - 1, -1):
        day = same_day(today, year)
        ids = words.sentences_with({f"@{day}", f"={day}"}) if day else ()
        if day is None or not len(ids):
            continue
        by_document: dict[int, list[DaySentence]] = {}
        for one in rows.sentences(ids):
            if is_inside(one.document_id) and not one.is_of_calendar:
                by_document.setdefault(one.document_id, []).append(one)
        found += [SameDay(day, _first_told(sentences), len(sentences) - 1) for sentences in by_document.values()]
    return found


def _first_told(sentences: list[DaySentence]) -> DaySentence:
    return next((one for one in sentences if one.kind is not BlockKind.HEADING), sentences[0])
