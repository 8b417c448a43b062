"""The backups of a vault: each a folder with copies of its SQLite files, named by when it was made (UTC).

A backup has no caches, as they can be made again. It gets its name only once it is whole and on the disk. The backup of an
encrypted vault is encrypted by the same key, and has a copy of the key file.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from noderag_local.domain.errors import StoreError, VaultMissing
from noderag_local.storage.backup.database_copy import check_database, copy_database
from noderag_local.storage.conversations import conversation_file
from noderag_local.storage.database import connection
from noderag_local.storage.database.own_schema import CONVERSATION_SCHEMAS, INDEX_SCHEMAS
from noderag_local.storage.database.sqlite_errors import told_plainly
from noderag_local.storage.encryption.generations import check_generations
from noderag_local.storage.encryption.key_file import KeyFile, is_encrypted_in_part, read_key_file
from noderag_local.system.disk.on_disk import sync, wipe_folder
from noderag_local.system.disk.private_files import copy_private, make_private_file, make_private_folder

FOLDER_NAME = "backups"
NEWEST_KEPT, DAYS_KEPT, WEEKS_KEPT = 3, 7, 4
"""Numbers of backups that are kept: the newest ones, one of each of the last days, one of each of the last weeks."""
BETWEEN = timedelta(days=1)
"""Time between two automatic backups."""
ROOM_LEFT_BYTES = 200_000_000
"""Free space that a backup must leave: about two vaults of ten thousand notes."""

_FORMS = {
    connection.FILE_NAME: (connection.APPLICATION_ID, INDEX_SCHEMAS),
    conversation_file.FILE_NAME: (conversation_file.APPLICATION_ID, CONVERSATION_SCHEMAS),
}
_NAME = "%Y-%m-%dT%H-%M-%S-%fZ"
_UNFINISHED = ".part"
_ASIDE = "aside-"
_RENEWAL = "vault.renew-backups"


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup of a vault."""

    folder: Path
    made: datetime
    """Time when the backup was made (UTC)."""

    @property
    def files(self) -> tuple[Path, ...]:
        """Files of the backup."""
        return tuple(path for name in _FORMS if (path := self.folder / name).is_file())

    @property
    def size_bytes(self) -> int:
        """Size of all files together."""
        return sum(path.stat().st_size for path in self.files)

    def check(self) -> None:
        """Reads and checks the whole backup.

        Raises:
            VaultDamaged: the backup is not whole, or of a newer version.
            StoreError: the backup cannot be read.
        """
        for path in self.files:
            check_database(path, *_FORMS[path.name])


