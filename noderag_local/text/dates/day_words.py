"""Words for days, which stand beside a sentence's own words in the index: the day it was written, and the days it speaks of.

"I went there yesterday", written on 8 May 2023, has "@2023-05-08" and "=2023-05-07", so that a question about
7 May 2023 finds it however it is put. A month or year that is named as such has a word of its own: "=2023-05".
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from enum import Enum, auto
from itertools import groupby
from typing import NamedTuple, Protocol, TypeVar

from noderag_local.text.dates.calendar_names import calendar_words, months, weekday_numbers
from noderag_local.text.dates.dates_in_text import SaidDate, said_dates, written_dates
from noderag_local.text.dates.days import Days
from noderag_local.text.dates.days_in_names import days_in_name
from noderag_local.text.dates.document_days import named_day
from noderag_local.text.dates.note_period import day_of_weekday, day_within, period_of
from noderag_local.text.dates.told_day import told_day

LONGEST_BY_DAY = 7
"""Most days of a period for which each of its days is indexed as a word."""
_STAMP_END = re.compile(r"[\s,;]{0,3}(?:\d{1,2}[:.]?\d{2}\b|[\[\](){|:]|[–-]\s)|\W{0,3}$")
"""Pattern of what follows a date at the front of an entry: a time, a bracket, a colon, a dash or nothing."""
_TURN = re.compile(
    r"[\s,;]{0,3}(?:[\[\](){]|\d{1,2}[:.]?\d{2}\b.{0,6}(?:[\[\](){]|\s[-–]\s[^\W\d_][\w.'’ -]{0,30}:\s))|\W{0,3}$"
)
"""Those of them that show the front of a turn or a line of its own, whose day holds for what follows: "[07.05.23, 13:56] Anna: …"."""
_TIME = re.compile(r"[\s,;]{0,3}\d{1,2}[:.]?\d{2}\b")
_COLON = re.compile(r"\s?:")
_STAMP_START = re.compile(r"[\s\[(#*>_|-]{0,6}(?:(?P<weekday>[^\W\d_]{2,12})[.,]{0,2}\s)?")
"""Pattern of what may precede such a date: marks, and the name of the weekday."""
_LONGEST_STAMP = 60
_SHORTEST_MONTH, _LONGEST_MONTH = 28, 31
_MONTH_LETTERS = len("2026-03")
_FRONT = re.compile(r"[^\W\d_]{2,14}\.?\s?(?=:|[–—-]\s)")
"""A word with a colon or a dash behind it, which may be a weekday: "Tue: two lengths"."""
_TITLE_WORD = re.compile(r"[^\W\d_]{2,}")
_SENT = re.compile(r",\s(\d{4}-\d{2}-\d{2})\s\d{2}:\d{2}\.$")
"""End of the first line that reading an email makes: "From … to …, 2026-11-16 11:12."."""


class InPlace(Protocol):
    """A sentence with its document, title and headings."""

    @property
    def document_id(self) -> int:
        """Document that contains the sentence."""

    @property
    def path(self) -> str:
        """Path of its file."""

    @property
    def title(self) -> str:
        """Title of its document."""

    @property
    def headings(self) -> tuple[str, ...]:
        """Headings over it, outermost first."""

    @property
    def text(self) -> str:
        """Its text."""

    @property
    def day(self) -> str:
        """Day that its document itself tells, such as "2026-05-03"; "" where it tells none."""


Sentence = TypeVar("Sentence", bound=InPlace)


def with_own_days(sentences: Iterable[Sentence]) -> Iterator[tuple[Sentence, date | None]]:
    """Yields each sentence with the day on which it was written; None where nothing tells it.

    That is the day of the nearest of these: a date in front of an entry or turn, a heading with a date, the title, the file's
    name, the document's own day. Under a day of the first four, an entry such as "24.12.2026: flight to Rome" is a plan and dates no
    other sentence, unless the document is a log with several of them. The own day may be the one on which a log was begun, so it dates
    only what nothing else dates, and nothing in a week, a month or another year that a heading, the title or the file names. The day of
    the last change is not used: notes that were copied would all be of one day.

    Args:
        sentences: those of a document one after the other, in the order of reading.
    """
    for _, of_document in groupby(sentences, key=lambda one: one.document_id):
        yield from _with_own_days(list(of_document))


def _with_own_days(sentences: Sequence[Sentence]) -> Iterator[tuple[Sentence, date | None]]:
    """Yields each sentence of a document with its day; see `with_own_days`."""
    stamps = [_stamp(sentence) for sentence in sentences]
    is_log = _is_log(sentences[0], stamps)
    over: tuple[str, ...] | None = None
    day = day_over = None
    for sentence, stamp in zip(sentences, stamps, strict=True):
        if sentence.headings != over:
            labelled = _labelled_day(sentence)
            if labelled or over is None:
                day = day_over = labelled or _only_day(sentence.title) or named_day(sentence.path)
            over = sentence.headings
        if stamp and stamp.holds_under(day_over, is_log):
            day = stamp.day
        dated = (stamp.day if stamp else day) or day_of_weekday(sentence.text, _period(sentence))
        yield sentence, dated or _told_day(sentence)


def _is_log(sentence: InPlace, stamps: Iterable[_Stamp | None]) -> bool:
    """Returns whether a document is a log, "Journal 2025-01-01", in which several entries begin with their day and a colon.

    Where the title is nothing but a date, or a heading has one, such lines are the plans of a day.
    """
    words = {word.casefold() for word in _TITLE_WORD.findall(sentence.title)}
    in_front = sum(bool(stamp and stamp.front is _Front.COLON) for stamp in stamps)
    return in_front > 1 and not words <= calendar_words() | weekday_numbers().keys() | months().keys()


def day_words(said: Sequence[SaidDate], day: date | None) -> list[str]:
    """Returns the words for the days of a sentence, each once.

    Args:
        said: dates of the sentence.
        day: on which it was written; None where that is not known.
    """
    words = [] if day is None else [f"@{day}"]
    words += [word for one in said for word in _said_words(one.days)]
    return list(dict.fromkeys(words))


def asked_days(question: str, today: date) -> list[Days]:
    """Returns the days that a question names, seen from today, and the month of each day that it writes out, each once.

    People remember the month better than the day.
    """
    found: dict[Days, None] = {}
    for said in said_dates(question, today):
        found[said.days] = None
        month = Days.of(said.days.first.year, said.days.first.month)
        if month and not said.is_relative and said.days.length == 1:
            found[month] = None
    return list(found)


def words_of_speaking(days: Days) -> frozenset[str]:
    """Returns the index words of sentences that mention a period or a part of it."""
    written = [day.isoformat() for day in days.each()]
    words = {f"={day}" for day in written}
    if days.length > LONGEST_BY_DAY:
        # Not by strftime, which is slow for the days of a century.
        words |= {f"={day[:_MONTH_LETTERS]}" for day in written} | {f"={days}"}
    return frozenset(words)


def words_of_writing(days: Days) -> frozenset[str]:
    """Returns the index words of sentences that were written in a period."""
    return frozenset(f"@{day}" for day in days.each())


def _said_words(days: Days) -> list[str]:
    return [f"={day}" for day in days.each()] if days.length <= LONGEST_BY_DAY else [f"={days}"]


def _told_day(sentence: InPlace) -> date | None:
    """Returns the document's own day; None where it tells none, or where a week, a month or another year stands over the sentence."""
    day = told_day(sentence.day)
    # Folders sort notes by their days and say nothing of what stands in them.
    over = period_of(os.path.basename(sentence.path), sentence.title, sentence.headings) if day else None
    if day is None or over is None:
        return day
    return day if over.length > _LONGEST_MONTH and over.first <= day <= over.last else None


