"""Runs llama.cpp in a thread of its own, so that the caller can be asked all the time whether it still wants the result."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from noderag_local.models.llm.llamacpp.stop_flag import Aborted
from noderag_local.models.llm.priority import Precedence

POLL_SECONDS = 0.03
"""How often it is asked."""

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
