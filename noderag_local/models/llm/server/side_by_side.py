"""Runs many calls that wait for another program, several at a time, in threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from queue import Empty, SimpleQueue
from typing import Generic, NamedTuple, TypeVar

_In = TypeVar("_In")
_Out = TypeVar("_Out")


class Ended(NamedTuple, Generic[_Out]):
    """A call that is finished."""

    number: int
    """0-based, in the order in which its input was taken."""
    future: Future[_Out]
    """Done: it has a result or an exception."""


def side_by_side(
    inputs: Iterable[_In],
    call: Callable[[_In, Callable[[], bool]], _Out],
    places: int,
    cancelled: Callable[[], bool],
    poll_seconds: float,
) -> Generator[Ended[_Out], None, None]:
    """Yields calls as they finish; takes each input in the caller's thread when a place is free.

    Args:
        call: gets an input and a function that says when its result is not wanted any more.
        cancelled: asked every `poll_seconds`; the iterator then ends.

    Raises:
        Exception: what taking an input raises; calls that run are told to stop.
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


def _tell(ends: SimpleQueue[Ended[_Out]], number: int, future: Future[_Out]) -> None:
    ends.put(Ended(number, future))
