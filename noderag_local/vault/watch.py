"""Follows folders and files and indexes each change a moment later."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from noderag_local.domain.documents import Skipped
from noderag_local.domain.errors import SourceError, StoreError, VaultDamaged, VaultSealed
from noderag_local.domain.progress import IndexReport
from noderag_local.ingest.scan.folder_watch import ticks
from noderag_local.ingest.sync.file_changes import Unread
from noderag_local.ingest.sync.missing_roots import LEFT_AS_IT_WAS, told_emptied
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.storage.documents.noted_roots import BroughtRoots
from noderag_local.system.paths import lies_in

RESCAN_SECONDS = 300.0
"""Seconds between two scans of all paths, since the system misses changes on network drives."""
WAITING_SECONDS = 10.0
"""Seconds until the next attempt while another process writes to the vault or its disk is full."""


@dataclass(frozen=True, slots=True)
class Watched:
    """Followed paths that are read in the same way."""

    paths: tuple[Path, ...]
    """Absolute folders and files."""
    by_lines: bool
    takes_back: bool = False
    """Whether forgotten files at these paths are read again, because the user has named the paths."""


@dataclass(frozen=True, slots=True)
class Followed:
    """Result of one round: what was indexed, or why something cannot be followed now."""

    report: IndexReport | None
    """Report of the indexing; None if nothing was indexed."""
    waiting: str = ""
    """Reason why nothing can be indexed until a later attempt; empty if the reason is gone."""
    lost: tuple[Path, ...] = ()
    """Folders and files that are missing or empty now; their notes stay in the vault."""
    unreadable: tuple[Skipped, ...] = ()
    """Files that could not be read and were not reported before."""


class Following(Protocol):
    """Protocol that says which paths are followed and how they are indexed."""

    folder: Path
    """Folder of the vault; changes inside it are ignored."""

    def roots(self) -> Sequence[Watched]:
        """Returns the paths to follow; called before each round, since paths may have been forgotten meanwhile.

        Raises:
            StoreError: the vault cannot be read or does not exist any more.
        """

    def unread(self, one: Watched) -> Unread:
        """Returns the changes at paths that exist."""

    def unreadable(self) -> Sequence[Skipped]:
        """Returns the files that could not be read before, which are not reported again."""

    def is_behind(self) -> bool:
        """Whether indexing was interrupted, so that there is work even if no file has changed."""

    def index(self, one: Watched, files: int) -> IndexReport:
        """Indexes paths that exist; `files` is the number of changed files at these paths."""


def present(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Returns the paths as absolute paths.

    Raises:
        SourceError: one of them does not exist.
    """
    found = tuple(Path(os.path.abspath(os.path.expanduser(path))) for path in paths)
    for path in found:
        if not os.path.exists(path):
            raise SourceError(f"{path} does not exist. Check the spelling.")
    return found


def known_roots(store: Store) -> list[Watched]:
    """Returns the indexed paths with files in the vault, and how each was read; imported paths are left out."""
    roots: dict[bool, set[str]] = {}
    brought = BroughtRoots(store).known()
    for root, by_lines in FileRows(store).roots():
        if root in brought:
            continue
        roots.setdefault(by_lines, set()).add(root)
    return [Watched(tuple(Path(root) for root in sorted(found)), by_lines) for by_lines, found in sorted(roots.items())]


def follow(
    following: Following,
    told: Callable[[Followed], None],
    stopped: Callable[[], bool],
    looked: Callable[[Sequence[Path]], None] = lambda _: None,
) -> None:
    """Indexes changes now and as they happen, until it is stopped.

    If a folder or file is missing as a whole, for example because its drive was removed, its notes stay in the vault. The same
    holds for an empty folder, since an unmounted drive leaves one, and for folders below in which a drive was mounted. While the
    vault cannot be written, the function waits.

    Args:
        following: the vault and the paths to follow.
        told: called after each round that changed something or found unreadable files, when waiting begins, and when it
            ends.
        stopped: called several times a second; True ends the watching.
        looked: called after each round with the followed paths.

    Raises:
        VaultDamaged, VaultSealed: the vault cannot be used, and waiting does not help.
    """
    rounds = _Rounds(following, told, stopped)
    rounds.run(is_touched=False)
    looked(rounds.paths)
    for is_touched in ticks(lambda: (*rounds.paths, *rounds.drives), following.folder, stopped):
        if is_touched or rounds.is_due():
            rounds.run(is_touched=is_touched)
            looked(rounds.paths)


