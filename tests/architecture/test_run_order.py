"""The lists of slow tests and of tests that share a process name files and folders that exist."""

from __future__ import annotations

import pytest
from run_order import SLOW, TESTS, TOGETHER, is_slow, rank

NAMED = [*SLOW, *(place for line in TOGETHER for place in line)]


@pytest.mark.parametrize("place", NAMED)
def test_what_is_named_exists(place: str) -> None:
    assert (TESTS / place).exists(), f"tests/run_order.py names {place}, which is not there"


def test_the_slow_ones_come_first() -> None:
    assert rank(TESTS / SLOW[0] / "test_some.py") < rank(TESTS / SLOW[1]) < rank(TESTS / "test_quick.py")
    assert is_slow(TESTS / SLOW[-1])
    assert not is_slow(TESTS / "test_quick.py")
    assert not is_slow(TESTS)
