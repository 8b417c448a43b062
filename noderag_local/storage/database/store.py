"""Opens a vault's SQLite file and offers transactions, queries and facts to the modules that own its tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from noderag_local.domain.errors import StoreError
from noderag_local.storage.database.connection import FILE_NAME, connect_reader, connect_writer, tighten
from noderag_local.storage.database.fact_names import (
    CONVERSATIONS_SEEN,
    GENERATION,
    LOGGED,
    LOGGED_IDS,
    STAMP,
    TRACES_LEFT,
    WORDS_LEFT,
)
from noderag_local.storage.database.sqlite_errors import read_only, told_plainly
from noderag_local.storage.database.sqlite_file import BUSY_SECONDS, PATIENT_MILLISECONDS, changed_meanwhile
from noderag_local.storage.database.unlocked_file import is_writable, state_of
from noderag_local.storage.encryption.vault_key import KEY_FILE_NAME
from noderag_local.storage.snapshots.cache_file import remove_unfinished
from noderag_local.system.disk.on_disk import overwrite, wiped_when_nameless
from noderag_local.system.disk.private_files import make_private_file, make_private_folder

if TYPE_CHECKING:
    import sqlite3

    from noderag_local.storage.database.lock import WriterLock
    from noderag_local.storage.database.unlocked_file import FileState
    from noderag_local.storage.encryption.generations import Least

Row = tuple[Any, ...]
Parameters = Sequence[Any]

WORDS_LEFT_LIMIT = 100
"""Number of removed texts and names after which both full-text indexes are rebuilt, to clear their words. It takes 40 ms for
6,761 paragraphs, a tenth of indexing a changed one. Forgotten texts are cleared at once by `clear_traces`."""


class Store:
    """Open SQLite file of a vault.

    Every row that a cache or a search depends on changes inside `transaction()`, and the module that changes it calls
    `touch()`. So a cache with the store's stamp is never older than the rows.
    """

    def __init__(
        self,
        folder: Path,
        connection: sqlite3.Connection,
        lock: WriterLock | None,
        unlocked: FileState | None = None,
    ) -> None:
        self.folder = folder
        self.path = folder / FILE_NAME
        self.facts = Facts(self)
        self._connection = connection
        self._lock = lock
        self._unlocked = unlocked
        self._file = _identity(self.path)
        self._writing = False
        self._touched = False
        self._least = self._checked()
        self._written = False
        self.logs_changes = False
        """Whether all changes are noted now; see `snapshots/change_log.py`."""

    @classmethod
    def open(cls, folder: Path, *, write: bool) -> Store:
        """Opens the vault in `folder`.

        Args:
            folder: folder of the vault.
            write: True creates a missing folder and file, migrates an old file and keeps other writers out until `close`.
            False never writes and never waits.

        Raises:
            VaultMissing: the vault should be read, but does not exist yet.
            VaultTooOld: the vault should be read, but a writer must bring it up to date first.
            VaultLocked: the vault should be written, but another process is writing.
            VaultDamaged: the file is not a vault.
            VaultChanged: the vault lies in a read-only folder, and is written from elsewhere just now.
            VaultReplaced: the vault is encrypted, but the file is not, or is older than this machine has seen.
            VaultSealed: the vault is encrypted and its key was not given.
            StoreError: the file cannot be read or written, or is of a newer version.
        """
        path = folder / FILE_NAME
        if not write:
            opened = connect_reader(path)
            return cls(folder, opened.connection, None, opened.state)
        # Readers need no lock and save the time to import its module.
        from noderag_local.storage.database.lock import WriterLock

        if folder.is_dir() and not is_writable(folder):
            raise read_only(folder)
        with told_plainly(path):
            # Notes are private, and so is the vault made from them.
            make_private_folder(folder)
            lock = WriterLock(folder)
            lock.take()
        try:
            with told_plainly(path):
                remove_unfinished(folder)
                _finish_encrypting(folder)
                make_private_file(path)
                tighten(folder)
            return cls(folder, connect_writer(path), lock)
        except BaseException:
            lock.release()
            raise

    @property
    def writable(self) -> bool:
        """Returns whether this store was opened for writing."""
        return self._lock is not None

    @property
    def is_current(self) -> bool:
        """Returns whether a store that is read without locks still has the newest state; True for every other one."""
        return self._unlocked is None or self._unlocked == state_of(self.path)

    @property
    def is_in_place(self) -> bool:
        """Returns whether the open file is still at its path; False if a backup has replaced it, for example."""
        return _identity(self.path) == self._file

    def close(self) -> None:
        """Rolls back an open transaction, closes the file and releases the lock; does nothing if already closed."""
        try:
            self._note_generation()
            # The last connection to close removes the log, which may hold texts that the user forgets later.
            with suppress(OSError), wiped_when_nameless(self._log) if self.writable else nullcontext():
                self._connection.close()
        finally:
            self._connection.close()
            if self._lock is not None:
                self._lock.release()

    @property
    def _log(self) -> Path:
        return self.path.with_name(f"{self.path.name}-wal")

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Runs the block in a transaction; an inner transaction becomes part of the outer one.

        Raises:
            StoreError: the disk is full or fails, and the transaction is rolled back; or the file was moved or removed; or the
            store is open for reading only.
        """
        if self._writing:
            yield
            return
        if not self.writable:
            raise StoreError(f"{self.path} is open for reading only.")
        if not self.is_in_place:
            # SQLite would go on writing into a file that was moved or removed.
            raise StoreError(
                f"{self.path} is not there any more: its folder was moved or removed, or its drive was disconnected. The file "
                "still has everything that was finished before. Put it back, then run the command again."
            )
        self.run("BEGIN IMMEDIATE")
        self._writing = True
        try:
            yield
            self.run("COMMIT")
            self._written = self._written or self._touched
        finally:
            self._writing = self._touched = False
            self._end()

    @contextmanager
    def steady(self) -> Iterator[None]:
        """Makes all reads in the block see the same state of the vault, whatever a writer commits meanwhile."""
        if self._connection.in_transaction:
            yield
            return
        self.run("BEGIN")
        try:
            yield
        finally:
            self._end()

    def _end(self) -> None:
        """Rolls back the transaction, unless a full disk has already ended it."""
        if self._connection.in_transaction:
            self.run("ROLLBACK")

    @property
    def generation(self) -> int:
        """Number of transactions that changed what a search can find; 0 for a new vault."""
        return int(self.facts.get(GENERATION, "0"))

    @property
    def stamp(self) -> str:
        """Random text that identifies this state of the vault; caches compare it. Unlike the generation, it is unique."""
        return self.facts.get(STAMP, "")

    def touch(self) -> None:
        """Records that the present transaction changes what a search can find; counts once a transaction."""
        if not self._touched:
            self._count()
            self.facts[STAMP] = os.urandom(16).hex()
            if self.logs_changes:
                self.facts[LOGGED] = self.stamp
            self._touched = True

    def next_node_id(self) -> int:
        """Returns the id for the next node. It is above all ids, and above those that a cache with a log of changes knows."""
        highest = int(self.value("SELECT coalesce(max(id), 0) FROM nodes"))
        return max(highest, int(self.facts.get(LOGGED_IDS, "0"))) + 1

    def _count(self) -> None:
        if self._least is None:
            self.facts[GENERATION] = str(self.generation + 1)
            return
        self.facts[GENERATION] = str(max(self.generation, self._least.index) + 1)
        self.facts[CONVERSATIONS_SEEN] = str(self._least.conversations)

    def _checked(self) -> Least | None:
        """Checks that an encrypted vault was not replaced by an older copy; returns None if the vault is not encrypted."""
        if not os.path.lexists(self.folder / KEY_FILE_NAME):
            return None
        from noderag_local.storage.encryption.generations import check_generations

        try:
            with told_plainly(self.path):
                return check_generations(self.folder, index=self._connection)
        except BaseException:
            self._connection.close()
            raise

    def _note_generation(self) -> None:
        """Records the generation after it is on the disk. A kill in between leaves an older record, which is harmless."""
        if self._least is None or not self._written:
            return
        self._written = False
        from noderag_local.storage.encryption.generations import note_index

        with suppress(StoreError, OSError):
            note_index(self.folder, self.generation)

    def forget_words(self, removed: int = 1) -> None:
        """Records, inside a transaction, that texts or names are removed, so that `checkpoint` clears their words.

        Args:
            removed: approximate number of texts and names.
        """
        self.facts[WORDS_LEFT] = str(self._words_left + removed)

    def forget_traces(self) -> None:
        """Records, inside a transaction, that `clear_traces` must erase bytes of removed data from the file."""
        self.forget_words()
        self.facts[TRACES_LEFT] = "1"

    @property
    def has_traces(self) -> bool:
        """Returns whether the vault's files may still contain bytes of forgotten data."""
        return TRACES_LEFT in self.facts

    def checkpoint(self) -> None:
        """Finishes writing: moves the log into the file, after clearing the words of removed texts if they are many."""
        if self._words_left >= WORDS_LEFT_LIMIT:
            # FTS5 only marks words as deleted until it merges its segments.
            self._write_words("optimize")
        # Updates the statistics of SQLite's query planner.
        self.run("PRAGMA optimize")
        self._empty_log()

    def clear_traces(
        self, wait_milliseconds: int = PATIENT_MILLISECONDS, when_unread: Callable[[], None] = lambda: None
    ) -> bool:
        """Erases every byte of forgotten data from the file and its log.

        Called in place of `checkpoint`, after everything made from the forgotten texts is removed.

        Args:
            wait_milliseconds: how long to wait for other programs that read the file.
            when_unread: called when nobody reads an earlier state any more.

        Returns:
            False if another program kept reading, so that the log could not be emptied; then `has_traces` stays true.
        """
        self.run(f"PRAGMA busy_timeout = {wait_milliseconds}")
        try:
            # First, because VACUUM is useless while the log still holds the texts.
            if not self._empty_log():
                return False
            # Rebuilt from the rows: in SQLite 3.53, merging keeps words that are only marked as deleted.
            self._write_words("rebuild")
            self.run("PRAGMA optimize")
            self._write_anew()
            if not self._empty_log():
                return False
            when_unread()
            self.facts.pop(TRACES_LEFT, None)
            self._empty_log()
            return True
        finally:
            self.run(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")

    def _write_words(self, command: str) -> None:
        """Rebuilds the full-text indexes by a command of FTS5."""
        with self.transaction():
            for index in ("chunk_words", "entity_names"):
                self.run(f"INSERT INTO {index} ({index}) VALUES ('{command}')")
            self.facts.pop(WORDS_LEFT, None)

    def _empty_log(self) -> bool:
        """Moves the log into the file and overwrites it; returns False where a reader prevented it."""
        ((is_busy, _, _),) = self.rows("PRAGMA wal_checkpoint(RESTART)")
        if is_busy:
            return False
        # The log's content is in the file now, and nobody else reads or writes the log. It is overwritten because TRUNCATE
        # alone would leave its texts on the disk.
        with told_plainly(self._log):
            overwrite(self._log)
        ((is_busy, _, _),) = self.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        return not is_busy

    @property
    def _words_left(self) -> int:
        """Returns the number of removed texts and names whose words are still in the indexes, marked as deleted."""
        return int(self.facts.get(WORDS_LEFT, "0"))

    def _write_anew(self) -> None:
        """Writes all rows into new pages (VACUUM)."""
        # Some builds of SQLite keep samples of keys for the planner; here these are words of the notes.
        self.run("DROP TABLE IF EXISTS sqlite_stat4")
        # A page keeps copies of cells that were moved to another page; secure_delete does not overwrite them.
        self.run("VACUUM")

    def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """Returns all rows of a query.

        Raises:
            VaultChanged: the file is read without locks, and was written from elsewhere.
        """
        with told_plainly(self.path), self._whole():
            return self._connection.execute(sql, parameters).fetchall()

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Raises an error if a file without locks changed in the block, also in place of an error that came from the change."""
        try:
            yield
        finally:
            if self._unlocked is not None and self._unlocked.is_torn(state_of(self.path)):
                raise changed_meanwhile(self.path)

    def value(self, sql: str, parameters: Parameters = ()) -> Any:
        """Returns the first column of the first row; None if there is no row."""
        found = self.rows(sql, parameters)
        return found[0][0] if found else None

    def run(self, sql: str, parameters: Parameters = ()) -> int:
        """Runs a statement; returns the number of rows that it changed."""
        with told_plainly(self.path):
            return self._connection.execute(sql, parameters).rowcount

    def make_temporary(self, statements: Iterable[str]) -> None:
        """Creates temporary tables and views, which last as long as the connection; readers may create them, too."""
        # SQLite counts creating a temporary virtual table as writing.
        self.run("PRAGMA query_only = OFF")
        for statement in statements:
            self.run(statement)
        if not self.writable:
            self.run("PRAGMA query_only = ON")

    def run_many(self, sql: str, rows: Iterable[Parameters]) -> None:
        """Runs a statement once for each row. Must be called inside a transaction."""
        with told_plainly(self.path):
            self._connection.executemany(sql, rows)


def _finish_encrypting(folder: Path) -> None:
    if os.path.lexists(folder / KEY_FILE_NAME):
        from noderag_local.storage.encryption.key_file import is_encrypted_in_part

        if is_encrypted_in_part(folder):
            from noderag_local.storage.encryption.conversion import finish_encrypting

            finish_encrypting(folder)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


class Facts(MutableMapping[str, str]):
    """Facts about the whole vault, by name, such as the tokenizer of its sentences and the model of its vectors."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getitem__(self, name: str) -> str:
        value = self._store.value("SELECT value FROM facts WHERE name = ?", (name,))
        if value is None:
            raise KeyError(name)
        return str(value)

    def __setitem__(self, name: str, value: str) -> None:
        with self._store.transaction():
            self._store.run("INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", (name, value))

    def __delitem__(self, name: str) -> None:
        with self._store.transaction():
            self._store.run("DELETE FROM facts WHERE name = ?", (name,))

    def __iter__(self) -> Iterator[str]:
        return iter([name for (name,) in self._store.rows("SELECT name FROM facts ORDER BY name")])

    def __len__(self) -> int:
        return int(self._store.value("SELECT count(*) FROM facts"))
