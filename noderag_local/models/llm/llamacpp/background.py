"""Runs background work of llama.cpp in its own thread; a person's question takes precedence.

A question interrupts the running computation, which is repeated afterwards. While the thread computes, the caller is
regularly asked whether it still wants the result.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from noderag_local.models.llm.llamacpp.llama_native import Aborted, StopFlag


class Precedence:
    """Decides who may compute: a waiting person comes before background work. Thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._persons = 0
        self.background_flag = StopFlag()
        """Interrupts the background computation."""

    @contextmanager
    def person(self) -> Iterator[None]:
        """Holds background work back inside the block, while a person waits for an answer."""
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
        """Waits until no person is waiting, then allows the background to compute; returns False if it has given up."""
        while not given_up():
            with self._changed:
                if self._persons == 0:
                    self.background_flag.clear()
                    return True
                self._changed.wait(poll_seconds)
        return False


POLL_SECONDS = 0.03
"""Seconds between two checks whether the caller still wants the result."""

Result = TypeVar("Result")


class Background:
    """Runs one computation after another and repeats one that a person's question interrupted."""

    def __init__(self, precedence: Precedence, given_up: Callable[[], bool]) -> None:
        """Starts the thread; `given_up` is called from the thread that calls `run`."""
        self._precedence, self._given_up = precedence, given_up
        # A single thread, because OpenMP keeps a team of threads for each thread that computes.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="llama-batch")

    def run(self, compute: Callable[[], Result]) -> Result:
        """Returns the result of `compute`; calls it again if it raised Aborted.

        Raises:
            Aborted: the caller has given up.
        """
        while self._precedence.background_turn(self._given_up, POLL_SECONDS):
            try:
                return self._wait_for(compute)
            except Aborted:
                continue
        raise Aborted

    def close(self) -> None:
        """Interrupts the running computation."""
        self._precedence.background_flag.set()
        self._thread.shutdown()

    def _wait_for(self, compute: Callable[[], Result]) -> Result:
        future = self._thread.submit(compute)
        while True:
            try:
                return future.result(POLL_SECONDS)
            except TimeoutError:
                if self._given_up():
                    self._precedence.background_flag.set()
