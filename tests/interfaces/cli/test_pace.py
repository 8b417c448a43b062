"""Rates and times left, on a clock that the tests set."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.interfaces.cli.stage_bars import LEAST_STEPS, WINDOW_SECONDS, Pace


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def paced(steps: list[tuple[float, int]], total: int) -> tuple[Pace, Clock]:
    """(seconds since the step before, done) of each step."""
    clock = Clock()
    pace = Pace(clock)
    for seconds, done in steps:
        clock.now += seconds
        pace.step(done, total)
    return pace, clock


def test_nothing_is_told_before_anything_is_done() -> None:
    pace, _ = paced([(0, 0), (5, 0)], 100)
    assert (pace.per_second, pace.seconds_left, pace.elapsed_seconds) == (None, None, 5)


def test_steady_work_is_told_right_from_the_first_step() -> None:
    pace, _ = paced([(0, 0), (5, 10)], 100)
    assert (pace.per_second, pace.seconds_left) == (2, 45)


def test_loading_a_model_is_no_slow_work() -> None:
    pace, _ = paced([(0, 0), (60, 0), (5, 10)], 100)
    assert (pace.per_second, pace.seconds_left) == (2, 45)


def test_the_time_left_counts_down_between_steps() -> None:
    pace, clock = paced([(0, 0), (5, 10)], 100)
    clock.now += 15
    assert pace.seconds_left == 30
    clock.now += 60
    assert pace.seconds_left == 0


def test_slow_blocks_count_though_they_are_older_than_the_window() -> None:
    block = 3 * WINDOW_SECONDS
    pace, _ = paced([(0, 0), (block, 60), (block, 120), (block, 180)], 600)
    assert pace.per_second == pytest.approx(60 / block)


def test_what_was_fast_long_ago_is_forgotten() -> None:
    quick = [(0.1, 100 * n) for n in range(50)]
    slow = [(1.0, 4900 + n) for n in range(1, 61)]
    pace, _ = paced(quick + slow, 10_000)
    assert pace.per_second == pytest.approx(1)


def test_at_the_end_the_clock_stands_still() -> None:
    pace, clock = paced([(0, 0), (4, 100)], 100)
    clock.now += 50
    pace.step(100, 100)
    assert (pace.took_seconds, pace.elapsed_seconds) == (4, 4)


@given(st.lists(st.tuples(st.floats(0.01, 100), st.integers(1, 50)), min_size=LEAST_STEPS, max_size=60))
def test_the_rate_lies_between_the_slowest_and_the_fastest_step(steps: list[tuple[float, int]]) -> None:
    done, cumulated = 0, [(0.0, 0)]
    for seconds, more in steps:
        done += more
        cumulated.append((seconds, done))
    pace, _ = paced(cumulated, done + 1)
    rates = [more / seconds for seconds, more in steps]
    assert pace.per_second is not None
    assert min(rates) * 0.999 <= pace.per_second <= max(rates) * 1.001
