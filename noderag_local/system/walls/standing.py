"""The walls that stand around a process, which it reports to its parent before it gets any data."""

from __future__ import annotations

from enum import StrEnum


class Wall(StrEnum):
    """A limit that the operating system enforces on a process."""

    NETWORK = "network"
    """The process has no network device."""
    FILES = "files"
    """The process cannot open the user's files."""
    DUMPS = "dumps"
    """The process leaves no core dump of its memory."""
    SYSTEM_CALLS = "system-calls"
    """The process cannot connect, even within this machine, start a process, or read another one."""


Standing = frozenset[Wall]
"""Set of the walls around a process."""


def what_stands_open(standing: Standing) -> str:
    """Returns a description of what hostile code in the process could reach; "" if the walls stop it."""
    files = Wall.FILES in standing
    # Either of them keeps what was read from another machine.
    network = Wall.NETWORK in standing or Wall.SYSTEM_CALLS in standing
    return " and ".join(["your files"] * (not files) + ["the network"] * (not network))


def standing_line(standing: Standing) -> bytes:
    """Returns one line that names the walls around a process."""
    return " ".join(["ready", *sorted(standing)]).encode("ascii") + b"\n"


def standing_of(line: bytes) -> Standing | None:
    """Reads a line of `standing_line`; returns None for any other line."""
    told, *walls = line.decode("ascii", "replace").split(" ") if line.endswith(b"\n") else [""]
    try:
        return frozenset(Wall(wall.strip()) for wall in walls) if told.strip() == "ready" else None
    except ValueError:
        return None
