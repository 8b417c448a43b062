"""What of a vault's files is not encrypted, told by how the files begin."""

from __future__ import annotations

from pathlib import Path

from noderag_local.storage.backup.backups import Backups
from noderag_local.storage.database.sqlite_file import is_plain_database
from noderag_local.storage.encryption.conversion import DATABASES
from noderag_local.storage.encryption.sealed_file import KIND
from noderag_local.storage.snapshots.cache_file import SUFFIXES


def plain_files(folder: Path) -> list[Path]:
    """Files in a vault's folder and in its backups, whole or not, that anybody can read who gets at the disk.

    Raises:
        OSError: one cannot be read.
    """
    backups = Backups(folder)
    places = (folder, *backups.places(), *backups.unfinished())
    return [path for place in places for path in sorted(place.iterdir()) if path.is_file() and _is_plain(path)]


def _is_plain(path: Path) -> bool:
    """Whether it is a database or a cache that is not encrypted; what is still empty, and what is neither, is not."""
    if path.name.startswith(DATABASES):
        return is_plain_database(path)
    if not any(f"{suffix}." in f"{path.name}." for suffix in SUFFIXES):
        return False
    with path.open("rb") as file:
        return file.read(len(KIND)) not in (b"", KIND)
