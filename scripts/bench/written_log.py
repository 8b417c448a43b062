"""What a process wrote, out of a log of strace (blows.RECORDING), as events for a model of a disk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_CALL = re.compile(r"^\d+ +(\w+)\((.*)\) += (-?\d+)(?:<([^>]*)>)?")
_BEGUN = re.compile(r"^(\d+) +(.*) <unfinished \.\.\.>$")
_ENDED = re.compile(r"^(\d+) +<\.\.\. \w+ resumed>(.*)$")


@dataclass(frozen=True)
class Event:
    """One call that succeeded."""

    call: str
    path: Path
    """Absolute; of an open file, as it was called when it was opened or is called now."""
    descriptor: int = -1
    to: Path | None = None
    """New name, or the file that is read from."""
    data: bytes = b""
    place: int = 0
    """Offset of the data, new length, or number of bytes; -1 where the descriptor's own offset counts."""
    flags: frozenset[str] = frozenset()


def events(log: Path) -> Iterator[Event]:
    """All calls of a log that changed something or opened a file, in order.

    Raises:
        ValueError: the log holds a call that the model does not know.
    """
    for line in _whole_lines(log):
        found = _CALL.match(line)
        if found and int(found[3]) >= 0:
            yield from _event(found[1], found[2].split(", "), int(found[3]), found[4] or "")


def _whole_lines(log: Path) -> Iterator[str]:
    """Calls that others came between are put together."""
    begun: dict[str, str] = {}
    with log.open(encoding="ascii") as lines:
        for line in lines:
            if start := _BEGUN.match(line.rstrip("\n")):
                begun[start[1]] = start[2]
            elif end := _ENDED.match(line.rstrip("\n")):
                yield f"{end[1]} {begun.pop(end[1])}{end[2]}"
            else:
                yield line


def _event(call: str, given: list[str], result: int, opened: str) -> Iterator[Event]:
    if call == "openat":
        yield Event(call, Path(_text(opened)), result, flags=frozenset(given[2].split("|")))
    elif call in ("write", "pwrite64"):
        offset = int(given[3]) if call == "pwrite64" else -1
        yield Event("write", *_descriptor(given[0]), data=_bytes(given[1])[:result], place=offset)
    elif call == "lseek":
        yield Event(call, *_descriptor(given[0]), place=result)
    elif call in ("ftruncate", "fsync", "fdatasync"):
        length = int(given[1]) if call == "ftruncate" else 0
        yield Event(call.replace("fdata", "f"), *_descriptor(given[0]), place=length)
    elif call in ("sendfile", "copy_file_range"):
        to, source = (given[0], given[1]) if call == "sendfile" else (given[2], given[0])
        yield Event("copy", *_descriptor(to), to=_descriptor(source)[0], place=result)
    elif call in ("rename", "unlink", "mkdir", "rmdir"):
        yield Event(call.replace("rmdir", "unlink"), _path(given[0]), to=_path(given[1]) if call == "rename" else None)
    elif call == "link":
        yield Event(call, _path(given[0]), to=_path(given[1]))
    elif call == "linkat":
        yield Event("link", _path(given[1], given[0]), to=_path(given[3], given[2]))
    elif call in ("unlinkat", "mkdirat"):
        yield Event(call.removesuffix("at"), _path(given[1], given[0]))
    elif call in ("renameat", "renameat2"):
        swaps = given[4:] == ["RENAME_EXCHANGE"]
        yield Event("exchange" if swaps else "rename", _path(given[1], given[0]), to=_path(given[3], given[2]))
    else:
        raise ValueError(f"no model of {call}")


def _descriptor(given: str) -> tuple[Path, int]:
    number, _, path = given.partition("<")
    return Path(_text(path.partition(">")[0])), int(number)


def _path(given: str, folder: str = "") -> Path:
    path = Path(_text(given.strip('"')))
    return path if path.is_absolute() else Path(_text(folder.partition("<")[2].rstrip(">"))) / path


def _text(spelled: str) -> str:
    return _bytes(spelled).decode()


def _bytes(spelled: str) -> bytes:
    if spelled.endswith("..."):
        raise ValueError("strace has cut what was written")
    return bytes.fromhex(spelled.strip('"').replace("\\x", ""))
