"""Finds the files of a vault that are not encrypted, by their first bytes."""

from __future__ import annotations

from pathlib import Path

from noderag_local.storage.backup.backups import Backups
from noderag_local.storage.database.sqlite_file import is_plain_database
from noderag_local.storage.encryption.conversion import DATABASES
from noderag_local.storage.encryption.sealed_file import KIND
from noderag_local.storage.snapshots.cache_file import SUFFIXES


def plain_files(folder: Path) -> list[Path]:
    """Returns the unencrypted files in a vault's folder and in its backups, whole or not.

    Raises:
        OSError: one cannot be read.
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
