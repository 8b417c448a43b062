"""Remembers the newest backup in each folder outside of the vault, also while the drive with the folder is not there."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from noderag_local.system.disk.presence import is_folder
from noderag_local.system.disk.private_files import write_private

PLACES_KEPT = 5
"""Number of folders that are remembered, the last ones used."""

_FILE_NAME = "vault.backups-elsewhere"


def note_elsewhere(vault: Path, backup: Path) -> None:
    """Remembers a new backup in place of earlier ones in the same folder; a failure is no error, since the backup is there.

    Args:
        vault: folder of the vault.
        backup: folder of the backup.
    """
    others = [one for one in noted_elsewhere(vault) if one.parent != backup.parent]
    kept = [*others, backup][-PLACES_KEPT:]
    with suppress(OSError):
        # Escaped to ASCII, since names of folders need not be valid UTF-8.
        write_private(vault / _FILE_NAME, json.dumps([str(one) for one in kept]))


def noted_elsewhere(vault: Path) -> list[Path]:
    """Returns the folders of the remembered backups; one whose folder of backups is there without it is not among them."""
    try:
        noted = json.loads((vault / _FILE_NAME).read_text(encoding="ascii"))
        backups = [Path(one) for one in noted if isinstance(one, str)]
    except (OSError, ValueError, TypeError):
        return []
    return [one for one in backups if is_folder(one) or not is_folder(one.parent)]
