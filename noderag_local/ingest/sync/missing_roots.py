"""Keeps the notes of drives that are not connected: an empty place of a drive does not count as deleted files."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from noderag_local.domain.documents import Skipped
from noderag_local.ingest.scan.scan import Scan
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.drive_places import DrivePlaces
from noderag_local.storage.documents.file_rows import KnownFile
from noderag_local.system.paths import lies_in, nearest

EMPTIED = "empty now"
AWAY = "not there now"
LEFT_AS_IT_WAS = frozenset({EMPTIED, AWAY})
"""Reasons of folders of which the vault keeps what it has."""


def really_gone(
    store: Store, gone: Sequence[KnownFile], scan: Scan, roots: Collection[str]
) -> tuple[list[KnownFile], list[str]]:
    """Returns which missing files were deleted, and the folders whose files are kept although they are missing.

    Args:
        gone: files of the vault that a scan of the roots has not any more.
        roots: absolute paths that the user named for this run.
    """
    if not gone:
        return [], []
    folders = _emptied(gone, roots, DrivePlaces(store).known() - scan.places)
    return [file for file in gone if not nearest(file.path, folders)], folders


def _emptied(gone: Sequence[KnownFile], roots: Collection[str], places: Collection[str]) -> list[str]:
    """Returns the folders whose files are kept.

    Such is a folder that the user named, in this run or when its files were read, when it holds nothing at all, not even what
    is hidden; and the place of a drive also when it is gone.

    Args:
        places: folders in which a drive was mounted before, and is not now.
    """
    named = {*roots, *(file.root for file in gone)} - {""}
    empty = {folder for folder in named if _is_empty(folder)}
    # One of this run was there when the walk began.
    empty |= {folder for folder in roots if not os.path.lexists(folder)}
    empty |= {place for place in places if _is_without_drive(place)}
    return sorted(folder for folder in empty if any(_is_below(file.path, folder) for file in gone))


def told_emptied(folder: str) -> Skipped:
    """Says why the notes of a folder stay, and what can be done."""
    is_there = os.path.lexists(folder)
    detail = (
        f"{folder} is {'empty' if is_there else 'gone'}, as when its drive is not there; what the vault has of it stays. "
        f"Connect the drive and index again, or take it out: noderag forget {folder}"
    )
    return Skipped(folder, EMPTIED if is_there else AWAY, detail, is_error=True)


def note_drives(store: Store, scan: Scan, roots: Sequence[str], known: Collection[str]) -> None:
    """Notes where drives are mounted, and where they were and will be again; before anything is read or removed, as a drive
    may be gone when that comes to its end.

    A place in which other files lie now is none any more.

    Args:
        scan: of the roots.
        known: files of the vault.
    """
    rows = DrivePlaces(store)
    before = rows.known()
    if not before and not scan.places:
        return
    errors = {skip.path for skip in scan.skipped if skip.is_error}

    def stays(place: str) -> bool:
        is_walked = any(lies_in(place, root) for root in roots)
        return not is_walked or _is_without_drive(place) or bool(nearest(place, errors))

    rows.keep(scan.places | {place for place in before if stays(place)}, {*known, *(file.path for file in scan.files)})


def _is_without_drive(place: str) -> bool:
    """Whether the place of a drive that is not mounted is as it is without one: empty, or gone."""
    return _is_empty(place) or not os.path.lexists(place)


def _is_below(path: str, folder: str) -> bool:
    return path != folder and lies_in(path, folder)


def _is_empty(folder: str) -> bool:
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is None
    except OSError:
        return False
