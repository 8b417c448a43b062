"""How sure a mean is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.evaluation.bootstrap import mean_interval


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=40))
def test_an_interval_holds_values_that_the_questions_could_give(values: list[float]) -> None:
    found = mean_interval(values)
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
    assert found.mean == pytest.approx(sum(values) / len(values))


def test_the_same_values_give_the_same_interval() -> None:
    values = [0.0, 100.0, 100.0, 0.0, 100.0]
    assert mean_interval(values) == mean_interval(values)


def test_more_questions_make_it_narrower() -> None:
    few, many = mean_interval([0.0, 100.0] * 10), mean_interval([0.0, 100.0] * 200)
    assert few.high - few.low > 2 * (many.high - many.low)


def test_near_the_textbook_for_many_values() -> None:
    found = mean_interval([0.0, 100.0] * 200)
    # 50 ± 1.96 · 50 / √400
    assert (found.low, found.high) == (pytest.approx(45.1, abs=0.6), pytest.approx(54.9, abs=0.6))


def test_a_difference_is_sure_where_zero_is_left_out() -> None:
    assert mean_interval([5.0, 4.0, 6.0, 5.0]).excludes_zero
    assert not mean_interval([5.0, -5.0, 6.0, -6.0]).excludes_zero


def test_no_values_have_no_mean() -> None:
    with pytest.raises(ValueError, match="at least one"):
        mean_interval([])
