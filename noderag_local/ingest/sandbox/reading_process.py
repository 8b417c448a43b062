"""Protocol of the two kinds of reading processes, as their parent sees them."""

from __future__ import annotations

from typing import Protocol

from noderag_local.domain.errors import SourceError
from noderag_local.ingest.sandbox.worker_exchange import Worker
from noderag_local.system.walls.standing import Standing, standing_of

START_SECONDS = 60.0
"""Seconds to wait for a process to be ready, on a slow disk."""
END_SECONDS = 5.0
"""Seconds to wait for a process that has ended or was told to."""
FELL_SILENT = "it fell silent"
"""Ending of a process that stays alive but answers no more."""


class ReadingProcess(Protocol):
    """A started process that reads the files it is given."""

    @property
    def number(self) -> int:
        """Id of the process that was started."""

    @property
    def is_alive(self) -> bool:
        """Whether the process has not ended."""

    def worker(self, module: str) -> Worker:
        """Gives the worker that reads the next files; waits until it is ready.

        Args:
            module: full name of the module that reads them.

        Raises:
            SourceError: it does not start.
        """

    def settle(self, left_whole: bool) -> bool:
        """Is told that a file was read, or left in the middle; whether the process is of use for another one."""

    def end(self) -> None:
        """Ends the process at once."""


def ready(told: bytes, how_it_ended: str) -> Standing:
    """The walls around a process, by what it said first; raises SourceError where it said something else, and so did not start."""
    standing = standing_of(told)
    if standing is None:
        raise SourceError(f"the process that reads files does not start ({how_it_ended}); install noderag again")
    return standing
