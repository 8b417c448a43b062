"""Finds what the notes say about the same day in earlier years."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import NamedTuple

from noderag_local.domain.documents import BlockKind
from noderag_local.storage.browsing.day_rows import DayRows, DaySentence
from noderag_local.storage.snapshots.word_index import Words
from noderag_local.text.dates.days import OLDEST_YEAR, same_day


class SameDay(NamedTuple):
    """A note about the same day in an earlier year."""

    day: date
    sentence: DaySentence
    """First sentence about that day that is no heading; the heading if there is none."""
    more: int
    """Number of further sentences about that day."""


def same_day_of_other_years(
    rows: DayRows, words: Words, today: date, is_inside: Callable[[int], bool]
) -> list[SameDay]:
    """Returns the notes that were written on this day of an earlier year or name it, latest year first, without calendars.

    Args:
        rows: rows of the vault.
        words: word index of the vault.
        today: present day.
        is_inside: tells for the id of a document whether the document may be used.
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
