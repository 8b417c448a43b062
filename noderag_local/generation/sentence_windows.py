"""Shows a sentence between its neighbours, as the language model reads it when it checks an answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from noderag_local.generation.citing.markers import sentences

WINDOW_LETTERS = 500


class SentenceWindow(NamedTuple):
    """A sentence, alone and with the ones before and after it; all white space is single spaces."""

    sentence: str
    text: str


def sentence_windows(text: str) -> Iterator[SentenceWindow]:
    """Yields the window of each sentence of a text."""
    parts = [" ".join(part.split()) for part in sentences(text)]
    around = ["", *parts, ""]
    for at, part in enumerate(parts):
        yield SentenceWindow(part, " ".join(filter(None, around[at : at + 3])))


def cut_window(text: str, place: int, letters: int = 0) -> str:
    """Returns at most `WINDOW_LETTERS` of a window, with what matters in the middle if the window is longer.

    Args:
        text: text of the window.
        place: where that begins which matters.
        letters: number of letters of it.
    """
    before = max(0, WINDOW_LETTERS - letters) // 2
    start = max(0, min(place - before, len(text) - WINDOW_LETTERS))
    return text[start : start + WINDOW_LETTERS]
