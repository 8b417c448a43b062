"""Which walls stand around the processes that meet what a stranger wrote, as one of them tells itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from noderag_local.errors import SourceError
from noderag_local.records import Finding
from noderag_local.walls.standing import Standing, Wall, what_stands_open

if TYPE_CHECKING:
    from noderag_local.config import Settings


class _Told(NamedTuple):
    """What is told of a wall."""

    where_it_stands: str
    where_it_does_not: str
    remedy: str


_TOLD = {
    Wall.FILES: _Told(
        "readers open no file of yours but the one they are given (Landlock)",
        "readers could open other files of yours",
        "Linux 5.13 or later has Landlock for that; it is there if /sys/kernel/security/lsm names it.",
    ),
    Wall.NETWORK: _Told(
        "readers have no network device (a network namespace)",
        "readers have this machine's network devices, though they open no connection while the wall of system calls stands",
        "Let users have namespaces of their own: sysctl kernel.unprivileged_userns_clone, "
        "kernel.apparmor_restrict_unprivileged_userns; in a container its settings.",
    ),
    Wall.SYSTEM_CALLS: _Told(
        "readers open no connection and start no process (seccomp)",
        "readers could ask the system for connections and processes",
        "Linux has seccomp for that, which noderag uses on x86_64 and aarch64.",
    ),
    Wall.DUMPS: _Told(
        "readers leave no image of their memory, whatever the system does with core dumps",
        "readers leave a core dump where the system does not heed the limit of its size",
        "Linux lets a process refuse to be dumped.",
    ),
}


def wall_findings(settings: Settings) -> Iterator[Finding]:
    """A line for each wall, and one for what follows."""
    from noderag_local.ingest.formats.worker_process import WorkerProcess

    try:
        with WorkerProcess() as process:
            standing = process.standing()
    except (OSError, SourceError) as error:
        yield Finding("reading process", False, str(error), "No file can be read until it starts.")
        return
    is_enough = settings.formats_without_walls or not what_stands_open(standing)
    for wall in Wall:
        yield _finding(wall, wall in standing, is_enough)
    yield _what_follows(standing, settings.formats_without_walls)


def _finding(wall: Wall, stands: bool, is_enough: bool) -> Finding:
    what, told = f"wall: {wall.value.replace('-', ' ')}", _TOLD[wall]
    if stands:
        return Finding(what, True, told.where_it_stands)
    return Finding(what, is_enough, f"missing: {told.where_it_does_not}", told.remedy)


def _what_follows(standing: Standing, without_walls: bool) -> Finding:
    what = "reading process"
    reached = what_stands_open(standing)
    if not reached:
        return Finding(what, True, "a reader that a file takes over reaches neither your files nor the network")
    reach = f"a reader that a file takes over reaches {reached}"
    if without_walls:
        return Finding(what, True, f"{reach}; other formats than text are read all the same (formats_without_walls)")
    remedy = (
        "Text is read as ever. Other formats: on a system with these walls, or by the setting formats_without_walls."
    )
    return Finding(what, False, f"{reach}, so PDF, Office and the like are not read", remedy)
