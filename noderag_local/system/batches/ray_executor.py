"""Runs work over batches as Ray tasks. Ray chooses the worker, and runs a task again whose worker was lost."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

from noderag_local.domain.errors import ClusterError
from noderag_local.system import offline
from noderag_local.system.batches.executor import Batch, Result, Work, WorkSignals

BATCHES_A_CORE = 2
"""Batches in hand for each core: one that is computed, and one that waits, so that no worker waits for this process."""
RETRIES = 3
"""How often a batch is computed again whose worker was lost. A batch that ends every worker must not go round for ever."""
ASKED_SECONDS = 0.2
"""Seconds between two questions whether the user has cancelled."""


class RayExecutor:
    """Does the work on the workers of the Ray that this process is connected to."""

    def __init__(self, cores: int) -> None:
        """Starts nothing yet.

        Args:
            cores: number of cores that Ray has; each computes one batch at a time.
        """
        self.cores = cores

    def results(self, work: Work[Batch, Result], batches: Iterable[Batch], signals: WorkSignals) -> Iterator[Result]:
        """Yields results as `Executor.results` does. Work on another process gets no signals; cancelling ends it."""
        import ray

        task = ray.remote(num_cpus=1, max_retries=RETRIES)(_on_worker)
        left, in_hand = iter(batches), deque[Any]()
        try:
            shared = ray.put(work)
            while not signals.cancelled():
                room = BATCHES_A_CORE * self.cores - len(in_hand)
                in_hand.extend(task.remote(shared, batch) for batch in islice(left, room))
                if not in_hand:
                    return
                if ray.wait([in_hand[0]], timeout=ASKED_SECONDS)[0]:
                    yield _result(in_hand.popleft())
        except ConnectionError as error:
            raise ClusterError(
                f"The connection to Ray was lost: {error}. What was done is kept; run the same command again to go on."
            ) from error
        finally:
            for one in in_hand:
                with suppress(ConnectionError, ray.exceptions.RayError):
                    ray.cancel(one, force=True)


def _on_worker(work: Work[Batch, Result], batch: Batch) -> Result:
    # Before anything is imported that might open a connection.
    offline.install()
    return work(batch, WorkSignals())


def _result(reference: Any) -> Any:
    """Returns the result of a finished task, or raises what its work raised."""
    from ray import exceptions, get

    try:
        return get(reference)
    except exceptions.RayTaskError as error:
        # Ray's own error has the worker's stack in its message.
        raise error.cause from None
    except exceptions.RayError as error:
        raise ClusterError(
            f"Ray lost the worker of a batch {RETRIES + 1} times ({type(error).__name__}). Look at memory and logs of the "
            "workers. What was done is kept; run the same command again to go on, without --on to compute here."
        ) from error
