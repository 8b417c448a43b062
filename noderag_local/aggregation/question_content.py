"""Reads what a question is about: its language, its days, its names, and the words that matter, with all their forms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import cache, partial

from noderag_local.aggregation.measures import unit_of
from noderag_local.aggregation.money import SIGNS
from noderag_local.aggregation.open_stretches import AskedDays, opens_stretch, with_days_beside
from noderag_local.aggregation.parts_of_months import bare_months, parts_of_months
from noderag_local.aggregation.question_phrases import (
    LANGUAGES,
    WORD,
    Phrases,
    in_notes,
    other_forms,
    phrases,
    without_article,
    words_of,
)
from noderag_local.aggregation.rolling_stretches import rolling_stretches
from noderag_local.aggregation.tense import asked_dates, tense_of, without_spans
from noderag_local.text.capitals import capitalised_runs
from noderag_local.text.dates.dates_in_text import said_dates
from noderag_local.text.dates.days import Days
from noderag_local.text.interrogatives import interrogatives
from noderag_local.text.stems import question_stems, stemmer, without_accents
from noderag_local.text.stopwords import stop_words

ASKING = ("asks_when", "asks_what", "asks_other", "list")
"""Keys of the words by which a clause shows that it asks."""
_PARTS = re.compile(
    r"(?<=[.;:!?…])\s+|\s[–—-]{1,2}\s|,\s+(?=(?:so|but|and|then|also|aber|und|deshalb|daher|donc|alors|mais|así que|pero|entonces)\b)",
    re.IGNORECASE,
)
"""Ends a clause in which a question need not stand yet."""
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_BEGINS_NAME = re.compile(r"\s[A-Z]\w")
"""Behind "by May" of "books by May Sarton"."""
_CENTURY = 100
_LONGEST_UNIT = 20
"""Characters behind a number in which its unit stands."""
MOST_TERSE_WORDS = 8
MOST_YEARS_BACK = 20
"""Years in which a bare month is looked for, from the latest one that has begun."""
Stems = frozenset[str]
"""The stems under which a sentence may have one word of a question."""


def languages_of(question: str) -> list[str]:
    """Returns the languages most of whose stop words the question has: its few words are too few for a classifier."""
    words = words_of(question)
    named = {word for run in capitalised_runs(question) for word in words_of(" ".join(run))}
    votes = {language: _votes(words, named, language) for language in LANGUAGES}
    return [language for language, count in votes.items() if count == max(votes.values())]


def _votes(words: Sequence[str], named: set[str], language: str) -> int:
    known = phrases(language)
    asking = (
        known.single("asks_when") | known.single("asks_what") | known.single("asks_other") | interrogatives(language)
    )
    return sum((word in stop_words(language) and word not in named) + (word in asking) for word in words)


def split_off_asking(question: str, known: Phrases) -> tuple[str, str]:
    """Returns what stands around the last clause that asks, and this clause: "I want to thank Ana, so" "when did I see her?"."""
    parts = [part for part in _PARTS.split(question) if part.strip()]
    asking = [part for part in parts if any(known.has(key, words_of(part)) for key in ASKING)] or parts
    last = asking[-1] if asking else ""
    return " ".join(part for part in parts if part is not last), last


def without_dates(question: str, known: Phrases, today: date) -> tuple[str, set[Days | None]]:
    """Returns the question without the dates in it, and the days that they mean; a bare month is the latest that has begun.

    A number of four digits is a year where a word such as "in" stands before it, and nothing else is a date. "Since May" means
    the days from then on. None stands for days that the words leave open: "the week before 3 May".
    """
    dates = _dates_in(question, known, today)
    tense = tense_of(question, [one[:2] for one in dates], known.language)
    asked = [with_days_beside(question, one, known.language, today, tense) for one in dates]
    return without_spans(question, [one[:2] for one in asked]), {one.days for one in asked}


def with_days(question: str, today: date) -> str:
    """Returns the question with the days that its dates mean behind them: "last month (2026-10-01 to 2026-10-31)".

    Args:
        question: in the user's own words.
        today: day that "last month" is seen from.
    """
    readings = (dates_in(question, phrases(language), today) for language in languages_of(question))
    for _, end, days in reversed(next(filter(None, readings), [])):
        told = days.first.isoformat() if days.length == 1 else f"{days.first} to {days.last}"
        question = f"{question[:end]} ({told}){question[end:]}"
    return question


def with_years(question: str, today: date, is_told: Callable[[Days], bool]) -> str:
    """Returns a question with the years of bare months of which the latest is not in the notes: "in March" as "in March 2024".

    Args:
        question: in the user's own words.
        today: day on which the question is asked.
        is_told: tells whether the notes have anything that was written in a month.
    """
    if said_dates(question, today):
        return question
    known = (phrases(language).single("in_month") for language in languages_of(question))
    found = list(parts_of_months(question)) or next(
        filter(None, (list(bare_months(question, one, WORD)) for one in known)), []
    )
    language = next(iter(languages_of(question)), LANGUAGES[0])
    for one in reversed([one for one in found if not one.year]):
        # "Since March" is meant from the latest one on, even if nothing was written in it.
        if opens_stretch(question, one.start, one.end, language):
            continue
        latest = one.seen_from(today).first.year
        years = range(latest, latest - MOST_YEARS_BACK, -1)
        year = next((year for year in years if is_told(one.in_year(year))), latest)
        if year != latest:
            question = f"{question[: one.end]} {year}{question[one.end :]}"
    return question


def dates_in(question: str, known: Phrases, today: date) -> list[tuple[int, int, Days]]:
    """Returns (start, end, days) of the dates in a question, in their order."""
    return [(start, end, days) for start, end, days in _dates_in(question, known, today) if days]


def _dates_in(question: str, known: Phrases, today: date) -> list[AskedDays]:
    """The dates in a question, in their order, with times that it leaves open: "the last few weeks"."""
    found = [AskedDays(one.start, one.end, one.seen_from(today)) for one in parts_of_months(question)]
    opens = partial(opens_stretch, question, language=known.language)
    whole = (AskedDays(one.start, one.end, one.days) for one in asked_dates(question, known.language, today, opens))
    for one in (*whole, *rolling_stretches(question, known.language, today)):
        if not any(other.start < one.end and one.start < other.end for other in found):
            found.append(one)
    bare = (AskedDays(*one) for one in _bare_dates(question, known, today))
    return sorted(found, key=lambda one: one.start) or list(bare)


def _bare_dates(question: str, known: Phrases, today: date) -> Iterator[tuple[int, int, Days]]:
    """Yields (start, end, days) of the months and years that a word such as "in" stands before, in their order."""
    months = bare_months(
        question,
        known.single("in_month"),
        WORD,
        lambda start, end: (
            opens_stretch(question, start, end, known.language) and not _BEGINS_NAME.match(question, end)
        ),
    )
    found = [(one.start, one.end, one.seen_from(today)) for one in months]
    before = ""
    for match in WORD.finditer(question):
        word = match[0].casefold()
        is_year = _YEAR.fullmatch(word) and int(word) <= today.year + 1
        is_named = before in known.single("in_year") or (is_year and _is_year_beside(question, match, known))
        if is_year and is_named and (days := Days.of(int(word))):
            found.append((*match.span(), days))
        before = word
    yield from sorted(found)


def _is_year_beside(question: str, number: re.Match[str], known: Phrases) -> bool:
    """Whether a number of four digits is a year behind a word such as "before"; "up to 2000" and "bis 1990 EUR" are amounts."""
    behind = question[number.end() : number.end() + _LONGEST_UNIT].strip(" ")
    unit = words_of(behind)[:1] if behind[:1].isalpha() else []
    is_amount = behind.startswith(tuple(SIGNS)) or bool(unit and unit_of(unit[0])) or not int(number[0]) % _CENTURY
    return not is_amount and opens_stretch(question, *number.span(), known.language)


def names_in(question: str, content: set[str], known: Phrases) -> tuple[str, ...]:
    """Returns the capitalised runs that are names, in some of the words that matter: the first word of a question has a capital letter without being one."""
    names: list[str] = []
    for run in capitalised_runs(question):
        opens = question.lstrip(" ¿¡\"'").startswith(run[0]) and run[0].casefold() in known.cues
        kept = [word for word in (run[1:] if opens else run) if not _is_noun(word.casefold(), known)]
        name = " ".join(kept).rstrip(".")
        if content & set(words_of(name)):
            names.append(name)
    return tuple(names)


def _is_noun(word: str, known: Phrases) -> bool:
    """Whether a capitalised word is a noun of German, or one of a title: "Abreise", "Project"."""
    is_known = any(word in forms for forms in other_forms()) or word in known.texts["journeys"].split()
    return is_known or word in in_notes("generic")


def wanted_words(question: str, known: Phrases, language: str, alike: Sequence[Stems]) -> tuple[tuple[str, Stems], ...]:
    """Returns the words of a question that matter, in its order, with their stems.

    Args:
        question: the question without its dates.
        known: phrases of its language.
        language: ISO 639-1 code.
        alike: groups of words that stand for one another.
    """
    ignored = known.single("ignored") | interrogatives(language) | stop_words(language) | stop_words("en")
    found = ((without_article(word), stems) for word, stems in question_stems(question).items())
    return tuple((word, with_other_forms(word, stems, language, alike)) for word, stems in found if word not in ignored)


def stems_in_all(word: str) -> Stems:
    """Returns the stems of one word in all languages that have phrases; stop words have them, too: a van is no Dutch preposition."""
    return frozenset((without_accents(word), *(stemmer(language)(word) for language in LANGUAGES)))


def with_other_forms(word: str, stems: Stems, language: str, alike: Sequence[Stems]) -> Stems:
    """Returns the stems of a word with those of words that stand for the same, which no stemmer brings together: "swam" and "jogging"."""
    return stems.union(
        *(stems_of_forms(forms) for forms in alike if stemmer(language)(word) in _own_stems(forms, language))
    )


@cache
def _own_stems(words: frozenset[str], language: str) -> Stems:
    return frozenset(map(stemmer(language), words))


@cache
def stems_of_forms(words: frozenset[str]) -> Stems:
    """Returns the stems of a group of words that stand for one another."""
    return frozenset[str]().union(*question_stems(" ".join(sorted(words))).values())


def is_terse(words: Sequence[str], known: Phrases) -> bool:
    """Returns whether a question is a few words without a verb, "number of runs": nobody but the one who asks can be meant."""
    asks = known.first(("asks_when", "asks_what", "asks_other"), words)
    is_question = asks != "" and not (known.has("count", words) or known.has("count_items", words))
    return len(words) <= MOST_TERSE_WORDS and not is_question and not known.has("auxiliaries", words)
