"""Keeps the user's decisions about names under marks, so that they survive the removal of an entity.

An entity is removed with the last note that mentions it, and a decision with its entity. But the note may come back soon, for
example after an edit or a change of the git branch; then the decision is restored. A mark is a salted hash of a name. Marks of
forgotten names are removed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping

from noderag_local.storage.database.fact_names import DECISION_ON, NAMES_SALT
from noderag_local.storage.database.spelling import storable
from noderag_local.storage.database.store import Store
from noderag_local.storage.forgetting.path_marks import MARK_BYTES, new_salt

Pair = tuple[str, str]
_KEPT = "SELECT name, value FROM facts WHERE name >= ? AND name < ? ORDER BY name"


class KeptDecisions:
    """Stores decisions as facts of the vault; pairs of marks are sorted, pairs of keys need not be.

    Methods that write must be called inside a transaction.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._salt = store.facts.get(NAMES_SALT, "")

    def put(self, pair: Pair, same: bool | None) -> None:
        """Stores a decision about two keys; None removes it."""
        if not self._salt:
            self._salt = self._store.facts[NAMES_SALT] = new_salt()
        name = _fact(self._marked(pair))
        if same is None:
            self._store.facts.pop(name, None)
        else:
            self._store.facts[name] = str(int(same))

    def lost(self, in_force: Iterable[Pair]) -> dict[Pair, bool]:
        """Returns the stored decisions that are not in force: pair of marks -> whether the two names are the same."""
        rows = self._store.rows(_KEPT, (DECISION_ON, DECISION_ON[:-1] + chr(ord(DECISION_ON[-1]) + 1)))
        kept = {_pair(name.removeprefix(DECISION_ON).split()): value == "1" for name, value in rows}
        present = {self._marked(pair) for pair in in_force} if kept else set()
        return {pair: same for pair, same in kept.items() if pair not in present}

    def named(self, lost: Mapping[Pair, bool], keys: Collection[str]) -> list[tuple[Pair, bool]]:
        """Returns the lost decisions whose two names are both among the keys."""
        key_of = {self._mark(key): key for key in keys}
        return [
            ((key_of[first], key_of[second]), same)
            for (first, second), same in lost.items()
            if first in key_of and second in key_of
        ]

    def concern(self, lost: Mapping[Pair, bool], keys: Iterable[str]) -> bool:
        """Returns whether any lost decision is about one of the keys."""
        marks = {mark for pair in lost for mark in pair}
        return bool(marks) and any(self._mark(key) in marks for key in keys)

    def forget(self, lost: Iterable[Pair]) -> None:
        """Removes some decisions."""
        for pair in lost:
            del self._store.facts[_fact(pair)]

    def _marked(self, pair: Pair) -> Pair:
        return _pair(sorted(map(self._mark, pair)))

    def _mark(self, key: str) -> str:
        salt = bytes.fromhex(self._salt)
        return hashlib.blake2b(storable(key).encode(), digest_size=MARK_BYTES, key=salt).hexdigest()


def _pair(marks: list[str]) -> Pair:
    first, second = marks
    return first, second


def _fact(marks: Pair) -> str:
    return DECISION_ON + " ".join(marks)
