"""Compares the passages with the question's words: to leave some out, to search again after "do not tell", and to doubt an answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import date

from noderag_local.aggregation.plan import subjects
from noderag_local.aggregation.telling import Telling, asks_for_several
from noderag_local.aggregation.untold import FoundPassage, Untold
from noderag_local.domain.passages import Retrieval, Source
from noderag_local.generation.answer_verification import Doubt
from noderag_local.generation.citing.markers import sentences, written
from noderag_local.text.stems import all_stems, question_stems

LOOKED_AT = 8
"""Passages that are looked at, best first."""
_OF_SOURCE = re.compile(r"^(?=\[\d+\] )", re.MULTILINE)
"""Beginning of each source in a context; packing ensures that no other line begins like this."""


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
    question: str, found: Retrieval, count_tokens: Callable[[str], int], path_numbers: Collection[int] = ()
) -> Retrieval:
    """Returns a retrieval whose context leaves out passages that name none of the question's people, if one of these has a page.

    The pages of other people with allergies are near to a question about Ana Lee's allergies, too, and a small model takes theirs for
    hers. All sources are kept for the user.

    Args:
        question: a question that takes one step.
        found: its retrieval.
        count_tokens: counts as the model does.
        path_numbers: numbers of the passages that only led to the person, such as "Has a sister, Ana" on the page of somebody else.
    """
    names = {name for named, _ in subjects(question, date.today()) for name in named}
    of_names = set(map(_stems, names))
    pages = {one.title for one in found.sources if _stems(one.title) in of_names}
    named = frozenset[str]().union(*map(all_stems, names))
    near = (one for one in found.sources if one.title in pages or one.number not in path_numbers)
    numbers = {one.number for one in near if not named.isdisjoint(_around(one))}
    if not pages or len(numbers) == len(found.sources):
        return found
    parts = (part for part in _OF_SOURCE.split(found.context) if part)
    context = "".join(part for part in parts if int(part[1 : part.index("]")]) in numbers).rstrip()
    return replace(found, context=context, tokens=count_tokens(context))


def _stems(name: str) -> frozenset[frozenset[str]]:
    return frozenset(question_stems(name).values())


def _around(source: Source) -> frozenset[str]:
    """Returns the stems of a passage, its title and its headings."""
    return all_stems(" ".join((source.text, source.title, *source.headings)))
