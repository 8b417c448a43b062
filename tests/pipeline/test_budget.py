from __future__ import annotations

from noderag_local.pipeline.budget import STOPPED_SECONDS, WorkClock
from noderag_local.pipeline.enrichment_report import roughly


class Hands:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_only_work_counts() -> None:
    hands = Hands()
    clock = WorkClock(hands)
    hands.now += 5
    assert clock.seconds() == 0
    with clock.running():
        hands.now += 3
        assert clock.seconds() == 3
        with clock.halted():
            hands.now += 4
            assert clock.seconds() == 3
        hands.now += 1
    hands.now += 9
    assert clock.seconds() == 4


def test_a_stopped_process_does_not_work() -> None:
    hands = Hands()
    clock = WorkClock(hands)
    with clock.running():
        hands.now += 2
        clock.seconds()
        hands.now += STOPPED_SECONDS + 3600
        clock.seconds()
        hands.now += 2
    assert clock.seconds() == 4


def test_times_are_told_as_roughly_as_they_are_known() -> None:
    told = [roughly(seconds) for seconds in (0, 29, 31, 59 * 60, 3600, 3 * 3600 + 21 * 60, 5 * 3600 - 1)]
    assert told == [
        "under a minute", "under a minute", "about 1 min", "about 59 min", "about 1 h", "about 3 h 20 min", "about 5 h"
    ]  # fmt: skip
