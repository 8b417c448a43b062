"""An answer cut into its sentences, each with the markers that stand in it or right behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from noderag_local.answer.markers import MARKER
from noderag_local.words.language import language_of
from noderag_local.words.sentences import split_sentences

_LINE = re.compile(r"[^\n]+")


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text in order, each with its markers and the white space after it; joined they are `text`.

    A line ends a sentence.
    """
    for start, end in pairwise([0, *_later_starts(text), len(text)]):
        if text[start:end]:
            yield text[start:end]


def _later_starts(text: str) -> list[int]:
    """Where each sentence but the first begins."""
    # Blanks of the same length, so that places stay, and a marker goes with the sentence before it.
    plain = MARKER.sub(lambda marker: " " * len(marker[0]), text)
    language = language_of(plain)
    starts = [line.start() + start for line in _LINE.finditer(plain) for start, _ in split_sentences(line[0], language)]
    return starts[1:]
