"""Makes, lists and removes the backups of a vault.

A backup is a folder with copies of the vault's SQLite files, named by the time when it was made (UTC). It has no caches, since
they can be made again. It gets its name only once it is complete and on the disk. The backup of an encrypted vault is
encrypted with the same key and includes a copy of the key file.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from noderag_local.domain.errors import StoreError, VaultMissing
from noderag_local.storage.backup.backups_elsewhere import note_elsewhere, noted_elsewhere
from noderag_local.storage.backup.database_copy import check_database, copy_database
from noderag_local.storage.conversations import conversation_file
from noderag_local.storage.database import connection
from noderag_local.storage.database.own_schema import CONVERSATION_SCHEMAS, INDEX_SCHEMAS
from noderag_local.storage.database.sqlite_errors import told_plainly
from noderag_local.storage.encryption.generations import check_generations
from noderag_local.storage.encryption.key_file import KeyFile, is_encrypted_in_part, read_key_file
from noderag_local.system.disk.on_disk import sync, wipe_folder
from noderag_local.system.disk.presence import is_file, is_folder
from noderag_local.system.disk.private_files import copy_private, make_private_file, make_private_folder

FOLDER_NAME = "backups"
NEWEST_KEPT, DAYS_KEPT, WEEKS_KEPT = 3, 7, 4
"""Numbers of backups that are kept: of the newest, of the last days (one a day) and of the last weeks (one a week)."""
BETWEEN = timedelta(days=1)
"""Time between two automatic backups."""
ROOM_LEFT_BYTES = 200_000_000
"""Free disk space, in bytes, that a backup must leave: about two vaults of ten thousand notes."""

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
        """Reads the whole backup and checks that it is complete and undamaged.

        Raises:
            VaultDamaged: the backup is damaged, incomplete or of a newer version.
            StoreError: the backup cannot be read.
        """
        for path in self.files:
            check_database(path, *_FORMS[path.name])


class Backups:
    """The backups of one vault, all in one folder."""

    def __init__(self, vault: Path, place: Path | None = None, room_left_bytes: int = ROOM_LEFT_BYTES) -> None:
        """Finds the backups of a vault; the vault itself need not exist any more.

        Args:
            vault: folder of the vault.
            place: folder of the backups; None stands for the one inside the vault's folder.
            room_left_bytes: free space that a backup must leave on its disk.
        """
        self._room_left_bytes = room_left_bytes
        self._vault = vault
        self.place = place or vault / FOLDER_NAME

    def all(self) -> list[Backup]:
        """Returns every complete backup, the newest first."""
        found = [Backup(folder, made) for folder in self.places() if (made := _moment(folder.name))]
        return sorted(found, key=lambda backup: backup.made, reverse=True)

    def holding(self) -> int:
        """Returns the number of folders that hold older notes: backups, complete or not, and files that a restore set aside."""
        return len(self.places()) + len(self.unfinished())

    def make(
        self,
        progress: Callable[[int, int], None] = lambda done, total: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Backup:
        """Makes a backup and removes the ones that `kept_moments` does not keep.

        Args:
            progress: receives the number of copied pages of the present file, and of all its pages.
            cancelled: called often; True stops, and nothing of the backup stays.

        Raises:
            CopyStopped: `cancelled` was true.
            VaultMissing: there is no vault.
            VaultDamaged: the vault is damaged; all backups stay.
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
                copy_database(path, unfinished / path.name, progress, cancelled)
            with told_plainly(self.place):
                sync(unfinished)
                unfinished.rename(target)
                sync(self.place)
        except BaseException:
            self._clear([unfinished])
            raise
        self._rotate()
        if self.place != self._vault / FOLDER_NAME:
            note_elsewhere(self._vault, target)
        return Backup(target, now)

    def _checked_key_file(self) -> KeyFile | None:
        """Returns the key file to copy into a backup; None for a vault that is not encrypted.

        Raises:
            StoreError: only a part of the vault is encrypted.
            VaultReplaced: the vault's files were replaced by older ones or by those of another vault.
        """
        key_file = read_key_file(self._vault)
        if is_encrypted_in_part(self._vault):
            raise StoreError(
                f"Only a part of {self._vault} is encrypted. Finish with noderag encrypt or noderag decrypt, then run this again."
            )
        check_generations(self._vault)
        return key_file and replace(key_file, plain={}, plain_mac="")

    def renew(
        self,
        progress: Callable[[int, int], None] = lambda done, total: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Backup:
        """Makes a backup and removes all others, including files that a restore set aside; arguments as for `make`.

        Raises:
            CopyStopped, VaultMissing, VaultDamaged, StoreError: as for `make`; then nothing is removed.
        """
        made = self.make(progress, cancelled)
        self._remove(folder for folder in self.places() if folder != made.folder)
        if self.holding() == 1:
            self._renewal.unlink(missing_ok=True)
        return made

    def note_renewal(self) -> None:
        """Records that `renew` is due, so that a later process calls it if this one is killed first."""
        with told_plainly(self._renewal):
            make_private_file(self._renewal)

    @property
    def are_to_be_renewed(self) -> bool:
        """Returns whether `note_renewal` was called and `renew` has not finished since."""
        return self._renewal.exists()

    @property
    def _renewal(self) -> Path:
        # A file of its own: a note in the vault's database would be copied into every backup.
        return self._vault / _RENEWAL

    def is_due(self) -> bool:
        """Returns whether the newest backup is older than BETWEEN, or there is none."""
        newest = next(iter(self.all()), None)
        # If the clock was set back, the newest backup lies in the future; the next one is made all the same.
        return newest is None or abs(datetime.now(UTC) - newest.made) >= BETWEEN

    def put_aside(self, files: Sequence[Path]) -> Path:
        """Copies files that are about to be replaced into a new folder, and returns it; it appears once it is complete.

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
        """Returns the time that names the next backup: now, or just after the newest backup if the clock was set back."""
        newest = max((backup.made for backup in self.all()), default=None)
        now = datetime.now(UTC)
        return now if newest is None else max(now, newest + timedelta(microseconds=1))

    def places(self) -> list[Path]:
        """Returns the folders of all backups and of the files that a restore set aside."""
        return [path for path in self._folders() if _moment(path.name.removeprefix(_ASIDE))]

    def unfinished(self) -> list[Path]:
        """Returns the unfinished folders of killed processes: they hold copies of notes but are no usable backups."""
        left = [path for path in self._folders() if path.name.endswith(_UNFINISHED)]
        return [path for path in left if _moment(path.name.removeprefix(_ASIDE).removesuffix(_UNFINISHED))]

    def remove(self, place: Path) -> None:
        """Overwrites and removes a folder of `places`; if the process is killed, the folder counts as unfinished.

        Raises:
            OSError: the folder cannot be removed.
        """
        unfinished = place.with_name(place.name + _UNFINISHED)
        place.rename(unfinished)
        # Overwritten, because the user may have forgotten some of its notes or may do so later.
        wipe_folder(unfinished)

    def _folders(self) -> list[Path]:
        try:
            # Links are ignored: old backups are overwritten, and a link in somebody else's vault may lead to any folder.
            return [path for path in sorted(self.place.iterdir()) if path.is_dir() and not path.is_symlink()]
        except OSError:
            return []

    def _needs_room(self, size_bytes: int) -> None:
        free = shutil.disk_usage(self.place).free
        if free < size_bytes + self._room_left_bytes:
            raise StoreError(
                f"A backup of {size_bytes / 1e6:.0f} MB does not fit: {self.place} has {free / 1e6:.0f} MB free, of which "
                f"{self._room_left_bytes / 1e6:.0f} MB must stay free. Free some space, or choose another folder: noderag backup DIR."
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


def newest_backup(vault: Path) -> Backup | None:
    """Returns the newest backup of a vault in any folder that is known; its drive may not be there now. None if there is none."""
    elsewhere = [Backup(folder, made) for folder in noted_elsewhere(vault) if (made := _moment(folder.name))]
    return max([*Backups(vault).all(), *elsewhere], key=lambda backup: backup.made, default=None)


def kept_moments(moments: Sequence[datetime]) -> set[datetime]:
    """Returns the times of the backups to keep: the NEWEST_KEPT newest and one each of the last days and weeks."""
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
    """Returns the backup that the user named, or the vault's newest.

    Args:
        vault: folder of the vault.
        named: folder of a backup, a file in it, or a folder of backups, which stands for its newest; None stands for the
        newest backup of the vault.

    Raises:
        VaultMissing: there is no backup.
    """
    if named is not None:
        folder = named if is_folder(named) else named.parent
        made = _moment(folder.name)
        if made and is_file(folder / connection.FILE_NAME):
            return Backup(folder, made)
    backups = Backups(vault, named)
    newest = next(iter(backups.all()), None)
    if newest is None:
        raise VaultMissing(f"There is no backup in {backups.place}. Name one: noderag restore BACKUP.")
    return newest
