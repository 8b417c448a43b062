"""Finds words such as "since" and "until" at a date of a question, which ask for the days before or after it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

from noderag_local.aggregation.asked_day_words import any_phrase, day_phrases
from noderag_local.aggregation.question_phrases import WORD, without_article, words_of
from noderag_local.aggregation.tense import Tense
from noderag_local.text.dates.calendar_names import full_months, weekday_numbers
from noderag_local.text.dates.days import OLDEST_YEAR, Days

YEARS_AHEAD = 10
"""Years after the present one in which notes plan something."""
_MOST_BETWEEN = 4
"""Words between "since" and its date: "since the end of last May"."""
_LONGEST_BEFORE = 120
"""Characters before a date in which these words are looked for."""
_LONGEST_PART = 7
"""Most days of a part of a month that "before" may stand in front of. "Before the end of May" may mean before its first or its last day,
so it is left open."""
_KINDS = ("since", "after", "before", "until", "from", "unclear")
_DAY = timedelta(1)


class AskedDays(NamedTuple):
    """A date of a question with the words beside it."""

    start: int
    end: int
    days: Days | None
    """The days that are meant; None where the words do not decide it."""


class _Opening(NamedTuple):
    """Words before a date that tell which days beside it are meant."""

    kind: str
    start: int
    end: int
    """Place in the question behind the date and the words that belong to these."""


def opens_stretch(question: str, start: int, end: int, language: str) -> bool:
    """Returns whether words right before a place of a question ask for the days beside the date that stands there.

    Args:
        question: the question in the user's own words.
        start: where the date begins.
        end: where it ends.
        language: ISO 639-1 code of the question's language.
    """
    return _opening(question, start, end, language) is not None


def with_days_beside(question: str, asked: AskedDays, language: str, today: date, tense: Tense) -> AskedDays:
    """Returns a date of a question with the words beside it and the days of both: those from 10 March on for "since 10 March".

    Args:
        question: the question in the user's own words.
        asked: the date as it stands there.
        language: ISO 639-1 code of the question's language.
        today: day on which it is asked; what was is asked about up to it, and what will be from it on.
        tense: which of both the question is about.
    """
    opening = _opening(question, asked.start, asked.end, language)
    if opening is None or asked.days is None:
        return asked
    return AskedDays(opening.start, opening.end, _beside(opening.kind, asked.days, today, tense))


def _beside(kind: str, named: Days, today: date, tense: Tense) -> Days | None:
    is_part = not named.is_whole and named.length > _LONGEST_PART
    if is_part or kind == "unclear":
        return None
    if kind in ("since", "after"):
        first = named.first if kind == "since" else named.last + _DAY
        last = today if first <= today and tense is not Tense.AHEAD else date(today.year + YEARS_AHEAD, 12, 31)
    else:
        last = named.first - _DAY if kind == "before" else named.last
        first = today if tense is Tense.AHEAD else date(OLDEST_YEAR, 1, 1)
    return Days(first, last) if first <= last else None


def _opening(question: str, start: int, end: int, language: str) -> _Opening | None:
    """Returns the words before a date, and behind it, that tell which days beside it are meant; None without such words."""
    before = _words_before(question, start)
    words = [word for word, _ in before]
    articles, parts = ({phrase[0] for phrase in day_phrases(language, key)} for key in ("articles", "parts"))
    for count in range(min(_MOST_BETWEEN, len(words)) + 1):
        between = words[len(words) - count :]
        if not articles.union(parts, weekday_numbers()).issuperset(between):
            break
        kind, length = _kind_at_end(words[: len(words) - count], language)
        kind, behind = _with_onwards(kind, question, end, language)
        if not kind:
            continue
        at = len(words) - count - length
        is_nearby = _kind_at_end(words[:at], language, ("nearby",))[1] > 0
        is_unclear = is_nearby or not parts.isdisjoint(between) or (kind == "until" and _begins(words[:at], language))
        return _Opening("unclear" if is_unclear else kind, before[at][1], behind)
    return None


def _begins(words: Sequence[str], language: str) -> bool:
    """Returns whether words end with the beginning of a stretch, as "from March" in "from March until May"."""
    at = len(words)
    while at and (words[at - 1].isdecimal() or words[at - 1] in full_months()):
        at -= 1
    return at < len(words) and _kind_at_end(words[:at], language, ("from", "since"))[1] > 0


def _with_onwards(kind: str, question: str, end: int, language: str) -> tuple[str, int]:
    """Returns which days are meant with "on" behind the date, and the end of both.

    "From March" without it is March itself, so it has no kind; "from March on foot" is unclear.
    """
    if kind not in ("since", "from"):
        return kind, end
    if match := _onwards(language).match(question, end):
        return "since", match.end()
    if kind == "since":
        return kind, end
    is_said = any(
        words_of(question[end : end + _LONGEST_BEFORE])[: len(phrase)] == list(phrase)
        for phrase in day_phrases(language, "onwards")
    )
    return "unclear" if is_said else "", end


@cache
def _onwards(language: str) -> re.Pattern[str]:
    """Returns the pattern of "on" behind a date, with nothing behind it."""
    return re.compile(rf"\s+(?:{any_phrase(language, 'onwards')})(?!\w)(?!\s*\w)", re.IGNORECASE)


def _kind_at_end(words: Sequence[str], language: str, kinds: Sequence[str] = _KINDS) -> tuple[str, int]:
    """Returns which kind of phrase words end with, and the number of its words: the longest one; ("", 0) without one."""
    found = [
        (len(phrase), kind)
        for kind in kinds
        for phrase in day_phrases(language, kind)
        if tuple(words[-len(phrase) :]) == phrase
    ]
    length, kind = max(found, default=(0, ""))
    return kind, length


def _words_before(question: str, start: int) -> list[tuple[str, int]]:
    """The casefolded words before a place, with where they begin; none from beyond a mark but a comma, or the dot of "3. bis"."""
    found: list[tuple[str, int]] = []
    for match in reversed(list(WORD.finditer(question, max(0, start - _LONGEST_BEFORE), start))):
        between = question[match.end() : start].strip()
        if between.strip(",") and not (between == "." and match[0].isdecimal()):
            break
        found.append((without_article(match[0].casefold()), match.start()))
        start = match.start()
    return found[::-1]
