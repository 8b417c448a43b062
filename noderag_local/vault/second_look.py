"""Answers with the sentence that says what was asked, where a language model wrote that the notes do not tell."""

from __future__ import annotations

from datetime import date

from noderag_local.aggregation.telling import tells
from noderag_local.domain.passages import Retrieval
from noderag_local.generation.citing.markers import sentences, written

LOOKED_AT = 8
"""Passages that are looked at, best first."""


def sentence_instead(question: str, found: Retrieval) -> str:
    """Returns the first sentence of the best passages that says what a question asks, with its marker; "" without one.

    Small models read over an answer more often than they find one that is not there.
    """
    today = date.today()
    for source in found.sources[:LOOKED_AT]:
        for sentence in sentences(source.text):
            text = " ".join(sentence.split())
            if text and tells(question, today, text, source.title):
                return f"{text} {written([source.number])}"
    return ""
