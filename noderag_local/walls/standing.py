"""Which walls stand around a process, as it tells its parent before it is handed anything."""

from __future__ import annotations

from enum import StrEnum


class Wall(StrEnum):
    """What the operating system sees to."""

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
    """What code that took the process over could reach; "" where it is shut in."""
    files = Wall.FILES in standing
    # Either of them keeps what was read from another machine.
    network = Wall.NETWORK in standing or Wall.SYSTEM_CALLS in standing
    return " and ".join(["your files"] * (not files) + ["the network"] * (not network))


def standing_line(standing: Standing) -> bytes:
    """One line that tells which walls stand."""
    return " ".join(["ready", *sorted(standing)]).encode("ascii") + b"\n"


def standing_of(line: bytes) -> Standing | None:
    """What `standing_line` was given; None where it is no such line."""
    told, *walls = line.decode("ascii", "replace").split(" ") if line.endswith(b"\n") else [""]
    try:
        return frozenset(Wall(wall.strip()) for wall in walls) if told.strip() == "ready" else None
    except ValueError:
        return None
