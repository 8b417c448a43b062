"""Finds names by their capital letters."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from noderag_local.text.letters import marks
from noderag_local.text.stopwords import stop_words_for

POSSESSIVE = re.compile(r"['’]s?$")
_ASCII_WORD = re.compile(r"[\w'.&-]+")
_LET_THROUGH = frozenset({"of", "the"})


def stop_words_of(text: str) -> frozenset[str]:
    """Returns the stop words of the text's own language: "Ben" is a name, though it is Turkish for "I"."""
    return stop_words_for([_composed(word) for word in words_as_written(text)])


def words_as_written(text: str) -> list[str]:
    """Returns the words of a text in order, with the signs that names have inside them: "O'Brien", "Jean-Luc", "A&B"."""
    return (_ASCII_WORD if text.isascii() else _any_word()).findall(text)


def capitalised_runs(text: str) -> list[list[str]]:
    """Returns the names in a question or sentence: runs of capitalised words, with "of" and "the" between them.

    Words that open one ("Who", "In") are not taken for names.
    """
    runs: list[list[str]] = [[]]
    stopped = stop_words_of(text)
    for word in [POSSESSIVE.sub("", word) for word in words_as_written(text)]:
        if word[:1].isupper() and (runs[-1] or _composed(word) not in stopped):
            runs[-1].append(word)
        elif not (runs[-1] and word in _LET_THROUGH):
            runs.append([])
        else:
            runs[-1].append(word)
    trimmed = (_without_last_particles(run) for run in runs)
    return [run for run in trimmed if run]


def _without_last_particles(run: list[str]) -> list[str]:
    while run and run[-1] in _LET_THROUGH:
        run = run[:-1]
    return run


@cache
def _any_word() -> re.Pattern[str]:
    return re.compile(rf"[\w{marks()}'’.&-]+")


def _composed(word: str) -> str:
    """Returns a word as lists of words have it: casefolded, and each letter with its accent one character."""
    return unicodedata.normalize("NFC", word).casefold()
