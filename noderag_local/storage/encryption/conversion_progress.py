"""Progress of a conversion of databases, and the user's wish to stop it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from noderag_local.domain.progress import Progress
from noderag_local.storage.database.sqlite_errors import sqlite_errors

_STEPS = 20_000
"""Steps of SQLite's virtual machine between two checks; a few milliseconds."""
_UNIT_BYTES = 1_000_000


class Stopped(Exception):
    """Raised when the user has asked to stop; the database at work stays as it was."""


class ConversionProgress:
    """Progress of one run over several databases, in bytes."""

    def __init__(
        self,
        stage: str = "",
        progress: Callable[[Progress], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        """Starts at nothing done.

        Args:
            stage: in words, as in `Progress`.
            progress: told of the progress.
            cancelled: asked often.
        """
        self._stage, self._progress, self._cancelled = stage, progress, cancelled
        self._total_units = self._done = self._size = 0

    def expect(self, databases: Iterable[Path]) -> None:
        """Sets the total amount of work."""
        self._total_units = -(-sum(path.stat().st_size for path in databases) // _UNIT_BYTES)

    def look(self) -> None:
        """Stops the run if the user wishes it.

        Raises:
            Stopped: the user has asked for it.
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
        """Reports the end of the work, whether or not all of it could be done."""
        self._tell(self._total_units)

    def _tell(self, units: int) -> None:
        self._progress(Progress(self._stage, min(units, self._total_units), self._total_units, "MB"))

    @contextmanager
    def watching(self, connection: sqlite3.Connection, share: Callable[[], float]) -> Iterator[None]:
        """Reports progress, and checks for a wish to stop, while a connection is at work.

        Args:
            connection: connection of the statement.
            share: returns the value for `tell`.

        Raises:
            Stopped: the user has asked for it; the statement at work is given up.
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
