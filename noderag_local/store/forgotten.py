"""The files and folders that the user has taken out of the vault and that do not come back by themselves."""

from __future__ import annotations

from collections.abc import Iterable

from noderag_local.store.database import Store
from noderag_local.store.spelling import path_of, path_value


class ForgottenRows:
    """The table `forgotten`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def paths(self) -> list[str]:
        """All of them, absolute, in no order."""
        return [path_of(path) for (path,) in self._store.rows("SELECT path FROM forgotten")]

    def put(self, paths: Iterable[str]) -> None:
        """Notes down paths; those that are there already stay."""
        self._run_many("INSERT OR IGNORE INTO forgotten VALUES (?)", paths)

    def take_back(self, paths: Iterable[str]) -> None:
        """Takes paths off the list, not what lies below them; harmless where they are not on it."""
        self._run_many("DELETE FROM forgotten WHERE path = ?", paths)

    def _run_many(self, sql: str, paths: Iterable[str]) -> None:
        with self._store.transaction():
            self._store.run_many(sql, ((path_value(path),) for path in paths))
