"""Named folders in which nothing is left: what the place of a drive looks like without the drive."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from noderag_local.paths import lies_in
from noderag_local.records import Skipped
from noderag_local.store.files import KnownFile

EMPTIED = "empty now"


def emptied(gone: Collection[str], roots: Sequence[str]) -> list[str]:
    """Which of some folders hold nothing at all, not even what is hidden, though the vault has files of them.

    Args:
        gone: paths of the vault's files that are not there any more.
        roots: absolute paths that the user named.
    """
    return [root for root in roots if any(_is_below(path, root) for path in gone) and not _holds_anything(root)]


def without_emptied(gone: Sequence[KnownFile], roots: Sequence[str]) -> tuple[list[KnownFile], list[Skipped]]:
    """Which of the files that are not there any more are really gone, and what to tell of the others.

    Args:
        roots: absolute paths that the user named; of those that are emptied the vault keeps what it has.
    """
    folders = emptied([file.path for file in gone], roots)
    left = [file for file in gone if not any(_is_below(file.path, folder) for folder in folders)]
    return left, [Skipped(folder, EMPTIED, told_emptied(folder), is_error=True) for folder in folders]


def told_emptied(folder: str) -> str:
    """Says why the notes of a folder stay, and what can be done."""
    return (
        f"{folder} is empty, as when its drive is not there; what the vault has of it stays. Connect the drive and index again, "
        f"or take it out: noderag forget {folder}"
    )


def _is_below(path: str, folder: str) -> bool:
    return path != folder and lies_in(path, folder)


def _holds_anything(folder: str) -> bool:
    try:
        return bool(os.listdir(folder))
    except OSError:
        # It went while it was walked.
        return False
