"""Finds names by their capital letters."""

from __future__ import annotations

import re

from noderag_local.text.stopwords import stop_words_for

WORD = re.compile(r"[\w'’.&-]+")
POSSESSIVE = re.compile(r"['’]s?$")
_LET_THROUGH = frozenset({"of", "the"})


def stop_words_of(text: str) -> frozenset[str]:
    """Returns the stop words of the text's own language: "Ben" is a name, though it is Turkish for "I"."""
    return stop_words_for([word.casefold() for word in WORD.findall(text)])


def capitalised_runs(text: str) -> list[list[str]]:
    """Returns the names in a question or sentence: runs of capitalised words, with "of" and "the" between them.

    Words that open one ("Who", "In") are not taken for names.
    """
    runs: list[list[str]] = [[]]
    stopped = stop_words_of(text)
    for word in [POSSESSIVE.sub("", word) for word in WORD.findall(text)]:
        if word[:1].isupper() and (runs[-1] or word.casefold() not in stopped):
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
