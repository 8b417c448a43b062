"""A person's question goes before background work: what runs is stopped for it and done again afterwards."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from noderag_local.models.llm.llamacpp.stop_flag import StopFlag


class Precedence:
    """Who may compute. Thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._persons = 0
        self.background_flag = StopFlag()
        """Stops the background's computation."""

    @contextmanager
    def person(self) -> Iterator[None]:
        """While a person waits for an answer."""
        with self._changed:
            self._persons += 1
            self.background_flag.set()
        try:
            yield
        finally:
            with self._changed:
                self._persons -= 1
                self._changed.notify_all()

    def background_turn(self, given_up: Callable[[], bool], poll_seconds: float) -> bool:
        """Waits until no person does, and lets the background compute; False when it has given up."""
        while not given_up():
            with self._changed:
                if self._persons == 0:
                    self.background_flag.clear()
                    return True
                self._changed.wait(poll_seconds)
        return False
