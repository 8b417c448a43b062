"""Finds the sentence that says what a question asks, by the words of both: for a model that reads over it."""

from __future__ import annotations

from datetime import date

from noderag_local.aggregation.plan import Stems, subjects
from noderag_local.text.stems import question_stems


def tells(question: str, today: date, sentence: str, title: str) -> bool:
    """Returns whether a sentence has every name of a question and all other words that matter, or words for the same.

    On the page about a person or thing the sentence need not repeat the name, but then has to have two such words at least.

    Args:
        question: the question in the user's own words.
        today: day that "last week" in the question is seen from.
        sentence: a sentence of the notes.
        title: title of its document.
    """
    held, page = _stems(sentence), list(question_stems(title).values())
    for names, words in subjects(question, today):
        named = [stems for name in names for stems in question_stems(name).values()]
        others = [stems for stems in words if not any(stems & of_name for of_name in named)]
        if not named or not others or not all(stems & held for stems in others):
            continue
        is_page = bool(page) and all(any(word & stems for stems in named) for word in page)
        around = held.union(*page) if is_page and len(others) > 1 else held
        if all(stems & around for stems in named):
            return True
    return False


def _stems(text: str) -> Stems:
    return frozenset[str]().union(*question_stems(text).values())
