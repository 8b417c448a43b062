"""Which marks set thousands apart, by the numbers of a column."""

from __future__ import annotations

import pytest

from noderag_local.aggregation.thousands import thousands_marks


@pytest.mark.parametrize(
    ("numbers", "marks"),
    [
        (["850", "1,250"], set(".,")),
        (["42.195", "10"], set()),
        (["42.195", "10.5"], set(",")),
        (["1,250", "12.5"], set(",")),
        (["1.250", "12,5"], set(".")),
        (["1,250,000"], set(".,")),
        (["0.125", "2.250"], set(",")),
        (["12", "15"], set()),
        # Any of both may be meant.
        (["1,250", "2,100"], None),
        (["30", "1.250"], None),
        (["1.250", "1,250"], None),
    ],
)
def test_other_numbers_of_a_column_tell_what_a_mark_is(numbers: list[str], marks: set[str] | None) -> None:
    assert thousands_marks(numbers) == marks
