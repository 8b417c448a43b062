"""Finds the sentence that says what was asked: to read little before an answer, and to look again after "do not tell"."""

from __future__ import annotations

from datetime import date

from noderag_local.aggregation.telling import Telling, asks_for_several
from noderag_local.domain.passages import Retrieval
from noderag_local.generation.citing.markers import sentences, written

LOOKED_AT = 8
"""Passages that are looked at, best first."""


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
