"""How long a person waits for an answer."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noderag_local.answer.answer import Answer
    from noderag_local.stream import Stream


class Timed(Iterator[str]):
    """An answer's stream that notes when its first piece came."""

    def __init__(self, stream: Stream[Answer], started: float) -> None:
        self._stream = stream
        self._started = started
        self.first_piece_seconds = 0.0
        """From the start of the command to the first piece; 0 before it."""

    def __next__(self) -> str:
        piece = next(self._stream)
        if not self.first_piece_seconds:
            self.first_piece_seconds = time.perf_counter() - self._started
        return piece

    @property
    def answer(self) -> Answer:
        """The whole answer; only after the last piece."""
        return self._stream.result

    @property
    def seconds(self) -> float:
        """Since the start of the command."""
        return time.perf_counter() - self._started
