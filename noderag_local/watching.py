"""Following folders and files: what changes there is indexed a moment later, as long as somebody watches."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from noderag_local.errors import SourceError, VaultLocked
from noderag_local.ingest.emptied import emptied, told_emptied
from noderag_local.ingest.folder_watch import ticks
from noderag_local.ingest.unread import Unread
from noderag_local.records import IndexReport, Skipped
from noderag_local.store.database import Store
from noderag_local.store.files import FileRows

RESCAN_SECONDS = 300.0
"""All is looked at again so often, whatever the system tells: it loses changes on network drives."""
WAITING_SECONDS = 10.0
"""Until the next try while another process writes to the vault."""


@dataclass(frozen=True, slots=True)
class Watched:
    """What is read in the same way."""

    paths: tuple[Path, ...]
    """Absolute folders and files."""
    by_lines: bool


@dataclass(frozen=True, slots=True)
class Followed:
    """One round: something has changed, or cannot be followed just now, or can be again."""

    report: IndexReport | None
    """None: nothing was indexed."""
    waiting: str = ""
    """Why nothing is; it is tried again. "" also where the reason is gone."""
    lost: tuple[Path, ...] = ()
    """Folders and files that are not there, or empty, and therefore waited for."""
    unreadable: tuple[Skipped, ...] = ()
    """What could not be read, and was not told before."""


class Following(Protocol):
    """What is followed, and who reads it."""

    folder: Path
    """Of the vault; changes in it are none."""

    def roots(self) -> Sequence[Watched]:
        """What to follow now. Asked before each round: what was forgotten meanwhile must not come back."""

    def unread(self, one: Watched) -> Unread:
        """What differs, of paths that exist."""

    def unreadable(self) -> Sequence[Skipped]:
        """What could not be read before, and needs not be told again."""

    def is_behind(self) -> bool:
        """Whether indexing was cut short, so that there is work even where nothing differs."""

    def index(self, one: Watched, files: int) -> IndexReport:
        """Brings the vault up to date with paths that exist, and of which so many files differ."""


def present(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Paths, absolute.

    Raises:
        SourceError: one of them does not exist.
    """
    found = tuple(Path(os.path.abspath(path.expanduser())) for path in paths)
    for path in found:
        if not path.exists():
            raise SourceError(f"{path} does not exist. Check the spelling, or leave it out.")
    return found


def known_roots(store: Store) -> list[Watched]:
    """What was ever asked to be indexed and still holds a file of the vault, each as it was read."""
    roots: dict[bool, set[str]] = {}
    for file in FileRows(store).known().values():
        roots.setdefault(file.by_lines, set()).add(file.root or file.path)
    return [Watched(tuple(Path(root) for root in sorted(found)), by_lines) for by_lines, found in sorted(roots.items())]


def follow(
    following: Following,
    told: Callable[[Followed], None],
    stopped: Callable[[], bool],
    looked: Callable[[Sequence[Path]], None] = lambda _: None,
) -> None:
    """Indexes what has changed, now and after each change, until it is stopped.

    A folder or file that is gone as a whole, as when its drive is taken out, is left as it is until it is back; so is a
    folder in which nothing at all is left, which is what the place of a drive looks like without it.

    Args:
        told: of every round that changed something or found what cannot be read, once when one has to wait, and once
            when none has to any more.
        stopped: asked several times a second.
        looked: told after each round what is followed.
    """
    rounds = _Rounds(following, told, stopped)
    rounds.run(is_touched=False)
    looked(rounds.paths)
    for is_touched in ticks(lambda: rounds.paths, following.folder, stopped):
        if is_touched or rounds.is_due():
            rounds.run(is_touched=is_touched)
            looked(rounds.paths)


class _Rounds:
    """Goes over all that is followed, and tells what is new."""

    def __init__(self, following: Following, told: Callable[[Followed], None], stopped: Callable[[], bool]) -> None:
        self.paths: tuple[Path, ...] = ()
        """That were followed in the last round."""
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
        """One round.

        Args:
            is_touched: what could not be read before is tried again.
        """
        if is_touched:
            self._tried.clear()
        waiting, self._lost = "", ()
        roots = self._following.roots()
        self.paths = tuple(path for one in roots for path in one.paths)
        for one in roots:
            if not self._stopped():
                waiting = self._round(one) or waiting
        if waiting != self._waiting:
            self._told(Followed(None, waiting, self._lost))
        self._waiting = waiting
        self._due = time.monotonic() + (WAITING_SECONDS if waiting else RESCAN_SECONDS)

    def _round(self, one: Watched) -> str:
        """Why it has to wait; "" when it is done."""
        there = Watched(tuple(path for path in one.paths if _is_there(path)), one.by_lines)
        lost = [path for path in one.paths if path not in there.paths]
        try:
            differing = self._following.unread(there)
            empty = [Path(folder) for folder in emptied(differing.gone, [str(path) for path in there.paths])]
            if empty:
                there = Watched(tuple(path for path in there.paths if path not in empty), one.by_lines)
                differing = self._following.unread(there)
            if there.paths:
                self._bring_up_to_date(there, differing)
        except (VaultLocked, SourceError) as error:
            return str(error)
        self._lost += (*lost, *empty)
        return " ".join([*map(_told_lost, lost), *(told_emptied(str(folder)) for folder in empty)])

    def _bring_up_to_date(self, one: Watched, differing: Unread) -> None:
        # What was tried and is still the same cannot be read; every try would take the vault from others for nothing.
        has_work = bool(differing.count) and self._tried.get(one) != differing
        if not has_work and not self._following.is_behind():
            return
        self._tried[one] = differing
        report = self._following.index(one, differing.count)
        failed = tuple(
            skip for skip in report.skipped if skip.is_error and (skip.path, skip.reason) not in self._unreadable
        )
        self._unreadable.update((skip.path, skip.reason) for skip in failed)
        if report.added or report.removed or report.changed or report.moved or failed:
            self._told(Followed(report, unreadable=failed))


def _is_there(path: Path) -> bool:
    """Whether it can be looked at: of a drive that is lost, the folder may still be named."""
    try:
        if stat.S_ISDIR(os.stat(path).st_mode):
            os.listdir(path)
    except OSError:
        return False
    return True


def _told_lost(path: Path) -> str:
    return f"{path} cannot be found; what the vault has of it stays."
