"""Searches a list of things by their names, as a person types."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

from noderag_local.text.folding import folded

TYPED, BEGUN, WORD_BEGUN, HELD, IN_ORDER = range(5)
"""How near a name is to what was typed: it is that, begins with it, has a word that does, has all of its words anywhere, or has
only their letters, in order."""
FEWEST_IN_ORDER = 3
"""Letters of a word for which names are searched that have only its letters: fewer are in nearly every name."""
WIDEST_IN_ORDER = 3
"""How many times as long as the typed word the part of a name may be that has its letters."""


class NameSearch:
    """The names of n things, in rows; it never changes."""

    def __init__(self, names: Iterable[Iterable[str]]) -> None:
        """Takes the names of each thing."""
        self._folded = ["\n".join(" ".join(folded(name).split()) for name in of_one) for of_one in names]

    def matching(self, query: str) -> tuple[list[int], ...]:
        """Returns the rows with a name that has every word of a query, whatever its case and accents; 19 ms for 100,000 names.

        Returns:
            The rows at the distances TYPED, BEGUN, WORD_BEGUN and HELD, each ascending. An empty query finds nothing.
        """
        words = folded(query).split()
        by_distance: tuple[list[int], ...] = ([], [], [], [])
        if not words:
            return by_distance
        rows: Sequence[int] = [row for row, name in enumerate(self._folded) if words[0] in name]
        for word in words[1:]:
            rows = [row for row in rows if word in self._folded[row]]
        typed = " ".join(words)
        for row in rows:
            names = self._folded[row]
            # Most things have one name, and a single letter is in nearly all of them.
            is_one = "\n" not in names
            near = _distance(names, typed) if is_one else min(_distance(name, typed) for name in names.split("\n"))
            by_distance[near].append(row)
        return by_distance

    def in_order(self, query: str) -> list[int]:
        """Returns the rows, ascending, with a name that has the letters of each word in order: "mtvrtrg" finds Mietvertrag.

        The first letter begins a word of the name, and the letters stand near one another. Words of fewer than FEWEST_IN_ORDER
        letters must stand in the name as they are. What `matching` finds is found here, too.
        """
        words = folded(query).split()
        if not words or max(map(len, words)) < FEWEST_IN_ORDER:
            return []
        longest = max(words, key=len)
        rows = self._by_initial.get(longest[0], ())
        return [row for row in rows if all(_has_in_order(self._folded[row], word) for word in words)]

    @cached_property
    def _by_initial(self) -> dict[str, list[int]]:
        found: defaultdict[str, list[int]] = defaultdict(list)
        for row, names in enumerate(self._folded):
            for initial in dict.fromkeys(word[0] for word in names.split()):
                found[initial].append(row)
        return dict(found)


def _distance(name: str, typed: str) -> int:
    if name == typed:
        return TYPED
    if name.startswith(typed):
        return BEGUN
    return WORD_BEGUN if f" {typed}" in name else HELD


def _has_in_order(names: str, word: str) -> bool:
    if word in names:
        return True
    if len(word) < FEWEST_IN_ORDER:
        return False
    start = names.find(word[0])
    while start >= 0:
        if (start == 0 or names[start - 1].isspace()) and _is_spelled(names, start, word):
            return True
        start = names.find(word[0], start + 1)
    return False


def _is_spelled(names: str, start: int, word: str) -> bool:
    """Returns whether the letters of a word follow one another from a place on, within the name that stands there."""
    end = start + WIDEST_IN_ORDER * len(word)
    name_end = names.find("\n", start, end)
    if name_end >= 0:
        end = name_end
    at = start
    for letter in word[1:]:
        at = names.find(letter, at + 1, end)
        if at < 0:
            return False
    return True
