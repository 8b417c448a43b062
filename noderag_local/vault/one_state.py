"""Lets everything that is read for one purpose be of one state of the vault, whatever a writer does meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from noderag_local.domain.errors import VaultChanged

if TYPE_CHECKING:
    from noderag_local.vault.reader import Reader

FURTHER_TRIES = 3
"""Times that a search begins again because the vault has no locks and was written from elsewhere."""

_Given = ParamSpec("_Given")
_Read = TypeVar("_Read")


class OneState:
    """Runs functions on the vault's reader, each within one state.

    If the vault has locks, SQLite keeps the state. If it has none, because its folder is read-only, a function is run again when a
    change interrupts it. A function is also run again if its caches were overwritten meanwhile, because documents were forgotten.
    """

    def __init__(self, read: Callable[[], Reader], close: Callable[[], None]) -> None:
        """Takes the functions that open the newest state of the vault and that close it."""
        self._read, self._close = read, close
        self.held: Reader | None = None
        """The reader whose state is kept now; None between two calls."""

    def __call__(self, work: Callable[[Reader], _Read]) -> _Read:
        """Returns what `work` reads; calls within calls see the same state.

        Raises:
            VaultChanged: the vault has no locks and was written from elsewhere, or its caches were overwritten, again and again.
        """
        if self.held is not None:
            return work(self.held)
        for _ in range(FURTHER_TRIES):
            try:
                return self._run(work)
            except VaultChanged:
                self._close()
        return self._run(work)

    def keeping(self, work: Callable[_Given, _Read]) -> Callable[_Given, _Read]:
        """Returns a function that does as `work` does, within one state."""

        @wraps(work)
        def kept(*given: _Given.args, **named: _Given.kwargs) -> _Read:
            return self(lambda _: work(*given, **named))

        return kept

    def _run(self, work: Callable[[Reader], _Read]) -> _Read:
        while True:
            reader = self._read()
            with reader.store.steady():
                # A writer may have finished between the two lines above.
                if not reader.fits_the_store():
                    continue
                self.held = reader
                try:
                    read = work(reader)
                except Exception as error:
                    if reader.has_lost_caches():
                        raise _overwritten(reader) from error
                    raise
                finally:
                    self.held = None
                if reader.has_lost_caches():
                    raise _overwritten(reader)
                return read


def _overwritten(reader: Reader) -> VaultChanged:
    return VaultChanged(
        f"The caches in {reader.store.folder} were overwritten while they were read, because documents are being forgotten. "
        "Wait until that has ended, then try again."
    )
