"""Following folders and files: what changes there is indexed a moment later, as long as somebody watches.

Folders are watched by the operating system and, since that loses changes on network drives, after a suspend or where
there are too many folders, gone over again every few minutes. Single files are looked at every second, for editors put
a new file in the place of the old one, and a watch would stay with that.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from noderag_local.errors import SourceError, VaultLocked
from noderag_local.records import IndexReport
from noderag_local.store.database import Store
from noderag_local.store.files import FileRows

TICK_SECONDS = 1.0
"""Between two looks at single files, and the longest that a stop is waited for."""
SETTLE_SECONDS = 1.5
"""Changes that follow one another as quickly as this are indexed together, at the latest after four times as long."""
RESCAN_SECONDS = 300.0
LOCKED_SECONDS = 10.0
"""Until the next try while another process writes to the vault."""


@dataclass(frozen=True, slots=True)
class Watched:
    """What is read in the same way."""

    paths: tuple[Path, ...]
    """Absolute folders and files."""
    by_lines: bool


@dataclass(frozen=True, slots=True)
class Followed:
    """One round: something has changed, or cannot be followed just now."""

    report: IndexReport | None
    """None: nothing was indexed."""
    waiting: str = ""
    """Why; it is tried again. "" where all was indexed."""


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
    watched: Sequence[Watched],
    index: Callable[[Watched], IndexReport],
    told: Callable[[Followed], None],
    stopped: Callable[[], bool],
) -> None:
    """Indexes once, and again after each change, until it is stopped.

    A folder or file that is gone as a whole, as when its drive is taken out, is left as it is until it is back.

    Args:
        index: brings the vault up to date with some paths, which exist; it holds the writer's lock for no longer.
        told: of every round that changed something, and once when one has to wait.
        stopped: asked every second.
    """
    rounds = _Rounds(watched, index, told, stopped)
    rounds.run()
    for _ in _changes(watched, stopped, rounds.is_due):
        rounds.run()


class _Rounds:
    """Goes over all that is watched, and tells what is new."""

    def __init__(
        self,
        watched: Sequence[Watched],
        index: Callable[[Watched], IndexReport],
        told: Callable[[Followed], None],
        stopped: Callable[[], bool],
    ) -> None:
        self._watched = watched
        self._due = 0.0
        self._index = index
        self._told = told
        self._stopped = stopped
        self._waiting = ""

    def is_due(self) -> bool:
        """Whether it is time for a round even if nothing seems to have changed."""
        return time.monotonic() >= self._due

    def run(self) -> None:
        """One round."""
        missing = [str(path) for one in self._watched for path in one.paths if not path.exists()]
        waiting = f"{', '.join(missing)} cannot be found; what the vault has of it stays." if missing else ""
        for one in self._watched:
            there = tuple(path for path in one.paths if path.exists())
            if there and not self._stopped():
                waiting = self._round(Watched(there, one.by_lines)) or waiting
        if waiting and waiting != self._waiting:
            self._told(Followed(None, waiting))
        self._waiting = waiting
        self._due = time.monotonic() + (LOCKED_SECONDS if waiting else RESCAN_SECONDS)

    def _round(self, watched: Watched) -> str:
        """Why it has to wait; "" when it is done."""
        try:
            report = self._index(watched)
        except (VaultLocked, SourceError) as error:
            return str(error)
        if report.added or report.removed or report.changed or report.moved:
            self._told(Followed(report))
        return ""


def _changes(watched: Sequence[Watched], stopped: Callable[[], bool], is_due: Callable[[], bool]) -> Iterator[None]:
    """One item whenever something has changed or a round is due; ends when it is stopped."""
    paths = [path for one in watched for path in one.paths]
    files = [path for path in paths if not path.is_dir()]
    before = [_signature(path) for path in files]
    for is_touched in _ticks([path for path in paths if path.is_dir()], stopped):
        now = [_signature(path) for path in files]
        if is_touched or now != before or is_due():
            before = now
            yield


def _ticks(folders: Sequence[Path], stopped: Callable[[], bool]) -> Iterator[bool]:
    """Every second at the latest, whether something in the folders has changed; ends when it is stopped."""
    from watchfiles import watch

    if not folders:
        while not stopped():
            time.sleep(TICK_SECONDS)
            yield False
        return
    changes = watch(
        *folders,
        watch_filter=None,
        debounce=int(4000 * SETTLE_SECONDS),
        step=int(1000 * SETTLE_SECONDS),
        stop_event=_Stop(stopped),
        rust_timeout=int(1000 * TICK_SECONDS),
        yield_on_timeout=True,
        raise_interrupt=False,
    )
    for found in changes:
        yield bool(found)
        if stopped():
            return


class _Stop:
    """What watchfiles asks."""

    def __init__(self, stopped: Callable[[], bool]) -> None:
        self.is_set = stopped


def _signature(path: Path) -> tuple[int, int, int] | None:
    """What tells one state of a file from another; None where it is not there."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
