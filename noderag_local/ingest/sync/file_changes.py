"""Compares the files below some roots with those that the vault knows: what is new, changed or missing, and how each is read.

Nothing is written, so that no lock is needed to learn that nothing has changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from noderag_local.domain.documents import SourceFile
from noderag_local.ingest.reading_version import is_outdated
from noderag_local.ingest.scan.scan import NOT_IF_NAMED, Scan, scan
from noderag_local.ingest.sync.forgetting import without_forgotten
from noderag_local.ingest.sync.missing_roots import really_gone
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows, KnownFile
from noderag_local.storage.forgetting.forgotten import ForgottenRows
from noderag_local.system.paths import lies_in, nearest


@dataclass(frozen=True, slots=True)
class ReadMode:
    """Way in which a file is read."""

    by_lines: bool
    """Whether each line of a text file is a document."""
    root: str
    """Path that the user named and that covers the file; "" if there is none."""


def read_mode_of(file: SourceFile, known: KnownFile | None, roots: Sequence[str], by_lines: bool) -> ReadMode:
    """Returns how a run reads a file.

    What the user said of the path nearest to the file counts: a file that was named, itself or by its folder, to be read in
    the other way is still read so when a folder above is named.

    Args:
        file: the file, as the scan found it.
        known: what the vault has of the file.
        roots: absolute paths that the user named for this run.
        by_lines: whether each line of a text below these is a document.
    """
    root = nearest(file.path, frozenset(roots))
    if known is not None and known.by_lines != by_lines and _is_deeper(known, root):
        return ReadMode(known.by_lines, known.root)
    return ReadMode(by_lines, file.root)


def _is_deeper(known: KnownFile, root: str) -> bool:
    """Whether the user named a file, or a folder that it lies in, below a root of this run."""
    return len(known.root) > len(root) and lies_in(known.path, known.root)


@dataclass(frozen=True, slots=True)
class Unread:
    """Differences between the folders and the vault."""

    files: frozenset[SourceFile]
    """Files that are new, changed, not read to their end, or read by an older version of their reader where that counts."""
    gone: frozenset[str]
    """Paths of files that the vault has and the folders no longer have."""
    emptied: tuple[str, ...] = ()
    """Folders whose files stay in the vault, though the folders are empty or not there now."""
    places: frozenset[str] = frozenset()
    """Folders in which a drive is mounted."""

    @property
    def count(self) -> int:
        """Number of changed files; one that was moved counts once."""
        return max(len(self.files), len(self.gone))


def unread(
    store: Store, paths: Sequence[Path], by_lines: bool, max_file_bytes: int, *, keep_old: bool = False
) -> Unread:
    """Returns what differs below some paths, without what was forgotten.

    Args:
        store: store of the vault.
        paths: files and folders that the user named.
        by_lines: whether each line of a text below these is a document.
        max_file_bytes: largest size of a file that is read.
        keep_old: whether files that an older version of their reader read count as read.

    Raises:
        SourceError: one of the paths does not exist.
    """
    known = FileRows(store).known()
    roots = [os.path.abspath(os.path.expanduser(path)) for path in paths]
    found = without_forgotten(scan(paths, max_file_bytes), ForgottenRows(store).paths(), roots, known)
    differing = (file for file in found.files if not _is_read(file, known.get(file.path), roots, by_lines, keep_old))
    gone, folders = really_gone(store, missing(known.values(), found, roots), found, roots)
    return Unread(frozenset(differing), frozenset(file.path for file in gone), tuple(folders), found.places)


def _is_read(file: SourceFile, known: KnownFile | None, roots: Sequence[str], by_lines: bool, keep_old: bool) -> bool:
    is_known = is_as_known(known, file, read_mode_of(file, known, roots, by_lines).by_lines)
    return is_known and known is not None and (keep_old or not is_outdated(known))


def is_as_known(known: KnownFile | None, file: SourceFile, by_lines: bool) -> bool:
    """Whether the vault has a file as it is now, read to its end and in the way that is wanted."""
    return known is not None and known.complete and known.by_lines == by_lines and not known.is_changed(file)


def missing(known: Iterable[KnownFile], found: Scan, roots: Sequence[str]) -> list[KnownFile]:
    """Returns the known files below some roots that a scan no longer finds.

    A file is not missing if it cannot be read just now. Nor is one that the scan skipped by a rule for names or kinds, if an earlier
    run was given its path, or that of a folder below the rule: such rules do not hold for named paths.
    """
    errors = {skip.path for skip in found.skipped if skip.is_error}
    left_out = {skip.path for skip in found.skipped if skip.reason in NOT_IF_NAMED}
    named = frozenset(roots)
    present = {file.path for file in found.files}

    def is_named_itself(file: KnownFile) -> bool:
        # A rule that matches inside the named folder also holds there, so the folder must lie at or below the skipped path.
        out = nearest(file.path, left_out)
        return bool(out) and lies_in(file.root, out) and _is_deeper(file, nearest(file.path, named))

    return [
        file
        for file in known
        if file.path not in present
        and nearest(file.path, named)
        and not (errors and nearest(file.path, errors))
        and not (is_named_itself(file) and os.path.lexists(file.path))
    ]
