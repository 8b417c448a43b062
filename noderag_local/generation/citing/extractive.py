"""Answers without a language model by quoting passages with their citations."""

from __future__ import annotations

from collections.abc import Iterator

from noderag_local.domain.passages import Retrieval, Source
from noderag_local.generation.citing.evidence import Claims, claims
from noderag_local.generation.citing.markers import sentences, written
from noderag_local.system.printing.plain_text import printable

SOURCES = 3
"""Maximum number of sources that are quoted."""
SENTENCES = 2
"""Maximum number of sentences that are quoted from a source."""

ADD_MODEL = (
    "These are the passages themselves, since no language model is installed. "
    "`noderag models list` shows the available models, `noderag models get NAME` installs one."
)


def quotes(retrieval: Retrieval, question: str) -> Iterator[str]:
    """Yields one line for each source, best first: its sentences that are nearest to the question, and its marker."""
    asked = claims(question, nouns_capital=True)
    for source in retrieval.sources[:SOURCES]:
        yield f"{_nearest(source, asked)} {written([source.number])}\n"


def _nearest(source: Source, asked: Claims) -> str:
    parts = [part.strip() for part in sentences(printable(source.text)) if part.strip()]
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
