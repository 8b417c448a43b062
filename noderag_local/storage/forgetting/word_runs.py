"""Runs of words: a few words side by side, by which a passage is known again wherever it is quoted."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from noderag_local.storage.documents.bigrams import spaced_out
from noderag_local.storage.documents.fts_query import words_in_order

RUN_WORDS = 6
"""Words of a run; a text with fewer is a run itself. In a script without spaces each character counts as a word."""


def words_of(text: str) -> list[str]:
    """The words of a text as runs are made of them: in lower case, without what stands between them."""
    return words_in_order(spaced_out(text))


def runs_of(text: str) -> Iterator[str]:
    """Returns every run of a text, its words with blanks between them; none where it has no word."""
    words = words_of(text)
    for first in range(max(len(words) - RUN_WORDS, 0) + 1 if words else 0):
        yield " ".join(words[first : first + RUN_WORDS])


def runs_within(words: Sequence[str], runs: Collection[str], lengths: Collection[int]) -> Iterator[str]:
    """Yields those of some runs that a text contains.

    Args:
        words: words of the text, by `words_of`.
        runs: the runs to look for, as one text each.
        lengths: numbers of words that the runs have.
    """
    for length in lengths:
        for first in range(len(words) - length + 1):
            run = " ".join(words[first : first + length])
            if run in runs:
                yield run
