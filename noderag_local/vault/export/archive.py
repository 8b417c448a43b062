"""Exports a vault to a file of JSON Lines, and imports such a file into a new vault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from noderag_local.domain.errors import SourceError, StoreError
from noderag_local.storage.conversations import conversation_file
from noderag_local.storage.database import connection
from noderag_local.storage.database.connection import FORMAT
from noderag_local.storage.database.store import Store
from noderag_local.storage.database.whole_tables import (
    Query,
    Table,
    count_rows,
    dangling,
    query_of,
    rebuild_of,
    rows_of,
    tables,
    vault_format,
    word_indexes,
)
from noderag_local.storage.documents.noted_roots import BroughtRoots
from noderag_local.system.disk.new_files import new_file
from noderag_local.vault.export.archive_filling import (
    STAMPED_ANEW,
    TALK,
    VaultFilling,
    batches,
    holds_something,
    not_fitting,
)
from noderag_local.vault.export.archive_lines import FORM, Head, LineWriter, check, rows
from noderag_local.vault.export.sealed import is_sealed, sealing, unsealed

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
    """Folders and files of the imported notes; none is followed until the user indexes it by name."""


def write_archive(
    store: Store, path: Path, *, conversations: bool, passphrase: Passphrase | None, force: bool
) -> Carried:
    """Writes one state of a vault into a file, whatever a writer commits meanwhile.

    Args:
        store: the vault to export.
        path: the file to write.
        conversations: exports the vault's conversations, too.
        passphrase: asks for a passphrase that encrypts the file; None writes it unencrypted.
        force: whether a file of the same name is replaced.

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
    """Makes the vault in `folder` from an exported file, completely or not at all.

    The folders of the imported notes are not followed, since the file may come from somebody else, until the user indexes them by
    name.

    Raises:
        SourceError: the file cannot be read, is not an export, was cut off or changed, or the passphrase is wrong.
        StoreError: the file was made by a newer version; or the vault is not empty or cannot be written.
    """
    opened = _Source(path, passphrase)
    with opened.lines() as file:
        head = check(path, file, FORMAT)
    with _nothing_left(folder), Store.open(folder, write=True) as store, opened.lines() as file:
        _refuse_unless_empty(store, folder, head)
        with ExitStack() as stack:
            stack.enter_context(store.transaction())
            known = VaultFilling(path, store, stack if _talks(head) else None)
            written = Counter[str]()
            for name, batch in batches(rows(path, file)):
                known.insert(name, batch)
                written[name] += len(batch)
            known.set_own_facts()
            if written != Counter(head.tables) or dangling(store.rows):
                raise not_fitting(path)
            for index in word_indexes(store.rows):
                store.run(rebuild_of(index))
            known.check_readable()
            roots = BroughtRoots(store).keep()
            store.touch()
        store.checkpoint()
    return replace(_carried(path, head.tables), roots=roots)


@contextmanager
def _nothing_left(folder: Path) -> Iterator[None]:
    """Removes the databases that the block has made if the block fails."""
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
    """The exported file, which is read twice: to check it and to import it. It asks for the passphrase once."""

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


def _refuse_unless_empty(store: Store, folder: Path, head: Head) -> None:
    kept = [one for one in tables(store.rows) if one.name not in STAMPED_ANEW and count_rows(store.rows, one)]
    if kept or (_talks(head) and _holds_other_talks(folder, head)):
        raise holds_something(folder)


def _holds_other_talks(folder: Path, head: Head) -> bool:
    """Returns whether the folder has conversations that do not come from the file, judged by their number."""
    with conversation_file.reading(folder / conversation_file.FILE_NAME) as talk:
        if talk is None:
            return False
        query = query_of(talk)
        counts = {TALK + one.name: count_rows(query, one) for one in tables(query)}
        return any(count not in (0, head.tables.get(name, 0)) for name, count in counts.items())


def _talks(head: Head) -> bool:
    return any(name.startswith(TALK) for name in head.tables)


def _carried(path: Path, counts: dict[str, int]) -> Carried:
    return Carried(str(path), sum(counts.values()), counts.get("documents", 0), counts.get(f"{TALK}conversations", 0))
