"""How long a person waits for an answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noderag_local.answer.answer import Answer, AnswerStream


class Timed(Iterator[str]):
    """An answer's stream that notes when its first piece came."""

    def __init__(self, begin: Callable[..., AnswerStream], started: float) -> None:
        """
        Args:
            begin: makes the stream, given as `told` what hears of each simple question on the way.
        """
        self.told: Callable[[str], None] = lambda _: None
        """May be set until the first piece is asked for."""
        self._stream = begin(told=lambda step: self.told(step))
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
        return self._stream.answer

    @property
    def seconds(self) -> float:
        """Since the start of the command."""
        return time.perf_counter() - self._started
