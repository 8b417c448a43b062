"""Named folders in which nothing is left: what the place of a drive looks like without the drive."""

from __future__ import annotations

import os
from collections.abc import Sequence

from noderag_local.paths import lies_in
from noderag_local.records import Skipped
from noderag_local.store.files import KnownFile

EMPTIED = "empty now"


def without_emptied(gone: Sequence[KnownFile], roots: Sequence[str]) -> tuple[list[KnownFile], list[Skipped]]:
    """Which of the files that are not there any more are really gone, and what to tell of the others.

    Args:
        roots: absolute paths that the user named. A folder that holds nothing at all, not even what is hidden, keeps what the
            vault has of it.
    """
    folders = [root for root in roots if any(_is_below(file, root) for file in gone) and not _holds_anything(root)]
    left = [file for file in gone if not any(_is_below(file, folder) for folder in folders)]
    return left, [Skipped(folder, EMPTIED, _told(folder), is_error=True) for folder in folders]


def _is_below(file: KnownFile, folder: str) -> bool:
    return file.path != folder and lies_in(file.path, folder)


def _told(folder: str) -> str:
    return (
        f"{folder} is empty, as when its drive is not there; what the vault has of it stays. Connect the drive and index again, "
        f"or take it out: noderag forget {folder}"
    )


def _holds_anything(folder: str) -> bool:
    try:
        return bool(os.listdir(folder))
    except OSError:
        # It went while it was walked.
        return False
