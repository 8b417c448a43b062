"""Stores the former paths of a vault's files, as marks, as long as the vault has the file."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable

from noderag_local.storage.database.fact_names import FORMER_SALT
from noderag_local.storage.database.spelling import path_of
from noderag_local.storage.database.store import Store
from noderag_local.storage.forgetting.path_marks import mark_of, new_salt

_HAS_TABLE = "SELECT count(*) FROM sqlite_master WHERE name = 'former_paths'"
_LISTED = "(SELECT value FROM json_each(?))"


class FormerPaths:
    """The table `former_paths`; in an older vault it counts as empty."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, file_id: int, path: str) -> None:
        """Records an absolute path as a former path of a file."""
        with self._store.transaction():
            self._put(file_id, [mark_of(path, self._salt())])

    def marks(self, file_id: int, path: str) -> list[bytes]:
        """Returns the marks of all former paths of a file and of its present path, for `hand_on`.

        Args:
            file_id: id of the file.
            path: present path of the file.
        """
        rows = self._store.rows("SELECT mark FROM former_paths WHERE file_id = ?", (file_id,))
        with self._store.transaction():
            return [mark_of(path, self._salt()), *(mark for (mark,) in rows)]

    def hand_on(self, marks: Collection[bytes], file_id: int) -> None:
        """Records the marks of a removed file as former paths of the file that replaces it."""
        with self._store.transaction():
            self._put(file_id, marks)

    def of_files(self, paths: Iterable[str], file_ids: Collection[int]) -> set[str]:
        """Returns those of the paths that are former paths of the given files."""
        rows = self._rows(f"SELECT mark FROM former_paths WHERE file_id IN {_LISTED}", file_ids)
        marks = {mark for (mark,) in rows}
        return {path for path in paths if mark_of(path, self._salt()) in marks} if marks else set()

    def now(self, paths: Iterable[str], file_ids: Collection[int]) -> set[tuple[str, str]]:
        """Returns (former path, present path) for those of the paths that are former paths of the given files."""
        sql = f"SELECT mark, path FROM former_paths JOIN files ON files.id = file_id WHERE file_id IN {_LISTED}"
        lies: dict[bytes, list[str]] = {}
        for mark, path in self._rows(sql, file_ids):
            lies.setdefault(mark, []).append(path_of(path))
        return {
            (path, later) for path in (paths if lies else ()) for later in lies.get(mark_of(path, self._salt()), ())
        }

    def moved_to(self, path: str) -> list[str]:
        """Returns the present paths of the files that have `path` as a former path."""
        if FORMER_SALT not in self._store.facts:
            return []
        sql = "SELECT path FROM former_paths JOIN files ON files.id = file_id WHERE mark = ? ORDER BY path"
        return [path_of(now) for (now,) in self._store.rows(sql, (mark_of(path, self._salt()),))]

    def _rows(self, sql: str, file_ids: Collection[int]) -> list[tuple[bytes, ...]]:
        return self._store.rows(sql, (json.dumps(list(file_ids)),)) if self._store.value(_HAS_TABLE) else []

    def _put(self, file_id: int, marks: Iterable[bytes]) -> None:
        self._store.run_many(
            "INSERT OR IGNORE INTO former_paths (mark, file_id) VALUES (?, ?)", ((mark, file_id) for mark in marks)
        )

    def _salt(self) -> str:
        if FORMER_SALT not in self._store.facts:
            self._store.facts[FORMER_SALT] = new_salt()
        return self._store.facts[FORMER_SALT]
