"""Work over batches in this process: one after the other, each when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator

from noderag_local.system.batches.executor import LocalExecutor, WorkSignals


def doubled(batch: list[int], signals: WorkSignals) -> list[int]:
    signals.advanced(len(batch))
    return [2 * number for number in batch]


def test_results_come_in_order_and_no_batch_is_read_ahead() -> None:
    read: list[int] = []

    def batches() -> Iterator[list[int]]:
        for number in range(3):
            read.append(number)
            yield [number, number]

    told: list[int] = []
    results = LocalExecutor().results(doubled, batches(), WorkSignals(told.append))
    assert (next(results), read, told) == ([0, 0], [0], [2])
    assert list(results) == [[2, 2], [4, 4]]


def test_it_ends_before_the_next_batch_when_it_is_cancelled() -> None:
    made: list[list[int]] = []
    for result in LocalExecutor().results(
        doubled, ([n] for n in range(9)), WorkSignals(cancelled=lambda: len(made) == 2)
    ):
        made.append(result)
    assert made == [[0], [2]]
