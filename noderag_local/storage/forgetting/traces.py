"""Notes a forgetting before anything is removed, so that a later run can finish it, and finds the files that it has not cleared."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from noderag_local.storage.backup.backups import Backups
from noderag_local.storage.conversations.conversations import Conversations
from noderag_local.storage.database.fact_names import FORGETTING
from noderag_local.storage.database.store import Store


@dataclass(frozen=True, slots=True)
class Forgetting:
    """Files that are to be forgotten, and whether conversations go with them."""

    paths: tuple[str, ...]
    """Files and folders, absolute."""
    conversations: bool
    """Whether those that quote them go, too."""


def note_forgetting(store: Store, forgetting: Forgetting) -> None:
    """Notes a forgetting; `drop_forgetting` belongs into the transaction that removes the files."""
    # Escaped to ASCII, since names of files need not be valid UTF-8.
    store.facts[FORGETTING] = json.dumps(asdict(forgetting))


def noted_forgetting(store: Store) -> Forgetting | None:
    """Returns the forgetting that has begun and not yet removed its files; None where there is none."""
    found = store.facts.get(FORGETTING)
    if found is None:
        return None
    fields = json.loads(found)
    return Forgetting(tuple(fields["paths"]), fields["conversations"])


def drop_forgetting(store: Store) -> None:
    """Removes the note once the files are removed; their traces have a mark of their own."""
    store.facts.pop(FORGETTING, None)


_PROCESSES = Path("/proc")


@dataclass(frozen=True, slots=True)
class Uncleared:
    """A file in which words of what was forgotten may still stand."""

    path: str
    readers: tuple[str, ...] = ()
    """Other programs that have it open, as far as this machine tells: "process 4711 (python3)"."""


def traces(store: Store) -> tuple[Uncleared, ...]:
    """Returns the files that a forgetting has not cleared yet; none where all is done."""
    found: list[Path] = []
    if store.has_traces or noted_forgetting(store) is not None:
        found.append(store.path)
    conversations = Conversations(store.folder)
    if conversations.has_traces:
        found.append(conversations.path)
    backups = Backups(store.folder)
    if backups.are_to_be_renewed:
        found.append(backups.place)
    return tuple(Uncleared(str(path), tuple(_readers(path))) for path in found)


def told(left: Sequence[Uncleared]) -> str:
    """Says which files a forgetting has not cleared, why, and what to do about each."""
    return " ".join(_told(one) for one in left)


def _told(uncleared: Uncleared) -> str:
    if uncleared.path.endswith(".sqlite"):
        who = f" by {', '.join(uncleared.readers)}" if uncleared.readers else ""
        return (
            f"{uncleared.path} and its log, {uncleared.path}-wal, may still hold text of what was forgotten: the forgetting was "
            f"stopped, or the file is being read{who}. Close other programs that have it open; the next command of noderag "
            "on this vault clears it."
        )
    return f"{uncleared.path} still holds backups from before: put a new one in their place with noderag backup --only."


def _readers(path: Path) -> Iterator[str]:
    """Returns this user's other processes that have a file open; only Linux tells them."""
    with suppress(OSError):
        wanted = path.stat()
        for process in _PROCESSES.iterdir() if _PROCESSES.is_dir() else ():
            # A process may end while it is looked at; the others are told all the same.
            with suppress(OSError):
                if process.name.isdecimal() and int(process.name) != os.getpid() and _has_open(process, wanted):
                    yield f"process {process.name} ({(process / 'comm').read_text().strip()})"


def _has_open(process: Path, wanted: os.stat_result) -> bool:
    with suppress(OSError):
        for descriptor in (process / "fd").iterdir():
            with suppress(OSError):
                if os.path.samestat(descriptor.stat(), wanted):
                    return True
    return False
