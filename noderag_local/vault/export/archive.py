"""Writes a vault as one file of JSON Lines, and makes the same vault from it again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import groupby, islice
from pathlib import Path
from typing import BinaryIO

from noderag_local.domain.errors import SourceError, StoreError, VaultDamaged
from noderag_local.domain.graph import NodeType
from noderag_local.storage.conversations import conversation_file
from noderag_local.storage.conversations.turn_documents import retrieval_of, scope_of
from noderag_local.storage.database import connection
from noderag_local.storage.database.connection import FORMAT
from noderag_local.storage.database.fact_names import CONVERSATIONS_SEEN, GENERATION, STAMP
from noderag_local.storage.database.sqlite_errors import sqlite_errors
from noderag_local.storage.database.store import Store
from noderag_local.storage.database.whole_tables import (
    Query,
    Table,
    count_rows,
    dangling,
    emptying_of,
    insert_of,
    query_of,
    rebuild_of,
    rows_of,
    tables,
    vault_format,
    word_indexes,
)
from noderag_local.storage.documents.brought_roots import BroughtRoots
from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.storage.vectors.vectors import VectorRows
from noderag_local.system.disk.new_files import new_file
from noderag_local.vault.export.archive_lines import FORM, Cell, Head, LineWriter, Row, check, rows
from noderag_local.vault.export.sealed import is_sealed, sealing, unsealed

TALK = "conversations/"
"""Stands before the names of the tables of conversations."""
ROWS_A_STATEMENT = 1000
BYTES_A_STATEMENT = 4 << 20
"""Bytes of text in one statement, so that a file of long rows takes no more memory than one of short ones."""

_STAMPED_ANEW = ("facts", "skipped")
"""Tables that may hold something in a vault that is empty; an import replaces it."""

_OWN_FACTS = (GENERATION, STAMP, CONVERSATIONS_SEEN)
_PATHS = ("path", "root", "later")

_RunMany = Callable[[str, Iterable[Sequence[Cell]]], object]
Passphrase = Callable[[], str]
"""Asks for the passphrase; called only where one is needed."""


@dataclass(frozen=True, slots=True)
class Carried:
    """The result of an export or import."""

    path: str
    rows: int
    documents: int
    conversations: int
    roots: tuple[str, ...] = ()
    """Folders and files that the imported notes were read from; none is followed until it is indexed by name."""


def write_archive(
    store: Store, path: Path, *, conversations: bool, passphrase: Passphrase | None, force: bool
) -> Carried:
    """Writes one state of a vault into a file, whatever a writer commits meanwhile.

    Args:
        conversations: those as well.
        passphrase: asks for one, which alone will open the file; None: anybody who can read the file can.
        force: it may take the place of another file.

    Raises:
        SourceError: the file cannot be written, or is there already.
        StoreError: the vault cannot be read.
    """
    with ExitStack() as stack:
        stack.enter_context(store.steady())
        if vault_format(store.rows) < FORMAT:
            raise StoreError(f"{store.path} was made by an older version. Index once more to bring it up to date.")
        found: list[tuple[str, Query, list[Table]]] = [("", store.rows, tables(store.rows))]
        talk = stack.enter_context(conversation_file.reading(store.folder / conversation_file.FILE_NAME))
        if conversations and talk is not None:
            found.append((TALK, query_of(talk), tables(query_of(talk))))
        counts = {before + one.name: count_rows(query, one) for before, query, its in found for one in its}
        file = stack.enter_context(new_file(path, force=force))
        if passphrase is not None:
            file = stack.enter_context(sealing(file, passphrase()))
        lines = LineWriter(file, Head("vault", FORM, FORMAT, counts))
        for before, query, its in found:
            for one in its:
                for row in rows_of(query, one):
                    lines.row(before + one.name, one.columns, row)
        lines.end()
    return _carried(path, counts)


def read_archive(folder: Path, path: Path, passphrase: Passphrase) -> Carried:
    """Makes the vault in `folder` from a file, completely or not at all.

    The folders that it was read from are not followed: whoever made the file may have named any. Indexing them by name does.

    Raises:
        SourceError: the file cannot be read, is no export, was cut or changed, or the passphrase is another one.
        StoreError: it was made by a newer version; the vault holds something already, or cannot be written.
    """
    opened = _Source(path, passphrase)
    with opened.lines() as file:
        head = check(path, file, FORMAT)
    with _nothing_left(folder), Store.open(folder, write=True) as store, opened.lines() as file:
        _refuse_unless_empty(store, folder, head)
        with ExitStack() as stack:
            stack.enter_context(store.transaction())
            known = _Tables(path, store, stack if _talks(head) else None)
            written = Counter[str]()
            for name, batch in _batches(rows(path, file)):
                known.insert(name, batch)
                written[name] += len(batch)
            known.set_own_facts()
            if written != Counter(head.tables) or dangling(store.rows):
                raise _not_fitting(path)
            for index in word_indexes(store.rows):
                store.run(rebuild_of(index))
            known.check_readable()
            roots = BroughtRoots(store).keep()
            store.touch()
        store.checkpoint()
    return replace(_carried(path, head.tables), roots=roots)


@contextmanager
def _nothing_left(folder: Path) -> Iterator[None]:
    """Removes the databases that the block has made when it fails."""
    made = [
        path for name in (connection.FILE_NAME, conversation_file.FILE_NAME) if not (path := folder / name).exists()
    ]
    try:
        yield
    except (SourceError, StoreError):
        for path in made:
            for end in ("-wal", "-shm", ""):
                with suppress(OSError):
                    path.with_name(f"{path.name}{end}").unlink(missing_ok=True)
        raise


class _Source:
    """The file, opened twice: to be checked, and to be taken in. A passphrase is asked for once."""

    def __init__(self, path: Path, passphrase: Passphrase) -> None:
        self._path = path
        if path.exists() and not path.is_file():
            raise SourceError(f"{path} is no file. Name one that noderag export FILE.jsonl has made.")
        with self._told_plainly():
            self._passphrase = passphrase() if is_sealed(path) else None

    @contextmanager
    def lines(self) -> Iterator[BinaryIO]:
        with self._told_plainly(), self._path.open("rb") as file:
            yield file if self._passphrase is None else unsealed(self._path, file, self._passphrase)

    @contextmanager
    def _told_plainly(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise SourceError(
                f"{self._path} cannot be read: {error.strerror or error}. Check the path and its permissions."
            ) from error


class _Tables:
    """The tables of a vault that is being filled, and those of its conversations.

    The conversations are another file, which is committed first. An import that was killed between the two has left them
    all, and they are compared instead of added.
    """

    def __init__(self, path: Path, store: Store, talk: ExitStack | None) -> None:
        self._path, self._folder, self._store = path, store.folder, store
        self._talk: Query | None = None
        own = {name: store.facts.get(name) for name in _OWN_FACTS}
        self._own_facts = {name: value for name, value in own.items() if value is not None}
        self._there: dict[str, Iterator[Sequence[Cell]]] = {}
        # In any order of the tables; what points at nothing is refused when the transaction ends.
        store.run("PRAGMA defer_foreign_keys = ON")
        self._targets: dict[str, tuple[Table, _RunMany]] = {}
        for one in tables(store.rows):
            self._targets[one.name] = one, store.run_many
            if one.name in _STAMPED_ANEW:
                store.run(emptying_of(one))
        if talk is not None:
            talks = talk.enter_context(conversation_file.writing(store.folder / conversation_file.FILE_NAME))
            talks.execute("PRAGMA defer_foreign_keys = ON")
            query = self._talk = query_of(talks)
            for one in tables(query):
                self._targets[TALK + one.name] = one, talks.executemany
                if count_rows(query, one):
                    self._there[TALK + one.name] = rows_of(query, one)

    def insert(self, name: str, batch: Sequence[Row]) -> None:
        """Adds rows to a table; columns that an older version did not have take their defaults."""
        columns = tuple(batch[0])
        if name not in self._targets or not set(columns) <= set(self._targets[name][0].columns):
            raise SourceError(
                f"{self._path} holds a table {name!r}, or columns of it, that noderag does not have. Nothing was imported."
            )
        table, run_many = self._targets[name]
        values = [tuple(row.values()) for row in batch]
        if not all(_fits(table.kinds[column], column, cell) for row in batch for column, cell in row.items()):
            raise _not_fitting(self._path)
        if name not in self._there:
            try:
                run_many(insert_of(table, columns), values)
            except sqlite_errors("IntegrityError") as error:
                raise _not_fitting(self._path) from error
            except StoreError as error:
                if isinstance(error.__cause__, sqlite_errors("IntegrityError")):
                    raise _not_fitting(self._path) from error
                raise
        elif columns != table.columns or values != list(islice(self._there[name], len(batch))):
            raise _holds_something(self._folder)

    def set_own_facts(self) -> None:
        """Keeps this vault's own counts of its states, whatever the file says."""
        for name in _OWN_FACTS:
            self._store.facts.pop(name, None)
        self._store.facts.update(self._own_facts)

    def check_readable(self) -> None:
        """Reads what searches and lists read, to find damage.

        Raises:
            SourceError: the values do not mean what their columns say.
        """
        try:
            Snapshot.of_rows(self._store)
            for kind in NodeType:
                VectorRows(self._store).matrix(kind)
            for texts in self._store.rows("SELECT tags, aliases FROM documents"):
                _lists(*texts)
            for texts in self._store.rows("SELECT links, tags FROM sentences WHERE links <> '' OR tags <> ''"):
                _lists(*texts)
            for found, scope in self._talk("SELECT found, scope FROM turns", ()) if self._talk else ():
                retrieval_of(found)
                scope_of(scope)
        except (VaultDamaged, ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError) as error:
            raise _not_fitting(self._path) from error


