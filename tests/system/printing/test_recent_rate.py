"""Rates over a window, on seconds that the tests give."""

from __future__ import annotations

from noderag_local.system.printing.recent_rate import RecentRate

WINDOW, LEAST = 60.0, 4


def test_nothing_is_told_of_a_total_that_stands_still() -> None:
    rate = RecentRate(WINDOW, LEAST)
    assert (rate.per_second, rate.last_seconds, rate.samples) == (None, None, 0)
    rate.note(5, 1.0)
    rate.note(5, 2.0)
    assert (rate.per_second, rate.last_seconds, rate.samples) == (None, 2.0, 0)


def test_counting_starts_anew_while_nothing_is_done() -> None:
    rate = RecentRate(WINDOW, LEAST)
    for total, second in ((5, 1.0), (5, 11.0), (25, 21.0)):
        rate.note(total, second)
    assert (rate.per_second, rate.samples) == (2, 1)


def test_a_pause_in_the_middle_of_the_work_counts() -> None:
    rate = RecentRate(WINDOW, LEAST)
    for total, second in ((0, 0.0), (10, 1.0), (10, 31.0), (20, 32.0)):
        rate.note(total, second)
    assert rate.per_second == 20 / 32


def test_the_rate_is_that_of_the_last_minute() -> None:
    rate = RecentRate(WINDOW, LEAST)
    total = 0
    for second in range(100):
        total = 10 * second
        rate.note(total, float(second))
    assert rate.per_second == 10
    for second in range(100, 100 + int(WINDOW) + 5):
        total += 40
        rate.note(total, float(second))
    assert rate.per_second == 40


def test_old_samples_count_where_there_are_few() -> None:
    rate = RecentRate(WINDOW, LEAST)
    for block in range(LEAST + 1):
        rate.note(60 * block, 3 * WINDOW * block)
    assert rate.per_second == 60 / (3 * WINDOW)
    assert rate.samples == LEAST
