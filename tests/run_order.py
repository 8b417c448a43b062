"""Which tests are slow, in which order they run, and which of them share a process."""

from __future__ import annotations

from pathlib import Path

from xdist.scheduler import LoadFileScheduling

TESTS = Path(__file__).parent
SLOW = (
    "hostile",
    "retrieval",
    "real",
    "interfaces/tui",
    "product/test_kills.py",
    "models/embedding",
    "graph/vectors",
    "interfaces/cli",
    "product/test_forgetting.py",
    "ingest",
    "storage",
    "vault/export",
    "pipeline/test_indexing.py",
    "vault/test_watch.py",
    "product/test_many_files.py",
)
"""Folders and files below tests/ that `scripts/test --quick` leaves out. A whole run begins with them, in this order."""
TOGETHER = (
    ("interfaces/tui/test_tmux.py", "interfaces/cli/test_interruption.py"),
    ("real",),
    ("retrieval",),
)
"""Files that one process runs, one after the other: what would disturb each other, or shares a model or costly vaults."""


class ByFile(LoadFileScheduling):
    """Gives whole files to the processes of pytest-xdist, and the files of one line of `TOGETHER` as if they were one.

    The files begin in the order of the tests; without this, the files with the most tests would come first.
    """

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        place = file.removeprefix(f"{TESTS.name}/")
        return next((line[0] for line in TOGETHER if _is_below(place, line)), file)


def is_slow(path: Path) -> bool:
    """Whether this file or folder is one of `SLOW`, or below one."""
    return rank(path) < len(SLOW)


def rank(path: Path) -> int:
    """Index of the entry of `SLOW` that holds this file or folder; len(SLOW) for one that is quick."""
    place = path.relative_to(TESTS).as_posix() if path.is_relative_to(TESTS) else ""
    return next((index for index, slow in enumerate(SLOW) if _is_below(place, (slow,))), len(SLOW))


def _is_below(place: str, entries: tuple[str, ...]) -> bool:
    """Whether `place`, relative to tests/, is one of these or lies in one of them."""
    return any(place == entry or place.startswith(f"{entry}/") for entry in entries)