def _period(sentence: InPlace) -> Days | None:
    return period_of(sentence.path, sentence.title, sentence.headings)


def _labelled_day(sentence: InPlace) -> date | None:
    """Returns the day that the innermost heading with a date names."""
    headings = sentence.headings
    for at in reversed(range(len(headings))):
        over = period_of(sentence.path, sentence.title, headings[:at])
        if day := _only_day(headings[at]) or day_within(headings[at], over):
            return day
    return None


def _only_day(label: str) -> date | None:
    """Returns the only day that a label names with its year; None where it names a week or several days."""
    found = {days for _, days in days_in_name(label) if days.length < _SHORTEST_MONTH}
    only = found.pop() if len(found) == 1 else None
    return only.first if only and only.length == 1 else None


class _Front(Enum):
    """Sign by which a date is known to be the front of a line."""

    TURN = auto()
    """A bracket, a time with a name, or the end of the line."""
    TIME = auto()
    COLON = auto()
    OTHER = auto()


class _Stamp(NamedTuple):
    day: date
    front: _Front

    def holds_under(self, day_over: date | None, is_log: bool) -> bool:
        """Returns whether the sentences behind it are of that day, too.

        Args:
            day_over: day that stands over the sentence; one later than that with a time, "14.10.2026 18:00 concert", is a plan.
            is_log: whether the document is a log.
        """
        if day_over is None or self.front is _Front.TURN:
            return True
        if self.front is _Front.COLON:
            return is_log
        return self.front is _Front.TIME and self.day <= day_over


def _stamp(sentence: InPlace) -> _Stamp | None:
    """Returns the day at the front of an entry or turn, as in "[07.05.23, 13:56] Anna: …", or at the end of a mail's head."""
    text = sentence.text
    if sent := _SENT.search(text):
        return next((_Stamp(one.days.first, _Front.TURN) for one in written_dates(sent[1], None)), None)
    front = _FRONT.match(text)
    if not front and not any(map(str.isdigit, text[:_LONGEST_STAMP])):
        return None
    period = _period(sentence)
    for said in written_dates(text[:_LONGEST_STAMP], period.middle if period else None):
        if said.days.length == 1 and _is_in_front(text, said):
            return _Stamp(said.days.first, _front(text, said.end))
    day = day_within(front[0], period) if front else None
    return _Stamp(day, _Front.OTHER) if day else None


def _front(text: str, end: int) -> _Front:
    for front, pattern in ((_Front.TURN, _TURN), (_Front.TIME, _TIME), (_Front.COLON, _COLON)):
        if pattern.match(text, end):
            return front
    return _Front.OTHER


def _is_in_front(text: str, said: SaidDate) -> bool:
    before = _STAMP_START.fullmatch(text, 0, said.start)
    if not before or not _STAMP_END.match(text, said.end):
        return False
    return before["weekday"] is None or before["weekday"].casefold() in weekday_numbers()
