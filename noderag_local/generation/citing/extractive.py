"""Answers without a language model by quoting passages with their citations."""

from __future__ import annotations

from collections.abc import Iterator

from noderag_local.domain.passages import Citation, Retrieval, Source
from noderag_local.generation.citing.evidence import Claims, claims
from noderag_local.generation.citing.markers import MARKER, sentences
from noderag_local.system.printing.plain_text import printable

SOURCES = 3
"""Maximum number of sources that are quoted."""
SENTENCES = 2
"""Maximum number of sentences that are quoted from a source."""

ADD_MODEL = (
    "These are the passages themselves, since no language model is installed. "
    "`noderag models list` shows the available models, `noderag models get NAME` installs one."
)


def quotes(retrieval: Retrieval, question: str) -> Iterator[Citation]:
    """Yields what each source says, best first: its sentences that are nearest to the question, on a line of their own.

    The words are the source's, so it supports them.
    """
    asked = claims(question, nouns_capital=True)
    for source in retrieval.sources[:SOURCES]:
        if text := _nearest(source, asked):
            yield Citation(text, (source.number,), supported=True, after="\n")


def _nearest(source: Source, asked: Claims) -> str:
    # A mark in a note, such as "[1]", cites nothing here; a mark of words left out says nothing.
    plain = MARKER.sub("", printable(source.text))
    parts = [part.strip() for part in sentences(plain) if any(map(str.isalnum, part))]
    by_overlap = sorted(range(len(parts)), key=lambda at: (-_overlap(parts[at], asked), at))
    return " ".join(parts[at] for at in sorted(by_overlap[:SENTENCES]))


def _overlap(sentence: str, asked: Claims) -> int:
    said = claims(sentence, nouns_capital=True)
    return sum(
        len(mine & theirs)
        for mine, theirs in (
            (said.numbers, asked.numbers),
            (said.words, asked.words),
            (said.bigrams, asked.bigrams),
        )
    )
