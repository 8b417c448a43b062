"""Reports when files may have changed: the operating system watches folders, and single files are checked regularly.

The system loses changes on network drives and where there are too many folders; who follows them looks at everything
again now and then. Nothing here depends on the clock on the wall, which may jump.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

TICK_SECONDS = 0.25
"""Seconds between two checks whether to stop."""
LOOK_SECONDS = 1.0
"""Seconds between two looks at the watched paths. Editors replace a file by a new one, and a watch would stay with the old
one; a folder that was removed and is back is another one to the system."""
SETTLE_SECONDS = 1.5
"""Seconds within which changes are reported together; after four times as long they are reported at the latest."""
POLL_SECONDS = 60.0
"""Seconds after which something counts as changed where the system cannot watch a folder."""
STALLED_SECONDS = 5.0
"""Seconds without a tick after which watching begins anew: watchfiles 1.3 waits by the clock on the wall."""


def ticks(paths: Callable[[], Sequence[Path]], ignored: Path, stopped: Callable[[], bool]) -> Iterator[bool]:
    """Yields every quarter of a second whether changes have settled; ends when it is stopped.

    Args:
        paths: tells what to watch, asked again after each report; paths that do not exist are waited for.
        ignored: folder of the vault, which may lie in a folder of notes; changes inside it are ignored.
        stopped: whether to end.
    """
    settling = _Settling()
    while not stopped():
        watched = tuple(paths())
        looks, is_new = _Looks(watched), True
        for is_touched in _touches(watched, ignored, stopped):
            is_other = looks.is_other()
            # Nobody reports what changed before this watch began.
            if is_new or is_touched or is_other:
                settling.note()
            is_new = False
            told = settling.is_over()
            yield told
            # Another folder in the place of one that was watched needs a watch of its own.
            if stopped() or (is_other and looks.has_folders) or (told and tuple(paths()) != watched):
                break


class _Settling:
    """Decides when changes have settled."""

    def __init__(self) -> None:
        self._first = self._last = 0.0
        self._has_changes = False

    def note(self) -> None:
        """Notes that something has changed now."""
        self._last = time.monotonic()
        if not self._has_changes:
            self._first, self._has_changes = self._last, True

    def is_over(self) -> bool:
        """Returns whether changes are to be reported now, and forgets them if so."""
        now = time.monotonic()
        rests = now - self._last >= SETTLE_SECONDS or now - self._first >= 4 * SETTLE_SECONDS
        if not (self._has_changes and rests):
            return False
        self._has_changes = False
        return True


class _Looks:
    """Checks paths for changes by reading their status."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths
        self._found = [_signature(path) for path in paths]
        self._looked_at = time.monotonic()

    @property
    def has_folders(self) -> bool:
        """Whether any of the paths was, or is, anything but a file."""
        return any(not os.path.isfile(path) for path in self._paths)

    def is_other(self) -> bool:
        """Returns whether a path has changed since the last look; it may be asked more often than it looks."""
        now = time.monotonic()
        if now - self._looked_at < LOOK_SECONDS:
            return False
        self._looked_at = now
        before, self._found = self._found, [_signature(path) for path in self._paths]
        return self._found != before


def _signature(path: Path) -> tuple[int, ...] | None:
    """Returns numbers that identify the state of a file or folder; None if there is nothing at the path."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    if stat.S_ISDIR(status.st_mode):
        return status.st_dev, status.st_ino
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _touches(paths: Sequence[Path], ignored: Path, stopped: Callable[[], bool]) -> Iterator[bool]:
    """Yields every quarter of a second whether something in the watched folders has changed; may end at any time."""
    # pathlib raises where a drive fails or a folder may not be looked into.
    folders = [path for path in paths if os.path.isdir(path)]
    if not folders:
        yield from _polled(None, stopped)
        return
    try:
        yield from _told_by_system(folders, ignored, stopped)
    # More folders than the system watches, or a file system that it cannot watch.
    except (OSError, RuntimeError):
        yield from _polled(POLL_SECONDS, stopped)


def _polled(seconds: float | None, stopped: Callable[[], bool]) -> Iterator[bool]:
    """Yields every quarter of a second whether to assume a change: once in so many seconds; None means never."""
    last = time.monotonic()
    while not stopped():
        time.sleep(TICK_SECONDS)
        is_due = seconds is not None and time.monotonic() - last >= seconds
        last = time.monotonic() if is_due else last
        yield is_due


def _told_by_system(folders: Sequence[Path], ignored: Path, stopped: Callable[[], bool]) -> Iterator[bool]:
    from watchfiles import watch

    stop = _Stop(stopped)
    changes = watch(
        *folders,
        watch_filter=None,
        debounce=int(1000 * TICK_SECONDS),
        step=int(1000 * TICK_SECONDS),
        stop_event=stop,
        rust_timeout=int(1000 * TICK_SECONDS),
        yield_on_timeout=True,
        raise_interrupt=False,
        ignore_permission_denied=True,
    )
    for found in changes:
        yield any(_concerns(path, folders, ignored) for _, path in found)
        stop.go_on()


class _Stop:
    """Event that watchfiles checks in every step."""

    def __init__(self, stopped: Callable[[], bool]) -> None:
        self._stopped = stopped
        self.go_on()

    def go_on(self) -> None:
        """Restarts the time within which the next tick must come."""
        self._waits_since = time.monotonic()

    def is_set(self) -> bool:
        """Whether to end the watch."""
        return self._stopped() or time.monotonic() - self._waits_since > STALLED_SECONDS


def _concerns(path: str, folders: Sequence[Path], ignored: Path) -> bool:
    """Whether a change may concern a note; hidden files, which editors and version control write, do not."""
    changed = Path(path)
    if changed.is_relative_to(ignored):
        return False
    inner = [changed.relative_to(folder) for folder in folders if changed.is_relative_to(folder)]
    return any(one.name == ".gitignore" or not any(part.startswith(".") for part in one.parts) for one in inner)
