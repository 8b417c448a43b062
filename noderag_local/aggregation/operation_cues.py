"""Reads from the words of a question which operations it may ask for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import pairwise

from noderag_local.aggregation.measures import asked_measures, superlative_in
from noderag_local.aggregation.question_phrases import Phrases, in_notes, is_any
from noderag_local.text.dates.days import Days
from noderag_local.text.stopwords import stop_words

COMPARISONS = ("below", "at_most", "above", "at_least")
"""Keys of the words that compare with a number."""


class Operation(StrEnum):
    """The operations, each of which computes one kind of answer."""

    COUNT = "count"
    SUM = "sum"
    MEASURED_SUM = "measured sum"
    AVERAGE = "average"
    EXTREME = "extreme"
    COMPARED = "compared"
    SIDE_BY_SIDE = "side by side"
    BOUGHT = "bought"
    OWED_TO_ME = "owed to me"
    OWED_BY_ME = "owed by me"
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
    SAID_IN_TIME = "said in time"
    DAY_BEFORE = "day before"
    DAY_AFTER = "day after"


def operations_of(words: Sequence[str], known: Phrases, days: Days | None) -> Iterator[Operation]:
    """Yields the operations that the words of a question may ask for, the likeliest first."""
    asks = known.first(("asks_when", "asks_what", "asks_other"), words)
    if known.has("tasks", words):
        yield Operation.TASKS
    if known.has("difference", words):
        yield Operation.SIDE_BY_SIDE
    if asks == "asks_what" or known.has("agenda", words):
        if known.has("day_before", words):
            yield Operation.DAY_BEFORE
        if known.has("day_after", words):
            yield Operation.DAY_AFTER
    if asks in ("asks_what", "") or known.has("sum", words):
        yield from _of_debts(words, known)
    yield from _of_measures(words, known)
    amounts = tuple(_of_amounts(words, known))
    yield from amounts
    is_counted = known.has("price", words) or known.has("count_items", words)
    if asks == "asks_what" and known.has("bought", words) and not is_counted:
        yield Operation.BOUGHT
    # "What did I spend on radios in 2024?" is not answered by what a note of 2024 says of radios.
    asks_sum = Operation.SUM in amounts
    if days and known.has("agenda", words) and not asks_sum:
        yield Operation.AGENDA
    yield from _of_days(words, known, asks)
    asks_people = known.has("who", words) or asks in ("asks_what", "")
    if asks_people and any(known.has(key, words) for key in ("member_words", "attend_words", "absent_words")):
        yield Operation.MEMBERS
    if days and days.length == 1 and not known.has("beside_day", words):
        yield Operation.SAID_ON_DAY
    elif asks in ("asks_what", "") and not known.has("date_of", words):
        if not (asks_sum or known.has("bought", words)):
            yield Operation.LIST
        is_told = days and not asks_sum and asks == "asks_what" and not known.has("beside_day", words)
        if is_told and not known.has("negated", words):
            yield Operation.SAID_IN_TIME
    yield Operation.NEWEST


def _of_amounts(words: Sequence[str], known: Phrases) -> Iterator[Operation]:
    """Yields counts and sums. "How often should I …" asks for neither, and so does "how much on average"."""
    if known.has("average", words) or superlative_in(words, known):
        return
    counted, items = known.end_of("count", words), known.end_of("count_items", words)
    if any(end is not None and set(words[end : end + 1]) & known.single("habit") for end in (counted, items)):
        return
    if counted is not None or (items is not None and _are_activities(words, items, known)):
        yield Operation.COUNT
    if items is not None:
        yield Operation.COUNT_ITEMS
    asks_price = known.has("price", words)
    # "When were we last together, what date?" adds nothing up.
    if known.has("date_of", words) or known.has("date_bare", words):
        return
    if asks_price or known.has("sum_of", words) or (known.has("sum", words) and known.has("spending", words)):
        yield Operation.SUM


def _are_activities(words: Sequence[str], behind: int, known: Phrases) -> bool:
    """Whether the noun that is counted is an activity, "how many of my long runs": "how many people went swimming" counts people.

    Args:
        words: casefolded words of the question.
        behind: where "how many" ends in them.
        known: phrases of the question's language.
    """
    activities, light = known.single("activities"), stop_words(known.language) | known.single("before_kind")
    # "Swims in March, how many?"
    counted = words if light.issuperset(words[behind:]) else words[behind:]
    start = next((at for at, word in enumerate(counted) if word not in light), len(counted))
    first = next((at for at in (start, start + 1) if is_any(counted[at : at + 1], activities)), None)
    if first is None:
        return False
    last = next((at for at in range(first, len(counted)) if counted[at] not in activities), len(counted))
    # "How many swimming lengths" counts lengths, and "how many friends swimming there" friends.
    is_noun = not counted[last - 1].endswith("ing")
    return is_noun or (first == start and light.issuperset(counted[last : last + 1]))


def _of_debts(words: Sequence[str], known: Phrases) -> Iterator[Operation]:
    """Yields who owes whom, where one of both is the one who asks."""
    if known.has("owed_to_me", words):
        yield Operation.OWED_TO_ME
    elif known.has("owed_by_me", words):
        yield Operation.OWED_BY_ME


def compares(words: Sequence[str], known: Phrases) -> bool:
    """Returns whether a question compares with a number: "under 45 minutes"."""
    return any(known.has(key, words) for key in COMPARISONS) and any(word[0].isdigit() for word in words)


def _of_measures(words: Sequence[str], known: Phrases) -> Iterator[Operation]:
    """Yields comparisons, averages, extremes and sums of what can be measured: "my longest run", "how many km did I swim".

    "How far can I swim?" asks for none of what was measured.
    """
    if compares(words, known):
        yield Operation.COMPARED
    if known.has("average", words):
        yield Operation.AVERAGE
        return
    others = ("one_of", "count_items", "why", "asks_person")
    if superlative_in(words, known) and not any(known.has(key, words) for key in others):
        yield Operation.EXTREME
        return
    is_sum = any(known.has(key, words) for key in ("count_items", "sum", "sum_of", "how_far", "how_long"))
    is_other = any(known.has(key, words) for key in ("habit", "count", "why"))
    if is_sum and known.has("own", words) and not is_other and asked_measures(words, known):
        yield Operation.MEASURED_SUM


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
            # The last deadline is the newest one.
            if not is_any(words, in_notes("until_labels")):
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