def _fits(kind: str, column: str, cell: Cell) -> bool:
    """Whether a value has the type of its column; paths that are not UTF-8 are bytes."""
    if cell is None or not kind:
        return True
    if kind == "TEXT":
        return isinstance(cell, str) or (isinstance(cell, bytes) and column in _PATHS)
    return isinstance(cell, {"INTEGER": int, "REAL": int | float, "BLOB": bytes}[kind])


def _lists(*texts: str) -> None:
    for text in texts:
        if text and not isinstance(json.loads(text), list):
            raise ValueError(f"{text[:20]!r} is no list")


def _not_fitting(path: Path) -> SourceError:
    return SourceError(f"{path} does not fit together. Nothing was imported; export the vault once more.")


def _batches(found: Iterator[tuple[str, Row]]) -> Iterator[tuple[str, list[Row]]]:
    """Yields batches of rows of one table with the same columns."""
    for (name, _), group in groupby(found, key=lambda one: (one[0], tuple(one[1]))):
        batch: list[Row] = []
        size = 0
        for _, row in group:
            batch.append(row)
            size += sum(len(cell) for cell in row.values() if isinstance(cell, str | bytes))
            if len(batch) >= ROWS_A_STATEMENT or size >= BYTES_A_STATEMENT:
                yield name, batch
                batch, size = [], 0
        if batch:
            yield name, batch


def _refuse_unless_empty(store: Store, folder: Path, head: Head) -> None:
    kept = [one for one in tables(store.rows) if one.name not in _STAMPED_ANEW and count_rows(store.rows, one)]
    if kept or (_talks(head) and _holds_other_talks(folder, head)):
        raise _holds_something(folder)


def _holds_other_talks(folder: Path, head: Head) -> bool:
    """Whether the number of conversations in the folder shows that they are not those of the file."""
    with conversation_file.reading(folder / conversation_file.FILE_NAME) as talk:
        if talk is None:
            return False
        query = query_of(talk)
        counts = {TALK + one.name: count_rows(query, one) for one in tables(query)}
        return any(count not in (0, head.tables.get(name, 0)) for name, count in counts.items())


def _holds_something(folder: Path) -> StoreError:
    return StoreError(f"{folder} holds something already. Import into a new vault: --vault DIR.")


def _talks(head: Head) -> bool:
    return any(name.startswith(TALK) for name in head.tables)


def _carried(path: Path, counts: dict[str, int]) -> Carried:
    return Carried(str(path), sum(counts.values()), counts.get("documents", 0), counts.get(f"{TALK}conversations", 0))
