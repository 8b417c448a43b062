"""Reads from a question what is to be computed: the operation, what it is about, and the days."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cache
from itertools import pairwise

from noderag_local.aggregation.question_phrases import (
    LANGUAGES,
    WORD,
    Phrases,
    in_notes,
    near_forms,
    other_forms,
    phrases,
    words_of,
)
from noderag_local.text.capitals import capitalised_runs
from noderag_local.text.dates.calendar_names import full_months
from noderag_local.text.dates.dates_in_text import said_dates
from noderag_local.text.dates.days import Days
from noderag_local.text.interrogatives import interrogatives
from noderag_local.text.stems import question_stems, stemmer
from noderag_local.text.stopwords import stop_words

MOST_TERSE_WORDS = 8
ASKING = ("asks_when", "asks_what", "asks_other", "list")
"""Keys of the words by which a clause shows that it asks."""
_PARTS = re.compile(
    r"(?<=[.;:!?…])\s+|\s[–—-]{1,2}\s|,\s+(?=(?:so|but|and|then|also|aber|und|deshalb|daher|donc|alors|mais|así que|pero|entonces)\b)",
    re.IGNORECASE,
)
"""Ends a clause in which a question need not stand yet."""
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
    """What a question may ask to be computed."""

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
    kinds: tuple[str, ...]
    """Words that may say what is listed, the likeliest first: "recipes" of "Which recipes use leeks?"."""
    is_own: bool
    """Whether the question is about the one who asks: "When did I …". Their notes tell of the day that they are written on."""
    days: Days | None = None
    """Days that the question limits itself to."""
    options: tuple[str, ...] = ()
    """What is compared: "A" and "B" in "Which came first, A or B?"."""


def plans(question: str, today: date) -> Iterator[Plan]:
    """Yields what a question may ask to be computed, the likeliest first; nothing where it asks for nothing of the kind.

    The words of a question seldom decide alone. So each operation refuses a plan that the notes do not bear out.

    Args:
        question: the question in the user's own words, in English, German, French or Spanish.
        today: day that "last week" in the question is seen from.
    """
    for language in _languages_of(question):
        known = phrases(language)
        undated, days = _without_dates(question, known, today)
        if len(days) > 1:
            return
        for version in _versions(known.rephrased(undated), known):
            for operation in dict.fromkeys(_operations(words_of(version), known, next(iter(days), None))):
                yield _plan(operation, language, version, next(iter(days), None))


def subjects(question: str, today: date) -> Iterator[tuple[tuple[str, ...], list[Stems]]]:
    """Yields the names in a question and the stems of its words that matter, for the whole question and for its last clause.

    Arguments as for `plans`.
    """
    for language in _languages_of(question)[:1]:
        known = phrases(language)
        for version in _versions(_without_dates(question, known, today)[0], known):
            wanted = _wanted(version, known, language, other_forms())
            yield _names(version, {word for word, _ in wanted}, known), [stems for _, stems in wanted]


def _versions(question: str, known: Phrases) -> Iterator[str]:
    """Yields a question, and again without what leads to it: "I want to thank Ana, so when did I last see her?".

    The names of what is left out stay, since the rest may speak of them by pronouns.
    """
    yield question
    parts = [part for part in _PARTS.split(question) if part.strip()]
    asking = [part for part in parts if any(known.has(key, words_of(part)) for key in ASKING)] or parts
    if len(parts) > 1:
        before = " ".join(part for part in parts if part is not asking[-1])
        names = (" ".join(run) for run in capitalised_runs(before))
        yield ", ".join((asking[-1].rstrip(" ?.!"), *names)) + "?"


def _plan(operation: Operation, language: str, undated: str, days: Days | None) -> Plan:
    known = phrases(language)
    words = words_of(undated)
    wanted = _wanted(undated, known, language, (*other_forms(), *near_forms()))
    content = {word for word, _ in wanted}
    return Plan(
        operation,
        known,
        language,
        wanted,
        _names(undated, content, known),
        tuple(words),
        _kinds(words, known),
        known.has("own", words) or _is_terse(words, known),
        days,
        _options(undated, known) if operation in (Operation.SOONER, Operation.LATER) else (),
    )


def _names(question: str, content: set[str], known: Phrases) -> tuple[str, ...]:
    """Returns the capitalised runs that are names: the first word of a question has a capital letter without being one."""
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


def _is_terse(words: Sequence[str], known: Phrases) -> bool:
    """Whether a question is a few words without a verb, "number of runs": nobody but the one who asks can be meant."""
    asks = known.first(("asks_when", "asks_what", "asks_other"), words)
    is_question = asks != "" and not (known.has("count", words) or known.has("count_items", words))
    return len(words) <= MOST_TERSE_WORDS and not is_question and not known.has("auxiliaries", words)


def _languages_of(question: str) -> list[str]:
    """Returns the languages most of whose stop words the question has: its few words are too few for a classifier."""
    words = words_of(question)
    named = {word for run in capitalised_runs(question) for word in words_of(" ".join(run))}
    votes = {language: _votes([word for word in words if word not in named], language) for language in LANGUAGES}
    return [language for language, count in votes.items() if count == max(votes.values())]


def _votes(words: Sequence[str], language: str) -> int:
    known = phrases(language)
    asking = known.single("asks_when") | known.single("asks_what") | known.single("asks_other")
    return sum((word in stop_words(language)) + (word in asking) for word in words)


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


def _operations(words: Sequence[str], known: Phrases, days: Days | None) -> Iterator[Operation]:
    """Yields the operations that the words of a question may ask for, the likeliest first."""
    asks = known.first(("asks_when", "asks_what", "asks_other"), words)
    if known.has("tasks", words):
        yield Operation.TASKS
    if asks == "asks_what" or known.has("agenda", words):
        if known.has("day_before", words):
            yield Operation.DAY_BEFORE
        if known.has("day_after", words):
            yield Operation.DAY_AFTER
    yield from _of_amounts(words, known)
    if days and known.has("agenda", words):
        yield Operation.AGENDA
    yield from _of_days(words, known, asks)
    asks_people = known.has("who", words) or asks in ("asks_what", "")
    if asks_people and (known.has("member_words", words) or known.has("attend_words", words)):
        yield Operation.MEMBERS
    if days and days.length == 1 and not known.has("beside_day", words):
        yield Operation.SAID_ON_DAY
    elif asks in ("asks_what", "") and not known.has("negated", words):
        yield Operation.LIST
    yield Operation.NEWEST


def _of_amounts(words: Sequence[str], known: Phrases) -> Iterator[Operation]:
    """Yields counts and sums. "How often should I …" asks for neither."""
    counted, items = known.end_of("count", words), known.end_of("count_items", words)
    if any(end is not None and set(words[end : end + 1]) & known.single("habit") for end in (counted, items)):
        return
    if counted is not None or (items is not None and known.has("activities", words)):
        yield Operation.COUNT
    if items is not None:
        yield Operation.COUNT_ITEMS
    asks_amount = known.has("sum", words) or known.has("price", words)
    if known.has("sum_of", words) or (asks_amount and known.has("spending", words)):
        yield Operation.SUM


def _of_days(words: Sequence[str], known: Phrases, asks: str) -> Iterator[Operation]:
    """Yields orders and days."""
    if asks in ("asks_what", "") and known.has("sooner", words):
        yield Operation.SOONER
    elif asks in ("asks_what", "") and known.has("later", words):
        yield Operation.LATER
    is_last = known.has("last_time", words)
    asks_day = known.has("date_of", words) or (asks == "" and known.has("date_bare", words))
    if asks_day or (asks == "asks_when" and (is_last or not known.has("when_not", words))):
        if is_last or known.has("last", words):
            yield Operation.LAST
        else:
            asks_first = _asks_first(words, known)
            if asks_first or not known.has("first", words):
                yield Operation.FIRST if asks_first else Operation.WHEN


def _asks_first(words: Sequence[str], known: Phrases) -> bool:
    """Whether "first" tells when, as in "when did I first …", and not which, as in "when did I buy my first …"."""
    first, determiners = known.single("first"), known.single("determiners")
    plain = (word for before, word in pairwise(("", *words)) if before not in determiners)
    return known.has("first_time", words) or any(word in first for word in plain)


def _wanted(question: str, known: Phrases, language: str, alike: Sequence[Stems]) -> tuple[tuple[str, Stems], ...]:
    ignored = known.single("ignored") | interrogatives(language) | stop_words(language) | stop_words("en")
    found = ((word, stems) for word, stems in question_stems(question).items() if word not in ignored)
    return tuple((word, with_other_forms(word, stems, language, alike)) for word, stems in found)


def with_other_forms(word: str, stems: Stems, language: str, alike: Sequence[Stems]) -> Stems:
    """Returns the stems of a word with those of words that stand for the same, which no stemmer brings together: "swam" and "jogging"."""
    return stems.union(*(_stems_of(forms) for forms in alike if stemmer(language)(word) in _own_stems(forms, language)))


@cache
def _own_stems(words: frozenset[str], language: str) -> Stems:
    return frozenset(map(stemmer(language), words))


@cache
def _stems_of(words: frozenset[str]) -> Stems:
    return frozenset[str]().union(*question_stems(" ".join(sorted(words))).values())


def _kinds(words: Sequence[str], known: Phrases) -> tuple[str, ...]:
    """The words behind "which", "how many", "list all of" or "my", then all that look like a plural."""
    asking = (known.end_of(key, words) for key in ("count_items", "list"))
    ends = sorted(end for end in asking if end is not None)
    ends += [at + 1 for at, word in enumerate(words) if word in known.single("own")]
    behind = (next((word for word in words[end:] if word not in known.single("before_kind")), "") for end in ends)
    return tuple(dict.fromkeys(word for word in (*behind, *(word for word in words if word.endswith("s"))) if word))


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