class _Rounds:
    """Checks all followed paths, round by round, and reports news."""

    def __init__(self, following: Following, told: Callable[[Followed], None], stopped: Callable[[], bool]) -> None:
        self.paths: tuple[Path, ...] = ()
        """Paths that were followed in the last round."""
        self.drives: tuple[Path, ...] = ()
        """Folders below these paths where drives were mounted. The system does not report that a drive comes or goes there."""
        self._following = following
        self._told = told
        self._stopped = stopped
        self._due = 0.0
        self._waiting = ""
        self._lost: tuple[Path, ...] = ()
        self._tried: dict[Watched, Unread] = {}
        self._unreadable = {(skip.path, skip.reason) for skip in following.unreadable()}

    def is_due(self) -> bool:
        """Returns whether it is time for a round even if no change was reported."""
        return time.monotonic() >= self._due

    def run(self, *, is_touched: bool) -> None:
        """Runs one round.

        Args:
            is_touched: whether files that could not be read are tried again.
        """
        if is_touched:
            self._tried.clear()
        waiting, seconds = "", RESCAN_SECONDS
        self._lost = ()
        try:
            waiting = self._go_over(self._following.roots())
        except (VaultDamaged, VaultSealed):
            raise
        except (StoreError, SourceError) as error:
            waiting, seconds = str(error), WAITING_SECONDS
        if waiting != self._waiting:
            self._told(Followed(None, waiting, self._lost))
        self._waiting = waiting
        self._due = time.monotonic() + seconds

    def _go_over(self, roots: Sequence[Watched]) -> str:
        """Returns why something cannot be followed now; "" if everything can."""
        self.paths = tuple(path for one in roots for path in one.paths)
        there = [path for path in self.paths if _is_there(path)]
        emptied: set[str] = set()
        drives: set[Path] = set()
        for one in roots:
            here = tuple(path for path in one.paths if path in there)
            if here and not self._stopped():
                found = self._round(replace(one, paths=here))
                emptied.update(found.emptied)
                drives.update(map(Path, (*found.places, *found.emptied)))
        self.drives = tuple(sorted(drives - {*self.paths}))
        # Paths below an existing folder were checked together with that folder.
        lost = [path for path in self.paths if not any(lies_in(str(path), str(other)) for other in there)]
        self._lost = (*lost, *map(Path, sorted(emptied)))
        return " ".join([*map(_told_lost, lost), *(told_emptied(folder).detail for folder in sorted(emptied))])

    def _round(self, one: Watched) -> Unread:
        """Indexes the changes at some paths and returns the changes that are still left, as far as known."""
        differing = self._following.unread(one)
        # Files that could not be read and have not changed are not tried again, since that would lock the vault for nothing.
        has_work = bool(differing.count) and self._tried.get(one) != differing
        if not has_work and not self._following.is_behind():
            return differing
        report = self._following.index(one, differing.count)
        if not report.stopped:
            self._tried[one] = differing
        self._tell(report)
        left = tuple(skip.path for skip in report.skipped if skip.reason in LEFT_AS_IT_WAS)
        return differing if report.stopped else replace(differing, emptied=left)

    def _tell(self, report: IndexReport) -> None:
        failed = tuple(
            skip
            for skip in report.skipped
            if skip.is_error and skip.reason not in LEFT_AS_IT_WAS and (skip.path, skip.reason) not in self._unreadable
        )
        self._unreadable.update((skip.path, skip.reason) for skip in failed)
        if report.added or report.removed or report.changed or report.moved or failed:
            self._told(Followed(report, unreadable=failed))


def _is_there(path: Path) -> bool:
    """Returns whether a path can be read; a lost drive may still show its folder."""
    try:
        if stat.S_ISDIR(os.stat(path).st_mode):
            os.listdir(path)
    except OSError:
        return False
    return True


def _told_lost(path: Path) -> str:
    return f"{path} cannot be found; its notes stay in the vault."
