"""Tells which operations cannot answer a question because of words such as "not", "except", "or" and "will"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from noderag_local.aggregation.operation_cues import COMPARISONS, Operation
from noderag_local.aggregation.question_content import Stems
from noderag_local.aggregation.question_phrases import Phrases, is_any
from noderag_local.aggregation.tense import tells_of_past

_PAST = frozenset({Operation.COUNT, Operation.SUM, Operation.MEASURED_SUM, Operation.BOUGHT})
"""Operations that tell what was done, and not what is still to be done."""
_DONE = _PAST | {Operation.AVERAGE, Operation.EXTREME, Operation.WHEN, Operation.FIRST, Operation.LAST}
"""Operations on everything that was done; they cannot answer what was not done."""
_OF_ALL = _DONE | {Operation.COMPARED, Operation.SAID_ON_DAY, Operation.SAID_IN_TIME}
"""Operations that know no exception."""
_EITHER = _OF_ALL - {Operation.SAID_ON_DAY}
"""Operations that look for all words of the question, and not for some of them."""
_NO_DENIAL = frozenset(
    """statt cancelled canceled abgesagt annulé annulée annulés annulées cancelado cancelada cancelados canceladas""".split()
)
"""Words that deny something in a note and nothing in a question: "fand das Treffen statt", "how often was it cancelled"."""


def refused_operations(words: Sequence[str], known: Phrases) -> frozenset[Operation]:
    """Returns the operations whose result would be no answer to a question.

    Args:
        words: casefolded words of the question.
        known: phrases of its language.
    """
    refused = frozenset[Operation]()
    if known.has("except", words):
        refused |= _OF_ALL
    asked = _asked(words, known)
    if _denies(asked, known):
        refused |= _DONE
    if known.has("ahead", asked) and not tells_of_past(asked, known.language):
        refused |= _PAST
    if known.has("how_long", words):
        # "How much time did I spend at the pool?"
        refused |= {Operation.SUM}
    if known.has("a_period", words) or known.has("last", words):
        # "How often a week did I swim?" and "How many days since I last swam?" ask for no number of times.
        refused |= {Operation.COUNT}
    return refused


def refuses_either(
    operation: Operation, words: Sequence[str], wanted: Sequence[tuple[str, Stems]], known: Phrases
) -> bool:
    """Returns whether an operation that looks for all words is asked for one thing or another.

    Args:
        operation: the operation.
        words: casefolded words of the question.
        wanted: those that matter, with their stems.
        known: phrases of its language.
    """
    return operation in _EITHER and is_either(words, wanted, known)


def is_either(words: Sequence[str], wanted: Sequence[tuple[str, Stems]], known: Phrases) -> bool:
    """Returns whether "or" joins different things: "leeks or walnuts"; "run or jog" is one. Arguments as for `refuses_either`."""
    stems = dict(wanted)
    for at, word in enumerate(words):
        if word in known.single("or"):
            before = next((stems[one] for one in reversed(words[:at]) if one in stems), None)
            behind = next((stems[one] for one in words[at + 1 :] if one in stems), None)
            if before and behind and before.isdisjoint(behind):
                return True
    return False


def _asked(words: Sequence[str], known: Phrases) -> list[str]:
    """The words from the first one that asks, or all: "I'm not sure how often I swam" and "Can you tell me …" say so before it."""
    asking = frozenset[str]().union(*map(known.single, ("asks_when", "asks_what", "asks_other", "list")))
    words = known.without("forgotten", words)
    return words[next((at for at, word in enumerate(words) if word in asking), 0) :]


def _denies(words: Sequence[str], known: Phrases) -> bool:
    for key in COMPARISONS:
        # "No more than 5" denies nothing.
        words = known.without(key, words)
    # "Room no. 5".
    told = [
        word for word, behind in zip_longest(words, words[1:], fillvalue="") if word != "no" or not behind.isdecimal()
    ]
    return is_any(told, known.single("negated") - _NO_DENIAL)
