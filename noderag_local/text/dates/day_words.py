"""Words for days, which stand beside a sentence's own words in the index: the day it was written, and the days it speaks of.

"I went there yesterday", written on 8 May 2023, has "@2023-05-08" and "=2023-05-07", so that a question about
7 May 2023 finds it however it is put. A month or year that is named as such has a word of its own: "=2023-05".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import NamedTuple, Protocol, TypeVar

from noderag_local.text.dates.calendar_names import weekday_numbers
from noderag_local.text.dates.dates_in_text import SaidDate, said_dates, written_dates
from noderag_local.text.dates.days import Days
from noderag_local.text.dates.days_in_names import days_in_name
from noderag_local.text.dates.document_days import named_day
from noderag_local.text.dates.note_period import day_of_weekday, day_within, period_of

LONGEST_BY_DAY = 7
"""Most days of a period for which each of its days is indexed as a word."""
_STAMP_END = re.compile(r"[\s,;]{0,3}(?:\d{1,2}[:.]?\d{2}\b|[\[\](){|:]|[–-]\s)|\W{0,3}$")
"""Pattern of what follows a date at the front of an entry: a time, a bracket, a colon, a dash or nothing."""
_HOLDS = re.compile(r"[\s,;]{0,3}(?:\d{1,2}[:.]?\d{2}\b|[\[\](){])|\W{0,3}$")
"""Those of them that show the front of a turn or a line of its own, whose day holds for what follows: "[07.05.23, 13:56] Anna: …"."""
_STAMP_START = re.compile(r"[\s\[(#*>_|-]{0,6}(?:(?P<weekday>[^\W\d_]{2,12})[.,]{0,2}\s)?")
"""Pattern of what may precede such a date: marks, and the name of the weekday."""
_LONGEST_STAMP = 60
_SHORTEST_MONTH = 28
_MONTH_LETTERS = len("2026-03")
_FRONT = re.compile(r"[^\W\d_]{2,14}\.?\s?(?=:|[–—-]\s)")
"""A word with a colon or a dash behind it, which may be a weekday: "Tue: two lengths"."""
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


Sentence = TypeVar("Sentence", bound=InPlace)


def with_own_days(sentences: Iterable[Sentence]) -> Iterator[tuple[Sentence, date | None]]:
    """Yields each sentence with the day on which it was written; None where nothing tells it.

    That is the day of the nearest of these: a date in front of an entry or turn, a heading with a date, the title, the file's
    name. Under a day of these, an entry such as "24.12.2026: flight to Rome" is a plan and dates no other sentence. The day of the last
    change is not used: notes that were copied would all be of one day.

    Args:
        sentences: those of a document one after the other, in the order of reading.
    """
    over: tuple[object, ...] = ()
    day = day_over = None
    for sentence in sentences:
        here = (sentence.document_id, sentence.headings)
        if here != over:
            is_new = here[:1] != over[:1]
            over = here
            labelled = _labelled_day(sentence)
            if labelled or is_new:
                day = day_over = labelled or _only_day(sentence.title) or named_day(sentence.path)
        stamp = _stamp(sentence)
        if stamp and (stamp.holds or not day_over):
            day = stamp.day
        yield sentence, (stamp.day if stamp else day) or day_of_weekday(sentence.text, _period(sentence))


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


class _Stamp(NamedTuple):
    day: date
    holds: bool
    """Whether the sentences behind it are of that day, too, even if another day stands over them."""


def _stamp(sentence: InPlace) -> _Stamp | None:
    """Returns the day at the front of an entry or turn, as in "[07.05.23, 13:56] Anna: …", or at the end of a mail's head."""
    text = sentence.text
    if sent := _SENT.search(text):
        return next((_Stamp(one.days.first, True) for one in written_dates(sent[1], None)), None)
    front = _FRONT.match(text)
    if not front and not any(map(str.isdigit, text[:_LONGEST_STAMP])):
        return None
    period = _period(sentence)
    for said in written_dates(text[:_LONGEST_STAMP], period.middle if period else None):
        if said.days.length == 1 and _is_in_front(text, said):
            return _Stamp(said.days.first, bool(_HOLDS.match(text, said.end)))
    day = day_within(front[0], period) if front else None
    return _Stamp(day, False) if day else None


def _is_in_front(text: str, said: SaidDate) -> bool:
    before = _STAMP_START.fullmatch(text, 0, said.start)
    if not before or not _STAMP_END.match(text, said.end):
        return False
    return before["weekday"] is None or before["weekday"].casefold() in weekday_numbers()
