"""Reports in `noderag doctor` how well the processes that read files are confined, as such a process itself says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from noderag_local.domain.errors import SourceError
from noderag_local.domain.progress import Finding
from noderag_local.system.walls.standing import Standing, Wall, what_stands_open

if TYPE_CHECKING:
    from noderag_local.config import Settings


class _Told(NamedTuple):
    """Texts about one of the walls around a reading process."""

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
        "readers see this machine's network devices; the system-calls wall alone keeps them from connecting",
        "Allow unprivileged user namespaces: sysctl kernel.unprivileged_userns_clone=1 and "
        "kernel.apparmor_restrict_unprivileged_userns=0; in a container, see its security settings.",
    ),
    Wall.SYSTEM_CALLS: _Told(
        "readers open no connection and start no process (seccomp)",
        "readers could open connections and start processes",
        "noderag uses seccomp for that: Linux on x86_64 or aarch64.",
    ),
    Wall.DUMPS: _Told(
        "readers leave no core dump, whatever handles core dumps on this system",
        "a reader that crashes may leave a core dump with text of the file",
        "Only Linux lets a process refuse to be dumped.",
    ),
}


def wall_findings(settings: Settings) -> Iterator[Finding]:
    """Yields a finding for each wall, and one that says what they mean for reading files."""
    from noderag_local.ingest.sandbox.worker_process import WorkerProcess

    try:
        with WorkerProcess() as process:
            standing = process.standing()
    except (OSError, SourceError) as error:
        yield Finding("reading process", False, str(error), "No file can be read until this process starts.")
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
        return Finding(what, True, "a file that takes over its reader reaches neither your other files nor the network")
    reach = f"a file that takes over its reader could reach {reached}"
    if without_walls:
        return Finding(
            what, True, f"{reach}; PDF, Office and the like are read all the same (setting formats_without_walls)"
        )
    remedy = "Text files are still read. To read the others, enable the missing walls or turn on the setting formats_without_walls."
    return Finding(what, False, f"{reach}, so PDF, Office and the like are not read", remedy)
