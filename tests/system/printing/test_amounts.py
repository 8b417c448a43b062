"""Numbers as people read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.system.printing.amounts import counted, duration, rate, size


@pytest.mark.parametrize(
    ("size_bytes", "told"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1 KB"),
        (18_400, "18 KB"),
        (999_499, "999 KB"),
        (999_500, "1.0 MB"),
        (3_350_000, "3.4 MB"),
        (117_000_000, "117 MB"),
        (1_117_320_768, "1.1 GB"),
        (12_400_000_000, "12 GB"),
    ],
)
def test_a_size_has_two_digits_or_three(size_bytes: int, told: str) -> None:
    assert size(size_bytes) == told


@given(st.integers(0, 10**12))
def test_no_size_is_told_in_more_than_eight_signs(size_bytes: int) -> None:
    assert len(size(size_bytes)) <= 8


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.04, "0.0 s"), (0.6, "0.6 s"), (12, "12 s"), (59.6, "1 min 00 s"), (185, "3 min 05 s"), (7800, "2 h 10 min")],
)
def test_a_duration(seconds: float, told: str) -> None:
    assert duration(seconds) == told


def test_one_thing_is_not_many() -> None:
    assert (counted(1, "documents"), counted(1204, "documents")) == ("1 document", "1,204 documents")


def test_a_rate_says_no_more_than_is_known() -> None:
    assert (rate(0.44), rate(290.6)) == ("0.4", "291")
