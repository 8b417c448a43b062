"""Decides when each request is sent to a model server, and runs several requests at a time.

A request is repeated after a fault, waits while a person chats, and runs alone if the server requires it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from queue import Empty, SimpleQueue
from typing import Generic, NamedTuple, TypeVar

from noderag_local.domain.errors import ModelError, NoderagError
from noderag_local.models.llm.engine import Completion, Outcome, never
from noderag_local.models.llm.server.cancellable_socket import POLL_SECONDS, Cancelled
from noderag_local.models.llm.server.server_faults import (
    END_OF_ALL,
    FAULTS_OF_SERVER,
    WORTH_ANOTHER_TRY,
    AnswerCut,
    ServerBusy,
)

FAULTS_IN_A_ROW = 5
"""Number of requests in a row that may fail before the work ends."""

_T = TypeVar("_T")


class ServerTries:
    """Coordinates the requests to one server. Threads share it."""

    def __init__(self, closed: Callable[[], bool]) -> None:
        """Keeps `closed`, which returns whether the engine has been closed."""
        self._closed = closed
        self._lock = threading.Lock()
        self._chats = 0
        self._single = threading.Lock()
        self._drops_for_next = False
        """Whether the server ends an answer when the next request comes, as llama-cpp-python's server does."""

    def tried(self, attempt: Callable[[], _T], pauses: Sequence[float], cancelled: Callable[[], bool]) -> _T:
        """Returns the result of the first try that succeeds; there is one more try than pauses.

        Args:
            attempt: makes one try.
            pauses: seconds to wait before each further try; a server can ask for a longer wait.
            cancelled: called while waiting; returns True when the result is no longer wanted.

        Raises:
            ServerFault: the last try's, or one that repeating cannot fix.
            Cancelled: the result is no longer wanted.
        """
        for pause in pauses:
            try:
                return self._noted(attempt)
            except WORTH_ANOTHER_TRY as fault:
                asked_for = fault.pause_seconds if isinstance(fault, ServerBusy) else 0.0
                self._wait(cancelled, seconds=max(pause, asked_for))
        return self._noted(attempt)

    def _noted(self, attempt: Callable[[], _T]) -> _T:
        try:
            return attempt()
        except AnswerCut as fault:
            self._drops_for_next |= fault.interrupted
            raise

    @contextmanager
    def in_background(self, cancelled: Callable[[], bool]) -> Iterator[None]:
        """Waits until no chat is running and, if the server would drop it, no other background request.

        Raises:
            Cancelled: the result is no longer wanted.
        """
        self._wait(cancelled, until=lambda: not self._chats)
        if not self._drops_for_next:
            yield
            return
        self._wait(cancelled, until=lambda: self._single.acquire(blocking=False))
        try:
            yield
        finally:
            self._single.release()

    @contextmanager
    def chatting(self) -> Iterator[None]:
        """Holds back background requests inside the block."""
        with self._lock:
            self._chats += 1
        try:
            yield
        finally:
            with self._lock:
                self._chats -= 1

    def _wait(
        self, cancelled: Callable[[], bool], seconds: float = float("inf"), until: Callable[[], bool] = never
    ) -> None:
        end = time.monotonic() + seconds
        while not until() and (left := end - time.monotonic()) > 0:
            if cancelled() or self._closed():
                raise Cancelled
            time.sleep(min(left, POLL_SECONDS))


_In = TypeVar("_In")
_Out = TypeVar("_Out")


class Ended(NamedTuple, Generic[_Out]):
    """A call that has finished."""

    number: int
    """Position of its input, from 0, in the order in which inputs were taken."""
    future: Future[_Out]
    """Finished future with a result or an exception."""


def side_by_side(
    inputs: Iterable[_In],
    call: Callable[[_In, Callable[[], bool]], _Out],
    places: int,
    cancelled: Callable[[], bool],
    poll_seconds: float,
) -> Generator[Ended[_Out], None, None]:
    """Runs calls in parallel and yields them as they finish; takes each input in the caller's thread.

    Args:
        inputs: inputs of the calls, taken when a place is free.
        call: gets an input and a function that returns whether the result is no longer wanted.
        places: maximum number of calls at a time.
        cancelled: called every `poll_seconds`; when it returns True, the iterator ends.
        poll_seconds: seconds between two calls of `cancelled`.

    Raises:
        Exception: what taking an input raises; running calls are then stopped.
    """
    unwanted = threading.Event()
    ends: SimpleQueue[Ended[_Out]] = SimpleQueue()
    waiting = iter(inputs)
    taken, running, more = 0, 0, True
    with ThreadPoolExecutor(places, thread_name_prefix="side-by-side") as threads:
        try:
            while not cancelled():
                if more and running < places:
                    try:
                        one = next(waiting)
                    except StopIteration:
                        more = False
                        continue
                    future = threads.submit(call, one, unwanted.is_set)
                    future.add_done_callback(partial(_tell, ends, taken))
                    taken, running = taken + 1, running + 1
                    continue
                if not running:
                    return
                try:
                    ended = ends.get(timeout=poll_seconds)
                except Empty:
                    continue
                running -= 1
                yield ended
        finally:
            unwanted.set()


def outcomes(
    calls: Generator[Ended[tuple[str, Completion]], None, None], was_closed: Callable[[], ModelError]
) -> Generator[Outcome, None, None]:
    """Yields the outcome of each call that has finished.

    Args:
        calls: calls of `side_by_side`, each for a text and its cost.
        was_closed: makes the error for calls that the closing of the engine has cancelled.

    Raises:
        ModelError: a call failed in a way that ends all work, or one after another failed.
    """
    faults_in_a_row = 0
    with closing(calls) as ends:
        for ended in ends:
            outcome = _outcome(ended, was_closed)
            faults_in_a_row = faults_in_a_row + 1 if isinstance(outcome.error, FAULTS_OF_SERVER) else 0
            if faults_in_a_row == FAULTS_IN_A_ROW and outcome.error:
                raise ModelError(f"{faults_in_a_row} requests failed one after another. The last: {outcome.error}")
            yield outcome


def _outcome(ended: Ended[tuple[str, Completion]], was_closed: Callable[[], ModelError]) -> Outcome:
    try:
        text, completion = ended.future.result()
    except END_OF_ALL:
        raise
    except Cancelled as error:
        raise was_closed() from error
    except NoderagError as error:
        return Outcome(ended.number, "", None, error)
    return Outcome(ended.number, text, completion)


def _tell(ends: SimpleQueue[Ended[_Out]], number: int, future: Future[_Out]) -> None:
    ends.put(Ended(number, future))
