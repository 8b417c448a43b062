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


_TOLD = {
    Wall.FILES: _Told(
        "readers open no file of yours but the one they are given (Landlock)",
        "readers could open other files of yours: this system has no Landlock (Linux 5.13), or it is switched off",
    ),
    Wall.NETWORK: _Told(
        "readers have no network device (a network namespace)",
        "readers have this machine's network devices: nobody may have a network namespace here",
    ),
    Wall.SYSTEM_CALLS: _Told(
        "readers open no connection and start no process (seccomp)",
        "readers could ask the system for connections and processes: it has no seccomp",
    ),
    Wall.DUMPS: _Told(
        "readers leave no image of their memory, whatever the system does with core dumps",
        "readers leave no core dump only where the limit of its size is heeded",
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
    for wall, told in _TOLD.items():
        stands = wall in standing
        yield Finding(
            f"wall: {wall.value.replace('-', ' ')}",
            True,
            told.where_it_stands if stands else f"MISSING: {told.where_it_does_not}",
        )
    yield _what_follows(standing, settings.formats_without_walls)


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
