"""Runs background work of llama.cpp in a thread of its own; a person's question goes before it.

A question stops the computation that runs, which is done again afterwards. While the thread computes, the caller can be asked
all the time whether it still wants the result.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from noderag_local.models.llm.llamacpp.llama_native import Aborted, StopFlag


class Precedence:
    """Decides who may compute: a waiting person before background work. Thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._persons = 0
        self.background_flag = StopFlag()
        """Stops the background's computation."""

    @contextmanager
    def person(self) -> Iterator[None]:
        """Stops background work inside the block, while a person waits for an answer."""
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


POLL_SECONDS = 0.03
"""Seconds between two questions to the caller whether the result is still wanted."""

Result = TypeVar("Result")


class Background:
    """Runs one computation after another; one that a person's question interrupted runs again."""

    def __init__(self, precedence: Precedence, given_up: Callable[[], bool]) -> None:
        """Starts the thread; `given_up` is asked from the thread that calls `run`."""
        self._precedence, self._given_up = precedence, given_up
        # One thread for all: OpenMP keeps a team of threads for each thread that computes.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="llama-batch")

    def run(self, compute: Callable[[], Result]) -> Result:
        """Returns what `compute` returns; calls it again when it raised Aborted.

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
        """Stops the computation that runs."""
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
