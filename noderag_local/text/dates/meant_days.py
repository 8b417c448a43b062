"""Tells which days the relative dates of a sentence mean, and how sure that is.

"Last Friday" on a Saturday is the day before to some and eight days before to others; only what all agree on is sure.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

from noderag_local.text.dates.dates_in_text import written_dates
from noderag_local.text.dates.days import Days
from noderag_local.text.dates.meanings import Meaning
from noderag_local.text.dates.relative_dates import RelativeDate, relative_dates

EXACTLY = "="
ABOUT = "≈"
UNSURE = ""
MOST_EXACT_DAYS = 6
"""Most days that people count one by one: "ten days ago" is about ten days ago."""
_WEDNESDAY, _SATURDAY, _SUNDAY = 2, 5, 6
_QUOTES = frozenset('"“”„«»')
_ADDRESS_MARKS = frozenset("/@#")


class MeantDays(NamedTuple):
    """Days that a relative date means."""

    start: int
    end: int
    """Place of the relative date in the sentence."""
    days: Days
    sign: str
    """EXACTLY, ABOUT for what is counted roughly, or UNSURE where it may be other days as well."""


def meant_days(text: str, day: date, told: Sequence[str] = ()) -> list[MeantDays]:
    """Returns the days that the relative dates of a sentence mean, each period once, in the order in which they stand.

    Those that the sentence names itself are left out, such as "yesterday, 7 May", and where its own day is told, those with
    that day, such as "today" and "this year".

    Args:
        text: the sentence.
        day: on which it was written.
        told: what the reader sees above the sentence, such as its title.
    """
    found: dict[Days, MeantDays] = {}
    for relative in relative_dates(text):
        days = _days(relative.meaning, day)
        if days and not relative.may_last and days not in found:
            found[days] = MeantDays(relative.start, relative.end, days, _sign(text, relative, day))
    if not found:
        return []
    named = [one.days for one in written_dates(text, day)]
    if any(one.days == Days(day, day) for label in told for one in written_dates(label, None)):
        named.append(Days(day, day))
    return [one for one in found.values() if not any(map(one.days.holds, named))]


def _days(meaning: Meaning, day: date) -> Days | None:
    """The days meant; of weeks that are counted from a day, the day that is as many weeks away."""
    if meaning.is_counted and meaning.unit == "week":
        return Meaning("day", 7 * meaning.steps).seen_from(day)
    return meaning.seen_from(day)


def _sign(text: str, relative: RelativeDate, day: date) -> str:
    if _is_quoted(text, relative.start) or _is_in_address(text, relative):
        return UNSURE
    meaning, today = relative.meaning, day.weekday()
    if meaning.is_counted:
        is_exact = meaning.unit == "day" and abs(meaning.steps) <= MOST_EXACT_DAYS
        return EXACTLY if is_exact else ABOUT if meaning.unit != "weekend" else _if(today < _SATURDAY)
    if meaning.unit == "weekday":
        return _if(_is_in_another_week(meaning, day))
    if meaning.unit == "week":
        # Many people's week begins on Sunday.
        return _if(today != _SUNDAY or meaning.steps > 0)
    if meaning.unit == "weekend" and meaning.steps >= 0:
        # On a Monday, "this weekend" may be the one that was; before a weekend, "next weekend" may be that one or the one after.
        return _if(today >= (_SATURDAY if meaning.steps else _WEDNESDAY))
    return EXACTLY


def _if(is_sure: bool) -> str:
    return EXACTLY if is_sure else UNSURE


def _is_in_another_week(meaning: Meaning, day: date) -> bool:
    """Whether the weekday nearest to a day, in the direction that is meant, is not in the day's own week, nor the day next to it."""
    nearest = meaning._replace(steps=1 if meaning.steps > 0 else -1).seen_from(day)
    if nearest is None:
        return False
    monday = day - timedelta(day.weekday())
    away = (nearest.first - day).days
    return abs(away) > 1 and not 0 <= (nearest.first - monday).days <= _SUNDAY


def _is_quoted(text: str, start: int) -> bool:
    """Whether a place lies within quotation marks or a quoted mail: what somebody said may have been said on another day."""
    return text.startswith(">") or sum(map(text[:start].count, _QUOTES)) % 2 == 1


def _is_in_address(text: str, relative: RelativeDate) -> bool:
    """Whether a phrase is a part of a link or of a tag, as in "example.org/last-week"."""
    start = text.rfind(" ", 0, relative.start) + 1
    end = text.find(" ", relative.end)
    return not _ADDRESS_MARKS.isdisjoint(text[start : end if end >= 0 else len(text)])
