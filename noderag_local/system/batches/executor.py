"""Defines the protocol that runs work over batches, and the executor that does it in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

Batch = TypeVar("Batch")
Result = TypeVar("Result")
Batch_contra = TypeVar("Batch_contra", contravariant=True)
Result_co = TypeVar("Result_co", covariant=True)


@dataclass(frozen=True, slots=True)
class WorkSignals:
    """How work tells of its progress and learns that it is to stop."""

    advanced: Callable[[int], None] = lambda _: None
    """Told how much of the batch is done, if the work runs in this process."""
    cancelled: Callable[[], bool] = lambda: False
    """Asked often; True ends the work early."""


class Work(Protocol[Batch_contra, Result_co]):
    """Makes the result of one batch, the same on every machine.

    It may run in another process, so it reads and changes nothing but its batch, and it and its batch can be pickled.
    """

    def __call__(self, batch: Batch_contra, signals: WorkSignals, /) -> Result_co:
        """Returns the result of a batch."""
        ...


class Executor(Protocol):
    """Runs work over batches."""

    def results(self, work: Work[Batch, Result], batches: Iterable[Batch], signals: WorkSignals) -> Iterator[Result]:
        """Yields the result of each batch, in the order of the batches; ends early when it is cancelled.

        Args:
            work: what is done with each batch.
            batches: is read a few batches ahead of the results.
            signals: asked between batches whether to stop, at least.

        Raises:
            ClusterError: machines that do the work are lost.
            Exception: what the work raises.
        """
        ...


class LocalExecutor:
    """Does the work in this process, batch by batch, each when its result is asked for."""

    def results(self, work: Work[Batch, Result], batches: Iterable[Batch], signals: WorkSignals) -> Iterator[Result]:
        """Yields results as `Executor.results` does; hands the signals on to the work."""
        for batch in batches:
            if signals.cancelled():
                return
            yield work(batch, signals)