class Backups:
    """The backups of one vault, all in one folder."""

    def __init__(self, vault: Path, place: Path | None = None, room_left_bytes: int = ROOM_LEFT_BYTES) -> None:
        """Takes the folder of a vault, which need not exist.

        Args:
            vault: folder of the vault.
            place: folder of the backups; None: inside the vault's folder.
            room_left_bytes: free space that a backup must leave on its disk.
        """
        self._room_left_bytes = room_left_bytes
        self._vault = vault
        self.place = place or vault / FOLDER_NAME

    def all(self) -> list[Backup]:
        """Returns every whole backup, the newest first."""
        found = [Backup(folder, made) for folder in self.places() if (made := _moment(folder.name))]
        return sorted(found, key=lambda backup: backup.made, reverse=True)

    def holding(self) -> int:
        """Returns the number of folders with older notes: backups, whole or not, and vaults that a restore put aside."""
        return len(self.places()) + len(self.unfinished())

    def make(self) -> Backup:
        """Makes a backup, and removes those that the rule does not keep.

        Raises:
            VaultMissing: there is no vault.
            VaultDamaged: the vault is not in order; all backups stay.
            StoreError: there is not enough room, or the disk fails.
        """
        sources = [path for name in _FORMS if (path := self._vault / name).is_file()]
        if not sources or sources[0].name != connection.FILE_NAME:
            raise connection.missing_vault(self._vault / connection.FILE_NAME)
        now = self._moment_of_next()
        target = self.place / now.strftime(_NAME)
        unfinished = target.with_name(target.name + _UNFINISHED)
        with told_plainly(self.place):
            make_private_folder(self.place)
            self._clear(self.unfinished())
            self._needs_room(sum(path.stat().st_size for path in sources))
            key_file = self._checked_key_file()
            make_private_folder(unfinished)
        try:
            if key_file is not None:
                with told_plainly(self.place):
                    key_file.write(unfinished)
            for path in sources:
                copy_database(path, unfinished / path.name)
            with told_plainly(self.place):
                sync(unfinished)
                unfinished.rename(target)
                sync(self.place)
        except BaseException:
            self._clear([unfinished])
            raise
        self._rotate()
        return Backup(target, now)

    def _checked_key_file(self) -> KeyFile | None:
        """Returns the key file to copy into a backup; None for a vault that is not encrypted.

        Raises:
            StoreError: the vault is encrypted in part.
            VaultReplaced: its files are older than they were, or not its own.
        """
        key_file = read_key_file(self._vault)
        if is_encrypted_in_part(self._vault):
            raise StoreError(
                f"{self._vault} is encrypted in part. Finish it with noderag encrypt or noderag decrypt, then run this again."
            )
        check_generations(self._vault)
        return key_file and replace(key_file, plain={}, plain_mac="")

    def renew(self) -> Backup:
        """Makes a backup and removes all others, and what a restore has put aside.

        Raises:
            VaultMissing, VaultDamaged, StoreError: as `make`; then all stay.
        """
        made = self.make()
        self._remove(folder for folder in self.places() if folder != made.folder)
        if self.holding() == 1:
            self._renewal.unlink(missing_ok=True)
        return made

    def note_renewal(self) -> None:
        """Notes that `renew` must follow, so that another process does it if this one ends before."""
        with told_plainly(self._renewal):
            make_private_file(self._renewal)

    @property
    def are_to_be_renewed(self) -> bool:
        """Returns whether `note_renewal` was called, and no `renew` has followed yet."""
        return self._renewal.exists()

    @property
    def _renewal(self) -> Path:
        # Not in the vault's database, which a backup has a copy of.
        return self._vault / _RENEWAL

    def is_due(self) -> bool:
        """Returns whether the newest backup is older than BETWEEN, or there is none."""
        newest = next(iter(self.all()), None)
        # A clock that was set back must not keep backups from being made.
        return newest is None or abs(datetime.now(UTC) - newest.made) >= BETWEEN

    def put_aside(self, files: Sequence[Path]) -> Path:
        """Copies files that are about to be replaced; returns the folder with the copies, which appears once it is whole.

        Raises:
            StoreError: there is not enough room, or the disk fails.
        """
        target = self.place / (_ASIDE + datetime.now(UTC).strftime(_NAME))
        unfinished = target.with_name(target.name + _UNFINISHED)
        with told_plainly(self.place):
            make_private_folder(self.place)
            self._needs_room(sum(path.stat().st_size for path in files))
        try:
            with told_plainly(self.place):
                make_private_folder(unfinished)
                for path in files:
                    copy_private(path, unfinished / path.name)
                sync(unfinished)
                unfinished.rename(target)
                sync(self.place)
        except BaseException:
            self._clear([unfinished])
            raise
        return target

    def _moment_of_next(self) -> datetime:
        """Returns the present time; or, after the clock was set back, a time just after the newest backup, to keep their order."""
        newest = max((backup.made for backup in self.all()), default=None)
        now = datetime.now(UTC)
        return now if newest is None else max(now, newest + timedelta(microseconds=1))

    def places(self) -> list[Path]:
        """Returns the folders of backups, and of what a restore has put aside."""
        return [path for path in self._folders() if _moment(path.name.removeprefix(_ASIDE))]

    def unfinished(self) -> list[Path]:
        """Returns unfinished folders of killed processes: they hold copies of notes, and are no backups."""
        left = [path for path in self._folders() if path.name.endswith(_UNFINISHED)]
        return [path for path in left if _moment(path.name.removeprefix(_ASIDE).removesuffix(_UNFINISHED))]

    def remove(self, place: Path) -> None:
        """Overwrites and removes a folder of `places`; after a kill it counts as unfinished, never as whole.

        Raises:
            OSError: the folder cannot be removed.
        """
        unfinished = place.with_name(place.name + _UNFINISHED)
        place.rename(unfinished)
        # It holds notes, of which some may be forgotten by now, or one day.
        wipe_folder(unfinished)

    def _folders(self) -> list[Path]:
        try:
            # No links: whoever made the vault may have let one lead anywhere, and what is no longer kept is overwritten.
            return [path for path in sorted(self.place.iterdir()) if path.is_dir() and not path.is_symlink()]
        except OSError:
            return []

    def _needs_room(self, size_bytes: int) -> None:
        free = shutil.disk_usage(self.place).free
        if free < size_bytes + self._room_left_bytes:
            raise StoreError(
                f"A backup of {size_bytes / 1e6:.0f} MB does not fit: {self.place} has {free / 1e6:.0f} MB free, of which "
                f"{self._room_left_bytes / 1e6:.0f} are to stay. Make room, or name another place: noderag backup DIR."
            )

    def _rotate(self) -> None:
        there = self.all()
        kept = kept_moments([backup.made for backup in there])
        self._remove(backup.folder for backup in there if backup.made not in kept)

    def _remove(self, folders: Iterable[Path]) -> None:
        for folder in list(folders):
            with suppress(OSError):
                self.remove(folder)

    def _clear(self, unfinished: Iterable[Path]) -> None:
        for folder in unfinished:
            with suppress(OSError):
                wipe_folder(folder)


def kept_moments(moments: Sequence[datetime]) -> set[datetime]:
    """Returns the backups that the rule keeps: the NEWEST_KEPT newest, and a few of the days and weeks before."""
    newest_first = sorted(moments, reverse=True)
    kept = set(newest_first[:NEWEST_KEPT])
    for spelled, most in (("%Y-%m-%d", DAYS_KEPT), ("%G-%V", WEEKS_KEPT)):
        newest_of: dict[str, datetime] = {}
        for moment in newest_first:
            newest_of.setdefault(moment.strftime(spelled), moment)
        kept |= set(list(newest_of.values())[:most])
    return kept


def _moment(name: str) -> datetime | None:
    try:
        return datetime.strptime(name, _NAME).replace(tzinfo=UTC)
    except ValueError:
        return None


def chosen_backup(vault: Path, named: Path | None) -> Backup:
    """Returns the backup that a person means.

    Args:
        vault: folder of the vault.
        named: folder of the backup or a file in it; a folder of backups stands for the newest in it; None: the
            vault's newest.

    Raises:
        VaultMissing: there is no backup.
    """
    if named is not None:
        folder = named if named.is_dir() else named.parent
        made = _moment(folder.name)
        if made and (folder / connection.FILE_NAME).is_file():
            return Backup(folder, made)
    backups = Backups(vault, named)
    newest = next(iter(backups.all()), None)
    if newest is None:
        raise VaultMissing(f"There is no backup in {backups.place}. Name one: noderag restore BACKUP.")
    return newest
