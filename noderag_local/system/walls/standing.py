"""Which walls stand around a process, as it tells its parent before it is handed anything."""

from __future__ import annotations

from enum import StrEnum


class Wall(StrEnum):
    """A limit that the operating system keeps."""

    NETWORK = "network"
    """There is no network device."""
    FILES = "files"
    """No file of the person's is opened."""
    DUMPS = "dumps"
    """No image of the memory is left behind."""
    SYSTEM_CALLS = "system-calls"
    """No connection is opened, not even on this machine, no process started, no other process looked into."""


Standing = frozenset[Wall]
"""The walls that stand."""


def what_stands_open(standing: Standing) -> str:
    """Names what code that took over the process could reach; "" where the walls keep it in."""
    files = Wall.FILES in standing
    # Either of them keeps what was read from another machine.
    network = Wall.NETWORK in standing or Wall.SYSTEM_CALLS in standing
    return " and ".join(["your files"] * (not files) + ["the network"] * (not network))


def standing_line(standing: Standing) -> bytes:
    """One line that tells which walls stand."""
    return " ".join(["ready", *sorted(standing)]).encode("ascii") + b"\n"


def standing_of(line: bytes) -> Standing | None:
    """Reads a line of `standing_line`; None where it is another line."""
    told, *walls = line.decode("ascii", "replace").split(" ") if line.endswith(b"\n") else [""]
    try:
        return frozenset(Wall(wall.strip()) for wall in walls) if told.strip() == "ready" else None
    except ValueError:
        return None
