"""Text that comes piece by piece and ends in a result."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Stream(Iterator[str], Generic[T]):
    """Pieces of text, then a result of type `T`. Closing or dropping the stream stops what writes the text."""

    def __init__(self, pieces: Generator[str, None, T]) -> None:
        """Makes a stream from a generator that yields the pieces and returns the result."""
        self._pieces = pieces
        self._result: T | None = None
        self._first: list[str] = []

    def __next__(self) -> str:
        if self._first:
            return self._first.pop()
        try:
            return next(self._pieces)
        except StopIteration as end:
            # Asking an ended generator again gives no result, so the first one is kept.
            if end.value is not None:
                self._result = end.value
            raise

    def begin(self) -> None:
        """Waits for the first piece or the result, without taking the piece from the stream."""
        self._first = [piece for piece in [next(self, None)] if piece is not None]

    def close(self) -> None:
        """Stops what writes the text, if it is not finished; then there is no result."""
        self._first.clear()
        self._pieces.close()

    @property
    def result(self) -> T:
        """Returns the result after the last piece.

        Raises:
            RuntimeError: the stream was not read to its end.
        """
        if self._result is None:
            raise RuntimeError("a stream has its result only after its last piece")
        return self._result

    def finish(self) -> T:
        """Reads the remaining pieces, for callers that only want the result, and returns it."""
        for _ in self:
            pass
        return self.result
