"""A whole vault put into the form of a key, or of none: its databases, caches and backups."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from noderag_local.disk.on_disk import sync, wipe, wipe_folder
from noderag_local.errors import VaultDamaged
from noderag_local.store.backups import Backups
from noderag_local.store.cache_file import caches
from noderag_local.store.conversion import convert_folder, databases
from noderag_local.store.course import Course, Stopped
from noderag_local.store.key_file import KeyFile, read_key_file
from noderag_local.store.sqlite_file import is_plain_database
from noderag_local.store.vault_key import KEY_FILE_NAME, VaultKey


@dataclass(frozen=True, slots=True)
class Converted:
    """What encrypting or decrypting did."""

    backups: int
    """Folders of backups, and of what was put aside, that were converted or removed."""
    left: tuple[Path, ...]
    """Those that are damaged, or encrypted by another key, and are as they were."""
    stopped: bool
    """Whether the user stopped it: what is done stays so, and the next run does the rest."""


class VaultConversion:
    """Encrypts or decrypts one vault, whose writer lock the caller holds."""

    def __init__(self, folder: Path, file: KeyFile, key: VaultKey, *, encrypts: bool, drops_backups: bool) -> None:
        """
        Args:
            file: the vault's, with its key.
            drops_backups: removes them instead of converting them; those with another key stay.
        """
        self._folder, self._file = folder, file
        self._encrypts, self._drops = encrypts, drops_backups
        self._wanted = key if encrypts else None
        self._before = None if encrypts else key
        self._backups = Backups(folder)

    def run(self, course: Course) -> Converted:
        """All of it, or until the user stops it.

        Raises:
            VaultDamaged: the vault is not in order, and stays as it is.
            StoreError: it is open in another program; there is no room, or the disk fails.
            OSError: the disk fails.
        """
        there = self._backups.places()
        ours = [place for place in there if self._is_ours(place)]
        left = [place for place in there if place not in ours]
        done = 0
        course.expect(path for place in (self._folder, *([] if self._drops else ours)) for path in databases(place))
        try:
            self._convert_own(course)
            for place in ours:
                course.look()
                if self._is_done(place, course):
                    done += 1
                else:
                    left.append(place)
        except Stopped:
            return Converted(done, tuple(left), True)
        if not self._encrypts:
            _remove_key(self._folder)
        course.end()
        return Converted(done, tuple(left), False)

    def _convert_own(self, course: Course) -> None:
        convert_folder(self._folder, self._wanted, self._before, course)
        for path in caches(self._folder):
            wipe(path)
        for unfinished in self._backups.unfinished():
            wipe_folder(unfinished)

    def _is_ours(self, place: Path) -> bool:
        """Not encrypted by another key, nor with a key file that is damaged."""
        if all(is_plain_database(path) for path in databases(place)):
            # Whatever key file lies there: a power cut may have brought an old one back.
            return True
        try:
            theirs = read_key_file(place)
        except VaultDamaged:
            return False
        return theirs is None or theirs.proof == self._file.proof

    def _is_done(self, place: Path, course: Course) -> bool:
        """Does one; False where it is damaged, for which reason it may have been put aside."""
        try:
            if self._drops:
                self._backups.remove(place, wipe_folder)
            elif self._encrypts:
                self._encrypt(place, course)
            else:
                self._decrypt(place, course)
        except VaultDamaged:
            return False
        return True

    def _encrypt(self, place: Path, course: Course) -> None:
        self._file.write(place)
        try:
            convert_folder(place, self._wanted, None, course)
        except VaultDamaged:
            if all(is_plain_database(path) for path in databases(place)):
                _remove_key(place)
            raise

    def _decrypt(self, place: Path, course: Course) -> None:
        convert_folder(place, None, self._before, course)
        _remove_key(place)


def _remove_key(folder: Path) -> None:
    (folder / KEY_FILE_NAME).unlink(missing_ok=True)
    sync(folder)
