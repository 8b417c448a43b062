"""Marks answers as they are shown to people: right, wrong, half right, or rightly left open.

The form of the expected answer decides how an answer is read: a list by the F1 of the names in it, a number by the numbers in
it, everything else by whether it occurs, and no wrong answer of the question beside it. A question without an answer wants an
abstention.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date

from noderag_local.aggregation.money import written_numbers
from noderag_local.evaluation.metrics import normalise
from noderag_local.evaluation.questions import EvalQuestion
from noderag_local.generation.citing.markers import MARKER
from noderag_local.text.dates.dates_in_text import written_dates
from noderag_local.text.languages import language_of
from noderag_local.text.letters import JOINED
from noderag_local.text.number_words import SMALL_NUMBERS

WITH_OTHERS = 0.5
"""Mark of an answer that names the right and a wrong one."""

_NUMBER = re.compile(r"\d+")
_NUMERAL = r"[\d〇零一二三四五六七八九十百千万萬億亿]"
_SPACED = rf"[^\s{JOINED}]"
_POINT = "¤"
"""Stands for the decimal point, which `normalise` would take away: 1.5 has no 5 in it."""
_OUTDATED = re.compile(r"\b(?:no longer|not|instead of|rather than|formerly|earlier)\b[^.,;]*", re.IGNORECASE)
"""Finds the names that an answer mentions only to say that they no longer hold."""


def answer_mark(question: EvalQuestion, answer: str, abstained: bool) -> float:
    """Returns the mark of an answer, between 0 and 1.

    Args:
        question: with its answers, or none if the notes do not contain it.
        answer: as shown, with markers of sources.
        abstained: whether the answer says that the notes do not contain it.
    """
    if question.is_unanswerable:
        return float(abstained)
    if abstained:
        return 0.0
    text = MARKER.sub(" ", answer)
    if question.listed:
        return _f1_of_names(text, question)
    if question.answers[0].isdecimal():
        return _mark_of_numbers(text, question)
    if not any(_names(text, one, question) for one in question.answers):
        return 0.0
    valid = _OUTDATED.sub(" ", text)
    wrong = (one for one in question.others if not _says(question.question, one, question) or len(question.others) == 1)
    return WITH_OTHERS if any(_names(valid, one, question) for one in wrong) else 1.0


def _f1_of_names(text: str, question: EvalQuestion) -> float:
    named = {one for one in (*question.listed, *question.others) if _names(text, one, question)}
    right = len(named & set(question.listed))
    return 2 * right / (len(named) + len(question.listed)) if right else 0.0


def _mark_of_numbers(text: str, question: EvalQuestion) -> float:
    language = language_of(question.question)
    wanted = {one for one in question.answers if one.isdecimal()}
    in_words = set(question.answers) - wanted
    said = list(_said_numbers(text, language))
    if not any(wanted & numbers for numbers in said) and not any(_names(text, one, question) for one in in_words):
        return 0.0
    # Numbers of the question, and of an answer in words, are no other answers.
    told = (question.question, *in_words)
    known = wanted.union(*(one for text_of_it in told for one in _said_numbers(text_of_it, language)))
    return WITH_OTHERS if any(numbers - known and not numbers & wanted for numbers in said) else 1.0


def _said_numbers(text: str, language: str) -> Iterator[frozenset[str]]:
    """Yields each number of a text alone, and the numbers of a date together: those beside the year are no other years."""
    end = 0
    for said in sorted(written_dates(text, None, language)):
        yield from _numbers_between_dates(text[end : said.start])
        yield frozenset(_digits(found) for found in _NUMBER.findall(text[said.start : said.end]))
        end = said.end
    yield from _numbers_between_dates(text[end:])


def _numbers_between_dates(text: str) -> Iterator[frozenset[str]]:
    """Yields the numbers of a text, "3.5" as one; of a time of day, its two numbers."""
    others, end = [], 0
    for one in written_numbers(text):
        digits = text[one.start : one.end].strip("-.,'’")
        # A postal code or the number of a telephone is a text, and so is its zero.
        yield frozenset([digits if digits.isdecimal() and digits[0] == "0" else f"{one.value.normalize():f}"])
        others.append(text[end : one.start])
        end = one.end
    rest = " ".join([*others, text[end:]])
    yield from (frozenset([_digits(found)]) for found in _NUMBER.findall(rest))
    yield from (frozenset([str(SMALL_NUMBERS[word])]) for word in normalise(rest).split() if word in SMALL_NUMBERS)


def _digits(found: str) -> str:
    """Returns the digits of a part of a date, of a time or of a name, without zeros before them."""
    return str(int(found))


def _names(text: str, name: str, question: EvalQuestion) -> bool:
    """Returns whether a text has a name, or the first name of a person if nobody else in the question's answers has it."""
    if _says(text, name, question):
        return True
    words = name.split()
    if len(words) != 2 or not all(word[:1].isupper() for word in words):
        return False
    alike = [one for one in _all_names(question) if one.split()[:1] == words[:1]]
    return len(set(alike)) == 1 and _says(text, words[0], question)


def _all_names(question: EvalQuestion) -> Iterable[str]:
    return (*question.answers, *question.listed, *question.others)


def _says(text: str, name: str, question: EvalQuestion) -> bool:
    """Returns whether a text has a name at a place where it has no longer name of the question."""
    language = language_of(question.question)
    wanted = list(written_dates(name, None, language))
    # Whoever answers "16 December" in a note of December 2025 means that year.
    day = wanted[0].days.first if len(wanted) == 1 else None
    said, sought = _plain(text, language, day), _plain(name, language).strip()
    others = {_plain(one, language).strip() for one in _all_names(question)}
    for longer in sorted((one for one in others if len(one) > len(sought) and sought in one), key=len, reverse=True):
        said = _whole(longer).sub(" | ", said)
    return bool(sought) and _whole(sought).search(said) is not None


def _whole(name: str) -> re.Pattern[str]:
    """Finds a normalised name as whole words; in scripts without spaces anywhere, but no number inside a longer one."""
    before = "".join(f"(?<!{kind})" for kind in (_NUMERAL, _SPACED) if re.match(kind, name))
    after = "".join(f"(?!{kind})" for kind in (_NUMERAL, _SPACED) if re.search(f"{kind}$", name))
    return re.compile(before + re.escape(name) + after)


def _plain(text: str, language: str, day: date | None = None) -> str:
    """Returns a text normalised, between spaces, with days, months and other numbers written in one way.

    Args:
        text: the text.
        language: ISO 639-1 code, which tells the day from the month in "12/08/2025".
        day: day near which those without a year are.
    """
    parts, end = [], 0
    for said in sorted(written_dates(text, day, language)):
        parts += [_with_plain_numbers(text[end : said.start]), f" {said.days} "]
        end = said.end
    return f" {normalise(''.join([*parts, _with_plain_numbers(text[end:])]))} "


def _with_plain_numbers(text: str) -> str:
    """Returns a text with "1.250,00" and "1 250 €" as 1250."""
    parts, end = [], 0
    for one in written_numbers(text):
        parts += [text[end : one.start], f"{one.value.normalize():f}".replace(".", _POINT), " "]
        end = one.end
    return "".join([*parts, text[end:]])
