"""Compares the passages with the question's words: to leave some out, to search again after "do not tell", and to doubt an answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import date

from noderag_local.aggregation.plan import subjects
from noderag_local.aggregation.telling import Telling, asks_for_several
from noderag_local.aggregation.untold import FoundPassage, Untold
from noderag_local.domain.passages import Retrieval, Source
from noderag_local.generation.answer_verification import Doubt
from noderag_local.generation.citing.markers import sentences, written
from noderag_local.generation.question_language import language_of
from noderag_local.text.stems import all_stems, question_stems
from noderag_local.text.stopwords import stop_words

LOOKED_AT = 8
"""Passages that are looked at, best first."""
_OF_SOURCE = re.compile(r"^(?=\[\d+\] )", re.MULTILINE)
"""Beginning of each source in a context; packing ensures that no other line begins like this."""
_NAME_WORD = re.compile(r"[^\W\d_]{2,}(?:-[^\W\d_]+)*")


def is_told(question: str, found: Retrieval) -> bool:
    """Returns whether a sentence of the passages has all words of a question that asks for one thing.

    What stands beside such a sentence costs time to read.
    """
    if asks_for_several(question):
        return False
    telling = Telling(question, date.today())
    return any(
        telling.holds(sentence, source.title, words_on_page=1)
        for source in found.sources
        for sentence in sentences(source.text)
    )


def sentence_instead(question: str, found: Retrieval) -> str:
    """Returns the first sentence of the best passages that says what a question asks, with its marker; "" without one.

    Small models read over an answer more often than they find one that is not there.
    """
    telling = Telling(question, date.today())
    for source in found.sources[:LOOKED_AT]:
        for sentence in sentences(source.text):
            text = " ".join(sentence.split())
            if text and telling.holds(text, source.title):
                return f"{text} {written([source.number])}"
    return ""


def doubt_of(question: str, found: Retrieval) -> Doubt | None:
    """Returns the doubt that the passages answer a question; None where their words give no reason to doubt it."""
    untold = Untold(question, date.today(), [FoundPassage(one.text, one.title, one.headings) for one in found.sources])
    return Doubt(frozenset(found.sources[at].number for at in untold.about)) if untold.is_likely else None


def only_about_named(
    question: str,
    found: Retrieval,
    count_tokens: Callable[[str], int],
    path_numbers: Collection[int] = (),
    namesakes: Callable[[str], Sequence[str]] = lambda first_name: (),
) -> Retrieval:
    """Returns a retrieval whose context leaves out passages that name none of the question's people, if one of these has a page.

    The pages of other people with allergies are near to a question about Ana Lee's allergies, too, and a small model takes theirs for
    hers. All sources are kept for the user.

    Args:
        question: a question that takes one step.
        found: its retrieval.
        count_tokens: counts as the model does.
        path_numbers: numbers of the passages that only led to the person, such as "Has a sister, Ana" on the page of somebody else.
        namesakes: returns the titles of the pages of people with a first name.
    """
    names = {name for named, _ in subjects(question, date.today()) for name in named}
    people = {title: name for name in _first_names(question) for title in namesakes(name)}
    of_names = set(map(_stems, names))
    pages = {one.title for one in found.sources if one.title in people or _stems(one.title) in of_names}
    words = {word for name in (*names, *people.values()) for word in _NAME_WORD.findall(name)}
    named = frozenset[str]().union(*map(_close_stems, words))
    near = (one for one in found.sources if one.title in pages or one.number not in path_numbers)
    numbers = {one.number for one in near if not named.isdisjoint(_around(one))}
    if not pages or len(numbers) == len(found.sources):
        return found
    parts = (part for part in _OF_SOURCE.split(found.context) if part)
    context = "".join(part for part in parts if int(part[1 : part.index("]")]) in numbers).rstrip()
    return replace(found, context=context, tokens=count_tokens(context))


def _first_names(question: str) -> list[str]:
    """Returns the words of a question that may be first names; where all words are in small letters, with a capital."""
    little = stop_words(language_of(question)) | stop_words("en")
    words = [word for word in _NAME_WORD.findall(question) if word.casefold() not in little]
    return [word for word in words if word[0].isupper()] or [word.capitalize() for word in words]


def _close_stems(word: str) -> frozenset[str]:
    """Returns the stems of a name that lack a letter of it at most: French makes "jan" of "Janet", which is a month as well.

    In scripts other than Latin, names are declined more.
    """
    return frozenset(stem for stem in all_stems(word) if len(stem) >= len(word) - 1 or not word.isascii())


def _stems(name: str) -> frozenset[frozenset[str]]:
    return frozenset(question_stems(name).values())


def _around(source: Source) -> frozenset[str]:
    """Returns the stems of a passage, its title and its headings."""
    return all_stems(" ".join((source.text, source.title, *source.headings)))
