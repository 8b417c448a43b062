"""Finds the sentences of notes that name one of the next days: appointments, plans and birthdays."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from datetime import date, datetime, timedelta
from functools import cache
from typing import NamedTuple

from noderag_local.domain.documents import BlockKind
from noderag_local.storage.browsing.day_rows import DayRows, DaySentence
from noderag_local.storage.snapshots.word_index import Words
from noderag_local.text.dates.calendar_names import months, weekdays
from noderag_local.text.dates.dates_in_text import written_dates
from noderag_local.text.dates.days import OLDEST_YEAR, Days, same_day
from noderag_local.text.dates.document_days import day_of
from noderag_local.text.languages import KNOWN_LANGUAGES

MOST_OF_DAY = 5
"""Maximum number of sentences that are listed from a note that is dated on a coming day."""
MOST_CHUNKS = 3_000
"""Number of chunks with the number and month of a day beyond which days without a year are not sought."""
FROM_BEGINNING, BEFORE_DAY = 70, 40
"""If a day comes later than the first number of characters, the text is cut to begin the second number before the day."""
_RECENTLY = timedelta(400)
"""Age of a note without a date up to which a day without a year means the next such day."""
_DIED = r"†|\b(?:died|death|gest(?:orben\w*)?|verst(?:orben\w*|arb)?|starb|tod(?:es\w*)?|mort|morte|morto|décéd\w*|fallec\w*|murió|falec\w*|overl\w*)\b|\b(?:gest|verst|d)\."
_ANOTHER_YEAR = r"(?<!\d)(?:1[89]|20)\d{2}(?!\d)"
_BIRTH = re.compile(
    r"(?:\b(?:born|birth(?:day|date)|b-?day|dob|geb(?:oren)?|geburts(?:tag|datum)|née?|naissance|anniversaire|naci(?:do|da|miento)|"
    r"nació|cumple(?:años)?|(?-i:nat[oa](?=\s(?:il|in|a|\d))|Nat[oa](?=\sil\s))|compleanno|nascid[oa]|nascimento|aniversário|verjaardag|род\w*)\b|\bb\.|(?<!\w)\*|🎂)"
    rf"(?:(?!{_DIED}|{_ANOTHER_YEAR})[^\n;]){{0,20}}$",
    re.IGNORECASE,
)
"""Text directly before a date of birth. Another date, such as that of the death, may not stand in between."""
_DAY = re.compile(r"(?<![\w.:,/-])(\d{1,2})(?:st|nd|rd|th|º|\.)?(?![\w:/-])")
_MONTH_AFTER = re.compile(r"\s(?:of\s|de\s)?([^\W\d_]{3,14})(?!\w)\.?")
_WORD_BEFORE = re.compile(r"(?<!\w)([^\W\d_]{2,14})\.?,?\s{1,2}(?:(?:the|den|le|el)\s)?$")
_NUMBER_AFTER = re.compile(r"\.\s?(\d{1,2})\.(?!\d|\s\d{4}(?!\d))")
_YEAR_AFTER = re.compile(r",?\s(?:de\s)?\d{4}")
_BEFORE = 24
"""Number of characters before a day in which the name of its weekday or month is sought."""
_TIME = re.compile(r"(?<![\d.:,])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])")


class NotedDay(NamedTuple):
    """A sentence that names a day."""

    day: date
    sentence: DaySentence
    years: int = 0
    """Age that the person reaches on that day; 0 if it is no birthday or the year is unknown."""
    is_birthday: bool = False
    at: int = 0
    """Position of the day in the sentence, in characters."""

    @property
    def text(self) -> str:
        """Returns the sentence on one line; of a long sentence only the part around the day."""
        text, begin = self.sentence.text, 0
        if self.at > FROM_BEGINNING and self.sentence.kind is not BlockKind.TABLE_ROW:
            begin = text.find(" ", self.at - BEFORE_DAY) + 1
        return "…" * bool(begin) + " ".join(text[begin:].split())

    @property
    def minute(self) -> int:
        """Returns the minute of the day that the sentence names; −1 if it names no time."""
        found = _TIME.search(self.sentence.text)
        return 60 * int(found[1]) + int(found[2]) if found else -1


def noted_days(rows: DayRows, words: Words, days: Days, is_inside: Callable[[int], bool]) -> list[NotedDay]:
    """Returns the sentences that name one of some days, each once, in the order of reading.

    Sentences that were written on the day itself are left out, because they tell what happened. Check boxes are left out, because
    they are tasks.

    Args:
        rows: rows of the vault.
        words: word index of the vault.
        days: days to find; the first one is today.
        is_inside: tells for the id of a document whether the document may be used.
    """
    found: dict[int, NotedDay] = {}
    for noted in (*_birthdays(rows, words, days), *_planned(rows, words, days), *_without_year(rows, days)):
        sentence = noted.sentence
        if is_inside(sentence.document_id) and _can_tell(sentence):
            found.setdefault(sentence.id, noted)
    boxes = rows.with_boxes(found)
    return [one for number, one in sorted(found.items()) if number not in boxes]


def _can_tell(sentence: DaySentence) -> bool:
    return not sentence.is_of_calendar and sentence.kind not in (BlockKind.HEADING, BlockKind.CODE)


def _planned(rows: DayRows, words: Words, days: Days) -> Iterator[NotedDay]:
    today = days.first
    for day in days.each():
        named = set(words.sentences_with({f"={day}"}).tolist())
        written = set(words.sentences_with({f"@{day}"}).tolist())
        on_day: Counter[int] = Counter()
        for one in rows.sentences(named | written if day > today else named):
            own_day = words.day_of(one.id)
            if one.id not in written:
                # A relative date such as "tomorrow" in yesterday's note is a plan; "today" in today's note is not.
                if own_day is None or own_day < day:
                    yield NotedDay(day, one, at=_place_of(day, one.text))
            elif day == today:
                if own_day is None and _is_ahead(one, day):
                    yield NotedDay(day, one)
            elif _can_tell(one) and not _names_another(day, one.text):
                on_day[one.document_id] += 1
                if on_day[one.document_id] <= MOST_OF_DAY:
                    yield NotedDay(day, one)


def _place_of(day: date, text: str) -> int:
    """Returns the position of a day in a sentence; 0 if the sentence names it by a relative date."""
    return next((one.start for one in written_dates(text, day) if one.days == Days(day, day)), 0)


def _names_another(day: date, text: str) -> bool:
    return any(one.days != Days(day, day) for one in written_dates(text, day))


def _is_ahead(sentence: DaySentence, today: date) -> bool:
    """Returns whether a line that begins with today's date was written before the time that it names."""
    changed = datetime.fromtimestamp(sentence.modified_ns / 1e9)
    if changed.date() < today:
        return True
    minute = NotedDay(today, sentence).minute
    return minute > 60 * changed.hour + changed.minute


