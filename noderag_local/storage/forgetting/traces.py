"""Records a forgetting before it starts, so that a later run can finish it, and finds files that are not cleared yet."""

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
    """Files to forget, and whether conversations are deleted with them."""

    paths: tuple[str, ...]
    """Absolute paths of files and folders."""
    conversations: bool
    """Whether conversations that quote the files are deleted, too."""


def note_forgetting(store: Store, forgetting: Forgetting) -> None:
    """Records a forgetting that begins; the transaction that removes the files must call `drop_forgetting`."""
    # Escaped to ASCII, since names of files need not be valid UTF-8.
    store.facts[FORGETTING] = json.dumps(asdict(forgetting))


def noted_forgetting(store: Store) -> Forgetting | None:
    """Returns the forgetting that has begun but not removed its files yet; None if there is none."""
    found = store.facts.get(FORGETTING)
    if found is None:
        return None
    fields = json.loads(found)
    return Forgetting(tuple(fields["paths"]), fields["conversations"])


def drop_forgetting(store: Store) -> None:
    """Removes the record of a forgetting after its files are removed; traces of their texts are recorded separately."""
    store.facts.pop(FORGETTING, None)


_PROCESSES = Path("/proc")


@dataclass(frozen=True, slots=True)
class Uncleared:
    """A file that may still contain forgotten text."""

    path: str
    readers: tuple[str, ...] = ()
    """Other programs that have the file open, if known: "process 4711 (python3)"."""


def traces(store: Store) -> tuple[Uncleared, ...]:
    """Returns the files that a forgetting has not cleared yet; empty if there are none."""
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
    """Returns a message about files that a forgetting has not cleared: which, why, and what to do."""
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
    """Yields this user's other processes that have a file open; works on Linux only."""
    with suppress(OSError):
        wanted = path.stat()
        for process in _PROCESSES.iterdir() if _PROCESSES.is_dir() else ():
            # A process may end during the check; it is skipped.
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
