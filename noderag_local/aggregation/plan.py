"""Reads from a question what is to be computed: the operation, what it is about, and the days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cache

from noderag_local.aggregation.question_phrases import LANGUAGES, WORD, Phrases, phrases, words_of
from noderag_local.text.capitals import capitalised_runs
from noderag_local.text.dates.calendar_names import full_months
from noderag_local.text.dates.dates_in_text import said_dates
from noderag_local.text.dates.days import Days
from noderag_local.text.interrogatives import interrogatives
from noderag_local.text.stems import question_stems
from noderag_local.text.stopwords import stop_words

Stems = frozenset[str]
"""The stems under which a sentence may have one word of a question."""


class Operation(StrEnum):
    """What is computed."""

    COUNT = "count"
    SUM = "sum"
    WHEN = "when"
    FIRST = "first"
    LAST = "last"
    SOONER = "sooner"
    LATER = "later"
    LIST = "list"
    COUNT_ITEMS = "count items"
    MEMBERS = "members"
    NEWEST = "newest"
    TASKS = "tasks"
    AGENDA = "agenda"
    SAID_ON_DAY = "said on day"
    DAY_BEFORE = "day before"
    DAY_AFTER = "day after"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a question asks to be computed."""

    operation: Operation
    phrases: Phrases
    language: str
    """ISO 639-1 code of the question's language."""
    wanted: tuple[tuple[str, Stems], ...]
    """Content words of the question with their stems, in its order, without those that name the operation."""
    names: tuple[str, ...]
    """Names in the question, as it writes them."""
    words: tuple[str, ...]
    """All words of the question, casefolded."""
    kind: str
    """Word for what is listed, which stands behind "which" or "how many": "recipes"; "" if there is none."""
    is_own: bool
    """Whether the question is about the one who asks: "When did I …". Their notes tell of the day that they are written on."""
    days: Days | None = None
    """Days that the question limits itself to."""
    options: tuple[str, ...] = ()
    """What is compared: "A" and "B" in "Which came first, A or B?"."""


def planned(question: str, today: date) -> Plan | None:
    """Returns what a question asks to be computed; None where it asks for nothing of the kind.

    Args:
        question: the question in the user's own words, in English, German, French or Spanish.
        today: day that "last week" in the question is seen from.
    """
    for language in _languages_of(question):
        known = phrases(language)
        undated, days = _without_dates(question, known, today)
        words = words_of(undated)
        if len(days) > 1:
            return None
        operation = _operation(words, known, bool(days))
        if any(one.length == 1 for one in days) and operation in (None, Operation.LIST, Operation.NEWEST):
            operation = Operation.SAID_ON_DAY
        if operation:
            return _plan(operation, language, undated, words, next(iter(days), None))
    return None


def _plan(operation: Operation, language: str, undated: str, words: Sequence[str], days: Days | None) -> Plan:
    known = phrases(language)
    options = _options(undated, known) if operation in (Operation.SOONER, Operation.LATER) else ()
    wanted = _wanted(undated, known, language)
    content = {word for word, _ in wanted}
    return Plan(
        operation,
        known,
        language,
        wanted,
        # The first word of a question has a capital letter without being a name.
        tuple(" ".join(run) for run in capitalised_runs(undated) if content & set(words_of(" ".join(run)))),
        tuple(words),
        _kind(words, known),
        known.has("own", words),
        days,
        options,
    )


def _languages_of(question: str) -> list[str]:
    """Returns the languages most of whose stop words the question has: its few words are too few for a classifier."""
    words = words_of(question)
    votes = {language: sum(word in stop_words(language) for word in words) for language in LANGUAGES}
    return [language for language, count in votes.items() if count == max(votes.values())]


def _without_dates(question: str, known: Phrases, today: date) -> tuple[str, set[Days]]:
    """Returns the question without the dates in it, and the days that they mean; a bare month is the latest that has begun."""
    found = [(one.start, one.end, one.days) for one in said_dates(question, today)]
    if not found:
        before = ""
        for match in WORD.finditer(question):
            word = match[0].casefold()
            month = full_months().get(word)
            if month and before in known.single("in_month"):
                days = Days.of(today.year - (month > today.month), month)
                found += [(match.start(), match.end(), days)] if days else []
            before = word
    for start, end, _ in reversed(found):
        question = f"{question[:start]} {question[end:]}"
    return question, {days for *_, days in found}


def _operation(words: Sequence[str], known: Phrases, is_dated: bool) -> Operation | None:
    if known.has("tasks", words):
        return Operation.TASKS
    if known.begins("agenda", words) and known.has("day_before", words):
        return Operation.DAY_BEFORE
    if known.begins("agenda", words) and known.has("day_after", words):
        return Operation.DAY_AFTER
    if known.has("count", words):
        return None if known.has("habit", words) else Operation.COUNT
    if (known.begins("sum", words) and known.has("spending", words)) or known.has("sum_of", words):
        return Operation.SUM
    if is_dated and known.begins("agenda", words):
        return Operation.AGENDA
    if known.begins("count_items", words):
        return Operation.COUNT_ITEMS
    if known.begins("when", words):
        if known.has("last", words):
            return Operation.LAST
        return Operation.FIRST if known.has("first", words) else Operation.WHEN
    if known.has("or", words) or known.begins("did", words):
        if known.has("sooner", words):
            return Operation.SOONER
        return Operation.LATER if known.has("later", words) else None
    if known.begins("who", words) and (known.has("member_words", words) or known.has("attend_words", words)):
        return Operation.MEMBERS
    if known.begins("list", words) and not known.has("negated", words) and not known.has("newest", words):
        return Operation.LIST
    return Operation.NEWEST if known.has("newest", words) or known.has("until", words) else None


def _wanted(question: str, known: Phrases, language: str) -> tuple[tuple[str, Stems], ...]:
    ignored = known.single("ignored") | interrogatives(language)
    found = ((word, stems) for word, stems in question_stems(question).items() if word not in ignored)
    return tuple((word, _with_other_forms(stems, known)) for word, stems in found)


def _with_other_forms(stems: Stems, known: Phrases) -> Stems:
    """Adds the stems of the other forms of an irregular verb, which no stemmer brings together: "swam" to "swimming"."""
    verbs = (_stems_of(" ".join(forms)) for forms in known.words["forms"])
    return stems.union(*(verb for verb in verbs if verb & stems))


@cache
def _stems_of(words: str) -> Stems:
    return frozenset[str]().union(*question_stems(words).values())


def _kind(words: Sequence[str], known: Phrases) -> str:
    """The word behind "which", "how many" or "list all of my"."""
    asking = (phrase for key in ("count_items", "list") for phrase in known.words[key] if _begins(words, phrase))
    behind = words[len(next(asking, ())) :]
    return next((word for word in behind if word not in known.single("before_kind")), "")


def _begins(words: Sequence[str], phrase: tuple[str, ...]) -> bool:
    return tuple(words[: len(phrase)]) == phrase


def _options(question: str, known: Phrases) -> tuple[str, ...]:
    """Returns A and B of "Which did I finish first, A or B?"; nothing where the question is put otherwise."""
    for word in known.single("or"):
        left, found, right = question.rpartition(f" {word} ")
        if not found:
            continue
        asked = max(left.rfind(","), left.rfind(":"))
        option = left[asked + 1 :].strip() if asked >= 0 else ""
        other = right.strip().rstrip("?").strip(" ,")
        if option and other:
            return option, other
    return ()
