"""Compares what was found with the question's words: to read little, to look again after "do not tell", to doubt an answer."""

from __future__ import annotations

from datetime import date

from noderag_local.aggregation.telling import Telling, asks_for_several, asks_for_thing
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


def is_doubtful(question: str, found: Retrieval) -> bool:
    """Returns whether no passage about what a question names has any other word of it that matters: the notes may not tell.

    Small models answer such a question with whatever stands beside the name. Not where the answer may have to be inferred:
    "Is Ana married?", "How old is Ana?".
    """
    if not asks_for_thing(question):
        return False
    telling = Telling(question, date.today())
    return telling.names_something and not any(
        telling.holds_a_word(source.text, " ".join((source.title, *source.headings))) for source in found.sources
    )
