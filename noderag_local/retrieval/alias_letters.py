"""Finds which of many names contain some letters, without a loop over the names."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from noderag_local.text.stems import without_accents

_END = "\0"
"""Stands between two names; nothing that is looked for contains it."""


class AliasLetters:
    """The letters of k names one after the other, casefolded and without accents, as stems are.

    A mailbox has tens of thousands of names, since each message has one.
    """

    def __init__(self, names: Sequence[str]) -> None:
        """Joins the names."""
        folded = [without_accents(name.casefold()).replace(_END, " ") + _END for name in names]
        self._letters = np.frombuffer("".join(folded).encode("utf-32-le", "replace"), np.uint32)
        self._ends = np.cumsum(np.fromiter(map(len, folded), np.int64, len(folded)))

    def with_all(self, wanted: Sequence[Collection[str]]) -> NDArray[np.int64]:
        """Returns the numbers, ascending, of the names that contain at least one text of each group.

        Args:
            wanted: groups of texts of one or two letters, casefolded and without accents.
        """
        has_all = np.ones(len(self._ends), np.bool_)
        for group in wanted:
            has_one = np.zeros(len(self._ends), np.bool_)
            for text in group:
                has_one[self._containing(text)] = True
            has_all &= has_one
        return np.flatnonzero(has_all)

    def _containing(self, text: str) -> NDArray[np.int64]:
        """Returns the number of each name, once or several times, that contains a text."""
        letters = np.frombuffer(text.encode("utf-32-le", "replace"), np.uint32)
        last = len(self._letters) - len(letters) + 1
        is_there = np.ones(max(last, 0), np.bool_)
        for at, letter in enumerate(letters):
            is_there &= self._letters[at : at + len(is_there)] == letter
        return np.searchsorted(self._ends, np.flatnonzero(is_there), side="right")
