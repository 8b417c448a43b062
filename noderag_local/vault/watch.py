"""Follows folders and files: what changes there is indexed a moment later."""

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
"""All is looked at again so often, whatever the system tells: it loses changes on network drives."""
WAITING_SECONDS = 10.0
"""Until the next try while another process writes to the vault, or its disk is full."""


@dataclass(frozen=True, slots=True)
class Watched:
    """Paths that are read in the same way."""

    paths: tuple[Path, ...]
    """Absolute folders and files."""
    by_lines: bool
    takes_back: bool = False
    """Whether what was forgotten of them comes back, as the user has named them again."""


@dataclass(frozen=True, slots=True)
class Followed:
    """The result of one round: what changed, or why something cannot be followed now."""

    report: IndexReport | None
    """What was indexed; None: nothing was."""
    waiting: str = ""
    """Why nothing can be indexed now; it is tried again. Empty where nothing is in the way any more."""
    lost: tuple[Path, ...] = ()
    """Folders and files that are gone or empty now; their notes stay in the vault until the files are back."""
    unreadable: tuple[Skipped, ...] = ()
    """Files that could not be read and were not reported before."""


class Following(Protocol):
    """The protocol of what is followed and how it is indexed."""

    folder: Path
    """Folder of the vault; changes inside it are ignored."""

    def roots(self) -> Sequence[Watched]:
        """Returns the paths to follow now; asked before each round, as what was forgotten meanwhile must not come back.

        Raises:
            StoreError: the vault cannot be read, or is not there any more.
        """

    def unread(self, one: Watched) -> Unread:
        """Returns what has changed at paths that exist."""

    def unreadable(self) -> Sequence[Skipped]:
        """Returns the files that could not be read before, which are not reported again."""

    def is_behind(self) -> bool:
        """Whether indexing was cut short, so that there is work even where nothing differs."""

    def index(self, one: Watched, files: int) -> IndexReport:
        """Brings the vault up to date with paths that exist; `files` is how many of their files changed."""


def present(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Returns the paths, absolute.

    Raises:
        SourceError: one of them does not exist.
    """
    found = tuple(Path(os.path.abspath(os.path.expanduser(path))) for path in paths)
    for path in found:
        if not os.path.exists(path):
            raise SourceError(f"{path} does not exist. Check the spelling, or leave it out.")
    return found


def known_roots(store: Store) -> list[Watched]:
    """Returns the indexed paths that still hold a file of the vault, each as it was read; imported paths are left out."""
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
    """Indexes what has changed, now and after each change, until it is stopped.

    A folder or file that is gone as a whole, as when its drive is taken out, is left as it is until it is back; so is a
    folder in which nothing at all is left, which is what the place of a drive looks like without it, and a place below it in
    which a drive was. While the vault cannot be written, it waits.

    Args:
        following: the vault and what it follows.
        told: told of every round that changed something or found what cannot be read, once when one has to wait, and once
            when none has to any more.
        stopped: asked several times a second.
        looked: told after each round what is followed.

    Raises:
        VaultDamaged, VaultSealed: waiting would be in vain.
    """
    rounds = _Rounds(following, told, stopped)
    rounds.run(is_touched=False)
    looked(rounds.paths)
    for is_touched in ticks(lambda: (*rounds.paths, *rounds.drives), following.folder, stopped):
        if is_touched or rounds.is_due():
            rounds.run(is_touched=is_touched)
            looked(rounds.paths)


class _Rounds:
    """Looks over all that is followed, round by round, and reports what is new."""

    def __init__(self, following: Following, told: Callable[[Followed], None], stopped: Callable[[], bool]) -> None:
        self.paths: tuple[Path, ...] = ()
        """Paths that were followed in the last round."""
        self.drives: tuple[Path, ...] = ()
        """Places of drives below them. No system tells of a folder that a drive comes or goes there."""
        self._following = following
        self._told = told
        self._stopped = stopped
        self._due = 0.0
        self._waiting = ""
        self._lost: tuple[Path, ...] = ()
        self._tried: dict[Watched, Unread] = {}
        self._unreadable = {(skip.path, skip.reason) for skip in following.unreadable()}

    def is_due(self) -> bool:
        """Whether it is time for a round even if nothing seems to have changed."""
        return time.monotonic() >= self._due

    def run(self, *, is_touched: bool) -> None:
        """Runs one round.

        Args:
            is_touched: what could not be read before is tried again.
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
        """Returns why something cannot be followed now; "" when all can."""
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
        # What lies in a folder that is there was looked for with that.
        lost = [path for path in self.paths if not any(lies_in(str(path), str(other)) for other in there)]
        self._lost = (*lost, *map(Path, sorted(emptied)))
        return " ".join([*map(_told_lost, lost), *(told_emptied(folder).detail for folder in sorted(emptied))])

    def _round(self, one: Watched) -> Unread:
        """Brings the vault up to date; returns what still differs from the folders, as far as is known."""
        differing = self._following.unread(one)
        # What was tried and is still the same cannot be read; every try would take the vault from others for nothing.
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
    """Whether a path can be read: a lost drive may still show its folder."""
    try:
        if stat.S_ISDIR(os.stat(path).st_mode):
            os.listdir(path)
    except OSError:
        return False
    return True


def _told_lost(path: Path) -> str:
    return f"{path} cannot be found; what the vault has of it stays."
