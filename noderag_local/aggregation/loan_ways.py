"""Tells which way a thing was lent: by the one who writes, or to them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from itertools import pairwise

from noderag_local.aggregation.debt_words import debt_words
from noderag_local.aggregation.question_content import Stems, stems_of_forms
from noderag_local.aggregation.question_phrases import in_notes, is_any, other_forms, words_of
from noderag_local.text.stems import all_stems
from noderag_local.text.stopwords import every_stop_word

_CLAUSE = re.compile(r"[,;:.!?]\s")


class LoanWay(StrEnum):
    """The ways of a loan, for the one who writes or asks."""

    GIVEN = "given"
    GOT = "got"


def loan_way(text: str) -> LoanWay | None:
    """Returns which way the first clause with a word for lending or borrowing tells of; None where none does so clearly.

    Args:
        text: a sentence of a note, or a question.
    """
    for clause in _CLAUSE.split(text):
        words = words_of(clause)
        at = next((at for at, word in enumerate(words) if all_stems(word) & loan_stems()), None)
        if at is not None:
            return _way(words, at)
    return None


@cache
def loan_stems() -> Stems:
    """Returns the stems of the words for lending and borrowing, in all languages."""
    return stems_of_forms(next(forms for forms in other_forms() if "lent" in forms))


def _way(words: Sequence[str], at: int) -> LoanWay | None:
    verb, behind = words[at], words[at + 1 : at + 2]
    pairs = list(pairwise(words))
    is_from_me = any(one in debt_words("from") and other in debt_words("me_behind_preposition") for one, other in pairs)
    is_to_me = not is_from_me and _is_to_me(words)
    if verb in debt_words("lends_or_borrows"):
        return _way_in_german(words, is_from_me, is_to_me)
    if verb in debt_words("loans"):
        return None
    is_mine = at == 0 or _is_mine(words[: at + 1])
    if verb in debt_words("borrows_things") or is_any(words[:at], debt_words("asks_loan")):
        # "Bruno me pidió prestado …", "Bruno m'a emprunté …".
        if is_from_me or is_to_me or is_any(behind, debt_words("by")):
            return LoanWay.GIVEN
        is_of_others = is_any(words, debt_words("from"))
        return LoanWay.GOT if is_mine else None if is_of_others else LoanWay.GIVEN
    if is_any(behind, debt_words("by")):
        return LoanWay.GOT
    if is_to_me:
        return None if is_mine else LoanWay.GOT
    is_given = is_mine or verb in debt_words("lends_out") or is_any(behind, debt_words("to") | {"out"})
    return LoanWay.GIVEN if is_given else None


def _way_in_german(words: Sequence[str], is_from_me: bool, is_to_me: bool) -> LoanWay | None:
    """The way of verbs that mean both: "mir", "von Ana" and "an Ana" tell it."""
    if is_from_me:
        return LoanWay.GIVEN
    is_from, is_to = is_any(words, frozenset({"von", "bei"})), "an" in words
    if is_to_me or (is_from and not is_to):
        return LoanWay.GOT
    return LoanWay.GIVEN if (is_to and not is_from) or "sich" in words else None


def _is_to_me(words: Sequence[str]) -> bool:
    """Whether something comes to the one who writes; "tell me" says nothing of it."""
    asking = in_notes("fillers") | in_notes("list")
    pairs = pairwise(("", *words))
    # "M'a-t-il prêté"
    return any(word.partition("-")[0] in in_notes("receivers") and before not in asking for before, word in pairs)


def _is_mine(words: Sequence[str]) -> bool:
    """Whether the one who writes does what the last word says: "I have lent", "presté", but not "I think Ana lent"."""
    mine = debt_words("i") | debt_words("i_of_loans")
    others = (
        word for word in reversed(words[:-1]) if word not in every_stop_word() or word in debt_words("third") | mine
    )
    return words[-1] in mine or next(others, "") in mine
