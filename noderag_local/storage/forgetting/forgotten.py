"""Stores the files and folders that the user has forgotten; indexing skips them until the user names them again."""

from __future__ import annotations

from collections.abc import Iterable

from noderag_local.storage.database.fact_names import FORGOTTEN_SALT
from noderag_local.storage.database.store import Store
from noderag_local.storage.forgetting.path_marks import MarkedPaths, mark_of, new_salt


class ForgottenRows:
    """The table `forgotten`, which holds marks of paths instead of the paths themselves."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def paths(self) -> MarkedPaths:
        """Returns the marks of all forgotten paths, for testing whether a path is among them."""
        marks = [mark for (mark,) in self._store.rows("SELECT mark FROM forgotten")]
        return MarkedPaths(marks, self._store.facts.get(FORGOTTEN_SALT, ""))

    def put(self, paths: Iterable[str]) -> None:
        """Adds absolute paths; paths already in the table stay."""
        with self._store.transaction():
            if FORGOTTEN_SALT not in self._store.facts:
                self._store.facts[FORGOTTEN_SALT] = new_salt()
            self._run_many("INSERT OR IGNORE INTO forgotten (mark) VALUES (?)", paths)

    def take_back(self, paths: Iterable[str]) -> None:
        """Removes paths, but not paths below them, from the table; missing ones are ignored."""
        if FORGOTTEN_SALT in self._store.facts:
            self._run_many("DELETE FROM forgotten WHERE mark = ?", paths)

    def _run_many(self, sql: str, paths: Iterable[str]) -> None:
        salt = self._store.facts[FORGOTTEN_SALT]
        with self._store.transaction():
            self._store.run_many(sql, ((mark_of(path, salt),) for path in paths))
