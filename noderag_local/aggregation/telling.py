"""Finds the sentence that says what a question asks, by the words of both: for a model that reads over it."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

from noderag_local.aggregation.plan import subjects
from noderag_local.aggregation.question_content import Stems
from noderag_local.aggregation.question_phrases import LANGUAGES, phrases, words_of
from noderag_local.text.stems import all_stems, question_stems
from noderag_local.text.stopwords import stop_words


class Telling:
    """Tells which sentences say what a question asks."""

    def __init__(self, question: str, today: date) -> None:
        """Reads the question; arguments as for `plans`."""
        self._readings: list[tuple[list[Stems], list[Stems]]] = []
        for names, words in subjects(question, today):
            named = [stems for name in names for stems in question_stems(name).values()]
            others = [stems for stems in words if not any(stems & of_name for of_name in named)]
            if named and others:
                self._readings.append((named, others))

    def holds(self, sentence: str, title: str, words_on_page: int = 2) -> bool:
        """Returns whether a sentence has every name of the question and all other words that matter, or words for the same.

        On the page about a person or thing the sentence need not repeat the name.

        Args:
            sentence: a sentence of the notes.
            title: title of its document.
            words_on_page: how many such words it has to have at least where it does not repeat the name.
        """
        if not self._readings:
            return False
        held = all_stems(sentence)
        return any(
            all(stems & held for stems in others)
            and all(stems & self._around(held, named, title, len(others) >= words_on_page) for stems in named)
            for named, others in self._readings
        )

    def _around(self, held: Stems, named: list[Stems], title: str, may_be_page: bool) -> Stems:
        page = list(question_stems(title).values()) if may_be_page else []
        is_page = bool(page) and all(any(word & stems for stems in named) for word in page)
        return held.union(*page) if is_page else held


def asks_for_several(question: str) -> bool:
    """Returns whether a question asks for several things: by a plural behind "what" or "which", or how many, or why."""
    words = words_of(question)
    for language in LANGUAGES:
        known = phrases(language)
        if known.has("count_items", words) or known.has("count", words):
            return True
        asked = known.single("asks_what")
        behind = (word for before, word in pairwise(words) if before in asked and word not in stop_words(language))
        if any(word.endswith("s") for word in behind):
            return True
    return False
