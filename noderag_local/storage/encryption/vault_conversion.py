"""Encrypts or decrypts a whole vault with its databases, caches and backups, and finds files that are not encrypted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from noderag_local.domain.errors import VaultDamaged
from noderag_local.storage.backup.backups import Backups
from noderag_local.storage.database.sqlite_file import is_plain_database
from noderag_local.storage.encryption.conversion import (
    DATABASES,
    check_under_key,
    databases,
    decrypt_folder,
    encrypt_folder,
)
from noderag_local.storage.encryption.conversion_progress import ConversionProgress, Stopped
from noderag_local.storage.encryption.generations import check_generations
from noderag_local.storage.encryption.key_file import KeyFile, hash_of, read_key_file, remove_key_file
from noderag_local.storage.encryption.sealed_file import KIND
from noderag_local.storage.encryption.vault_key import VaultKey
from noderag_local.storage.snapshots.cache_file import SUFFIXES, caches
from noderag_local.system.disk.on_disk import wipe, wipe_folder


@dataclass(frozen=True, slots=True)
class Converted:
    """Result of encrypting or decrypting a vault."""

    backups: int
    """Converted or removed folders of backups and of files that a restore set aside."""
    left: tuple[Path, ...]
    """Backups that are damaged or encrypted with another key; they stay as they were."""
    stopped: bool
    """Whether the user stopped the conversion; finished parts stay converted, and the next run does the rest."""


class VaultConversion:
    """Encrypts or decrypts one vault, whose writer lock the caller holds."""

    def __init__(self, folder: Path, file: KeyFile, key: VaultKey, *, encrypts: bool, drops_backups: bool) -> None:
        """Finds the backups of the vault; changes nothing yet.

        Args:
            folder: folder of the vault.
            file: key file of the vault.
            key: key of the vault.
            encrypts: True encrypts the vault, False decrypts it.
            drops_backups: whether backups are removed instead of converted; those with another key stay.
        """
        self._folder, self._file, self._key = folder, file.noting(key, {}), key
        self._encrypts, self._drops = encrypts, drops_backups
        self._backups = Backups(folder)

    def run(self, progress: ConversionProgress) -> Converted:
        """Converts the whole vault, unless the user stops it.

        Raises:
            VaultReplaced: a database that should be encrypted is not, and is refused.
            VaultDamaged: the vault is damaged and stays as it is.
            StoreError: the vault is open in another program, there is no room, or the disk fails.
            OSError: the disk fails.
        """
        if not self._encrypts:
            self._check_own()
        there = self._backups.places()
        noted = self._noted(there)
        ours = [place for place in there if self._is_ours(place, noted)]
        left = [place for place in there if place not in ours]
        done = 0
        progress.expect(path for place in (self._folder, *([] if self._drops else ours)) for path in databases(place))
        try:
            if self._encrypts:
                self._encrypt_own(progress, noted)
            for place in ours:
                progress.look()
                if self._is_done(place, progress):
                    done += 1
                else:
                    left.append(place)
            if self._encrypts:
                # From now on, unencrypted files in backups are refused, too, but for those that are tried again next time: a disk that
                # fails for a moment may make a backup look damaged.
                self._file.noting(self._key, self._noted_of(left, noted)).write(self._folder)
            else:
                self._decrypt_own(progress)
        except Stopped:
            return Converted(done, tuple(left), True)
        progress.end()
        return Converted(done, tuple(left), False)

    def _encrypt_own(self, progress: ConversionProgress, noted: Mapping[str, str]) -> None:
        encrypt_folder(self._folder, self._file, self._key, progress, noted)
        self._clear()

    def _check_own(self) -> None:
        """Refuses files that somebody put in the vault's place; after decryption they could not be told from the vault's own."""
        check_under_key(self._folder, self._key)
        check_generations(self._folder)

    def _decrypt_own(self, progress: ConversionProgress) -> None:
        self._clear()
        decrypt_folder(self._folder, self._key, progress)

    def _clear(self) -> None:
        for path in caches(self._folder):
            wipe(path)
        for unfinished in self._backups.unfinished():
            wipe_folder(unfinished)

    def _noted(self, places: Sequence[Path]) -> Mapping[str, str]:
        """Returns the files of backups that were unencrypted when the encryption of the vault began, with their hashes."""
        there = read_key_file(self._folder)
        if there is not None:
            return there.noted(self._key)
        paths = [path for place in places for path in databases(place) if is_plain_database(path)]
        return {path.relative_to(self._folder).as_posix(): hash_of(path) for path in paths}

    def _noted_of(self, places: Sequence[Path], noted: Mapping[str, str]) -> Mapping[str, str]:
        """Returns those of the noted files that are in some backups."""
        names = {path.relative_to(self._folder).as_posix() for place in places for path in databases(place)}
        return {name: digest for name, digest in noted.items() if name in names}

    def _is_ours(self, place: Path, noted: Mapping[str, str]) -> bool:
        """Returns whether a backup belongs to the vault: it has the vault's key, or was there before the vault was encrypted."""
        plain = [path for path in databases(place) if is_plain_database(path)]
        if plain and not self._encrypts and len(plain) == len(databases(place)):
            # Its key file does not matter: a power cut may have brought an old one back.
            return True
        names = {path: path.relative_to(self._folder).as_posix() for path in plain}
        if plain and all(noted.get(name) == hash_of(path) for path, name in names.items()):
            return True
        try:
            theirs = read_key_file(place)
        except VaultDamaged:
            return False
        # `encrypt_folder` checks an unencrypted backup again, by the key file beside it.
        return (theirs is None and not plain) or (theirs is not None and theirs.proof == self._file.proof)

    def _is_done(self, place: Path, progress: ConversionProgress) -> bool:
        """Converts a backup; returns False if it is damaged, which may be why it was set aside."""
        try:
            if self._drops:
                self._backups.remove(place)
            elif self._encrypts:
                self._encrypt(place, progress)
            elif all(is_plain_database(path) for path in databases(place)):
                remove_key_file(place)
            else:
                decrypt_folder(place, self._key, progress)
        except VaultDamaged:
            return False
        return True

    def _encrypt(self, place: Path, progress: ConversionProgress) -> None:
        try:
            encrypt_folder(place, self._file, self._key, progress)
        except VaultDamaged:
            if all(is_plain_database(path) for path in databases(place)):
                remove_key_file(place)
            raise


def plain_files(folder: Path) -> list[Path]:
    """Returns the unencrypted files in a vault's folder and in its backups, complete or not.

    Raises:
        OSError: a file cannot be read.
    """
    backups = Backups(folder)
    places = (folder, *backups.places(), *backups.unfinished())
    return [path for place in places for path in sorted(place.iterdir()) if path.is_file() and _is_plain(path)]


def _is_plain(path: Path) -> bool:
    """Returns whether a file is an unencrypted database or cache; an empty file is not."""
    if path.name.startswith(DATABASES):
        return is_plain_database(path)
    if not any(f"{suffix}." in f"{path.name}." for suffix in SUFFIXES):
        return False
    with path.open("rb") as file:
        return file.read(len(KIND)) not in (b"", KIND)
