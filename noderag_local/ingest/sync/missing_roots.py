"""Keeps the notes of drives that are not connected: an empty mount point does not mean that files were deleted."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from noderag_local.domain.documents import Skipped
from noderag_local.ingest.scan.scan import Scan
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows, KnownFile
from noderag_local.storage.documents.noted_roots import DrivePlaces
from noderag_local.system.paths import lies_in, nearest

EMPTIED = "empty now"
AWAY = "not there now"
LEFT_AS_IT_WAS = frozenset({EMPTIED, AWAY})
"""Reasons of skipped folders whose files stay in the vault."""


def really_gone(
    store: Store, gone: Sequence[KnownFile], scan: Scan, roots: Collection[str]
) -> tuple[list[KnownFile], list[str]]:
    """Returns which missing files were deleted, and the folders whose files are kept although they are missing.

    Args:
        store: store of the vault.
        gone: files of the vault that the scan no longer finds.
        scan: scan of the roots.
        roots: absolute paths that the user named for this run.
    """
    if not gone:
        return [], []
    folders = _emptied(gone, roots, DrivePlaces(store).known() - scan.places)
    return [file for file in gone if not nearest(file.path, folders)], folders


def _emptied(gone: Sequence[KnownFile], roots: Collection[str], places: Collection[str]) -> list[str]:
    """Returns the folders whose files are kept.

    These are folders that the user named, now or when their files were read, and that are empty without even hidden files.
    The folder of a drive also counts if it does not exist.

    Args:
        gone: files of the vault that are missing.
        roots: absolute paths that the user named for this run.
        places: folders in which a drive was mounted before, and is not now.
    """
    named = {*roots, *(file.root for file in gone)} - {""}
    empty = {folder for folder in named if _is_empty(folder)}
    # A root of this run existed when the walk began.
    empty |= {folder for folder in roots if not os.path.lexists(folder)}
    empty |= {place for place in places if _is_without_drive(place)}
    return sorted(folder for folder in empty if any(_is_below(file.path, folder) for file in gone))


def told_emptied(folder: str) -> Skipped:
    """Returns a note that says why the files of a folder stay in the vault, and what the user can do."""
    is_there = os.path.lexists(folder)
    detail = (
        f"{folder} is {'empty' if is_there else 'gone'}, as when its drive is not there; what the vault has of it stays. "
        f"Connect the drive and index again, or take it out: noderag forget {folder}"
    )
    return Skipped(folder, EMPTIED if is_there else AWAY, detail, is_error=True)


def note_drives(store: Store, scan: Scan, roots: Sequence[str]) -> None:
    """Stores where drives are mounted, or were mounted before.

    Call it before anything is read or removed, since a drive may be gone afterwards. A folder that holds other files now no
    longer counts as the place of a drive.

    Args:
        store: store of the vault, open for writing.
        scan: scan of the roots.
        roots: absolute paths that the user named for this run.
    """
    rows = DrivePlaces(store)
    before = rows.known()
    if not before and not scan.places:
        return
    errors = {skip.path for skip in scan.skipped if skip.is_error}

    def stays(place: str) -> bool:
        is_walked = any(lies_in(place, root) for root in roots)
        return not is_walked or _is_without_drive(place) or bool(nearest(place, errors))

    known = FileRows(store).known()
    rows.keep(scan.places | {place for place in before if stays(place)}, {*known, *(file.path for file in scan.files)})


def _is_without_drive(place: str) -> bool:
    """Whether the folder of a drive is empty or does not exist, as when the drive is not mounted."""
    return _is_empty(place) or not os.path.lexists(place)


def _is_below(path: str, folder: str) -> bool:
    return path != folder and lies_in(path, folder)


def _is_empty(folder: str) -> bool:
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is None
    except OSError:
        return False