def _birthdays(rows: DayRows, words: Words, days: Days) -> Iterator[NotedDay]:
    for day in days.each():
        born = {f"={birth}" for year in range(OLDEST_YEAR, day.year) if (birth := same_day(day, year))}
        for one in rows.sentences(words.sentences_with(born).tolist()):
            for said in written_dates(one.text, None):
                birth = said.days.first
                if said.days.length > 1 or birth.year >= day.year or same_day(day, birth.year) != birth:
                    continue
                # The day and month are between the word and the year, or after the year.
                at = one.text.find(str(birth.year), said.start, said.end)
                if at >= 0 and _BIRTH.search(one.text[:at]):
                    yield NotedDay(day, one, day.year - birth.year, is_birthday=True, at=at)
                    break


def _without_year(rows: DayRows, days: Days) -> Iterator[NotedDay]:
    """Yields sentences with "Fri 27 Nov" or "Fri 27.11." if that day is a Friday, or with "birthday 27 Nov"."""
    by_month_day = {(day.month, day.day): day for day in days.each()}
    numbers = [f"{number}{end}" for _, number in by_month_day for end in ("", "st", "nd", "rd", "th")]
    names = {name for name, number in months().items() if number in {month for month, _ in by_month_day}}
    in_digits = [
        f"{number:{day_digits}} {month:{month_digits}}"
        for month, number in by_month_day
        for day_digits in ("", "02")
        for month_digits in ("", "02")
    ]
    named = rows.near_words(numbers, sorted(name for name in names if name.isalnum()), MOST_CHUNKS)
    for one in (*named, *rows.with_phrases(sorted(set(in_digits)), MOST_CHUNKS)):
        for match in _DAY.finditer(one.text):
            found = _without_year_at(one.text, match)
            day = by_month_day.get((found.month, int(match[1]))) if found else None
            if found is None or day is None or not _is_recent(one, day):
                continue
            if _BIRTH.search(one.text[: found.start]):
                yield NotedDay(day, one, is_birthday=True, at=found.start)
            elif found.weekday and day.weekday() in _weekdays_begun(found.weekday):
                yield NotedDay(day, one, at=found.start)


class _DayFound(NamedTuple):
    month: int
    weekday: str
    """Casefolded word before the day, which may begin the name of a weekday; "" if there is none."""
    start: int
    """Position of the day or the month, whichever comes first."""


def _without_year_at(text: str, number: re.Match[str]) -> _DayFound | None:
    """Reads "27 Nov", "27th of November", "November 27" or "27.11." around a number; None if there is no month, or if a year follows."""
    start, end = number.span()
    after, before = _MONTH_AFTER.match(text, end), _WORD_BEFORE.search(text[max(0, start - _BEFORE) : start])
    month = months().get(after[1].casefold(), 0) if after else 0
    if after and month:
        weekday = before[1].casefold() if before else ""
        return None if _YEAR_AFTER.match(text, after.end()) else _DayFound(month, weekday, start)
    if in_digits := _NUMBER_AFTER.match(text, number.end(1)):
        return _DayFound(int(in_digits[1]), before[1].casefold() if before else "", start)
    month = months().get(before[1].casefold(), 0) if before else 0
    if before is None or not month or _YEAR_AFTER.match(text, end):
        return None
    start -= len(before[0])
    earlier = _WORD_BEFORE.search(text[max(0, start - _BEFORE) : start])
    return _DayFound(month, earlier[1].casefold() if earlier else "", start)


def _is_recent(sentence: DaySentence, day: date) -> bool:
    written = day_of(sentence.path, sentence.day) or datetime.fromtimestamp(sentence.modified_ns / 1e9).date()
    return timedelta(0) <= day - written <= _RECENTLY


@cache
def _weekdays_begun(word: str) -> Collection[int]:
    """Returns the weekdays, 0 for Monday, whose name begins with a word in some language: "fri", "vendredi"."""
    return {
        number for language in KNOWN_LANGUAGES for name, number in weekdays(language).items() if name.startswith(word)
    }
