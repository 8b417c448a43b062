"""Reports the progress of encrypting or decrypting databases, and stops it if the user asks."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from noderag_local.domain.progress import Progress
from noderag_local.storage.database.sqlite_errors import sqlite_errors

_STEPS = 20_000
"""Steps of SQLite's virtual machine between two checks whether to stop; they take a few milliseconds."""
_UNIT_BYTES = 1_000_000


class Stopped(Exception):
    """Raised when the user stops a conversion; the present database stays as it was."""


class ConversionProgress:
    """Progress of a conversion of several databases, in bytes."""

    def __init__(
        self,
        stage: str = "",
        progress: Callable[[Progress], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        """Starts with no progress.

        Args:
            stage: name of the work, as in `Progress`.
            progress: called with the progress.
            cancelled: called often; returns True to stop the work.
        """
        self._stage, self._progress, self._cancelled = stage, progress, cancelled
        self._total_units = self._done = self._size = 0

    def expect(self, databases: Iterable[Path]) -> None:
        """Sets the total amount of work to the size of these databases."""
        self._total_units = -(-sum(path.stat().st_size for path in databases) // _UNIT_BYTES)

    def look(self) -> None:
        """Checks whether the user wants to stop.

        Raises:
            Stopped: the user wants to stop.
        """
        if self._cancelled():
            raise Stopped

    @contextmanager
    def over(self, database: Path) -> Iterator[None]:
        """Counts one database as done after the block."""
        self.look()
        self._size = database.stat().st_size
        yield
        self._done += self._size
        self._size = 0

    def tell(self, share: float) -> None:
        """Reports the share of the present database that is done, from 0 to 1."""
        self._tell(int((self._done + min(share, 1.0) * self._size) // _UNIT_BYTES))

    def end(self) -> None:
        """Reports the end of the work, even if a part of it could not be done."""
        self._tell(self._total_units)

    def _tell(self, units: int) -> None:
        self._progress(Progress(self._stage, min(units, self._total_units), self._total_units, "MB"))

    @contextmanager
    def watching(self, connection: sqlite3.Connection, share: Callable[[], float]) -> Iterator[None]:
        """Reports progress and checks whether to stop while a connection runs a statement.

        Args:
            connection: connection that runs the statement.
            share: function that returns the value for `tell`.

        Raises:
            Stopped: the user wants to stop; the running statement is cancelled.
        """

        def look() -> bool:
            self.tell(share())
            return self._cancelled()

        connection.set_progress_handler(look, _STEPS)
        try:
            yield
        except sqlite_errors("OperationalError") as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_INTERRUPT:
                raise
            raise Stopped from error
        finally:
            connection.set_progress_handler(None, 0)
