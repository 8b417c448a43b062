"""Decides which questions are worth rewording, and whether a reworded question still asks the same.

The rules of this package know the usual words of a question. A language model can put an unusual one into usual words:
"During May, on how many occasions did I engage in running?" becomes "How often did I run in May?".
"""

from __future__ import annotations

from datetime import date

from noderag_local.aggregation.entries import Entries
from noderag_local.aggregation.question_content import languages_of, without_dates
from noderag_local.aggregation.question_phrases import kin_forms, phrases, words_of
from noderag_local.aggregation.question_subject import QuestionSubject
from noderag_local.aggregation.telling import asks_for_several
from noderag_local.text.capitals import capitalised_runs
from noderag_local.text.dates.days import Days
from noderag_local.text.interrogatives import interrogatives
from noderag_local.text.stopwords import stop_words

LONGEST_SIMPLE = 16
"""Words of the longest question that is taken for simple by its length; a longer one tells why it is asked, too."""
MOST_PLAIN_WORDS = 9
"""Maximum number of words of a question that counts as plain if all its words are known."""


def is_worth_rewording(question: str, entries: Entries) -> bool:
    """Returns whether rules could probably answer a question if it were in other words.

    Rules answer what seems to need several notes: a count, a sum, an order, a list, the newest state, or something about a person
    who is described but not named; and they quote what the notes say of what has a page, if there are pages of people. A short
    question whose words all occur in the rules or in the notes counts as understood: if it was not computed, the notes do not
    support an answer, and rewording would not help.

    Args:
        question: the question in the user's own words, in English, German, French or Spanish.
        entries: the notes.
    """
    return any(
        _may_be_put_plainly(question, language, entries) and _rules_may_answer(question, language, entries)
        for language in languages_of(question)
    )


def _rules_may_answer(question: str, language: str, entries: Entries) -> bool:
    words = words_of(question)
    if len(words) > LONGEST_SIMPLE or asks_for_several(question) or phrases(language).has("gathers", words):
        return True
    subject = QuestionSubject(question, language, entries)
    if subject.kin or subject.describes_somebody:
        return True
    # Of articles, unlike notes, rules hardly answer anything.
    is_long = len(words) > MOST_PLAIN_WORDS
    return is_long and entries.has_people and any(map(entries.page_of, subject.anchors()))


def _may_be_put_plainly(question: str, language: str, entries: Entries) -> bool:
    words = words_of(question)
    named = {word for run in capitalised_runs(question) for word in words_of(" ".join(run))}
    return len(words) > MOST_PLAIN_WORDS or any(
        not (phrases(language).knows(word) or entries.knows(word)) for word in words if word not in named
    )


def in_usual_words(question: str) -> str:
    """Returns a question with the phrases that the rules know in the usual words: "by the undersigned" as "by me"."""
    return phrases(languages_of(question)[0]).rephrased(question)


def asks_the_same(question: str, reworded: str, today: date) -> bool:
    """Returns whether a question in other words has exactly the names, numbers, days, relatives and negations of the first one.

    "The day before I left" has to stay the day before.

    Args:
        question: the question in the user's own words.
        reworded: the reworded question, which may ask something else.
        today: present day, from which "last week" is counted.
    """
    return (
        _has_names_of(question, reworded)
        and _has_names_of(reworded, question)
        and _relatives(question) == _relatives(reworded)
        and _is_negated(question) == _is_negated(reworded)
        and _beside_day(question) == _beside_day(reworded)
        and _days(question, today) == _days(reworded, today)
    )


def _has_names_of(question: str, other: str) -> bool:
    """Returns whether a question has all names and numbers of another one."""
    words = set(words_of(question))
    named = {word for run in capitalised_runs(other) for word in words_of(" ".join(run))}
    # Words that open a sentence have a capital letter, too.
    usual = {"i", next(iter(words_of(other)), "")}.union(
        *(stop_words(one) | interrogatives(one) | phrases(one).cues for one in {"en", *languages_of(other)})
    )
    numbers = {word for word in words_of(other) if any(map(str.isdigit, word))}
    return all(_is_among(word, words) for word in (named - usual) | numbers)


def _is_among(word: str, words: set[str]) -> bool:
    plain = word.removesuffix("'s")
    return plain in words or f"{plain}'s" in words


def _relatives(question: str) -> set[frozenset[str]]:
    words = {word.removesuffix("'s") for word in words_of(question)}
    return {forms for forms in kin_forms() if forms & words}


def _is_negated(question: str) -> bool:
    """Returns whether a question negates what it asks; "I can't remember when …" does not."""
    words = words_of(question)
    known = map(phrases, languages_of(question))
    return any(one.has("negated", one.without("forgotten", words)) for one in known)


def _beside_day(question: str) -> set[str]:
    """Returns which of the keys of phrases for the day before and the day after something a question has."""
    known = map(phrases, languages_of(question))
    return {
        key for one in known for key in ("day_before", "day_after") if one.has(key, words_of(one.rephrased(question)))
    }


def _days(question: str, today: date) -> set[Days | None]:
    return next((without_dates(question, phrases(one), today)[1] for one in languages_of(question)), set())
