"""The day in a date or time that a program wrote."""

from __future__ import annotations

from datetime import date

import pytest

from noderag_local.text.dates.told_day import iso_day, told_day


@pytest.mark.parametrize(
    "written",
    [
        "2026-05-03",
        " 2026-5-3 ",
        "2026/05/03",
        "2026-05-03T23:30:00Z",
        "2026-05-03T00:30:00.000+02:00",
        "2026-05-03 08:00",
        "2026-05-03 08:00:00 -0700",
        "[[2026-05-03]]",
        "20260503",
        "20260503T083000Z",
        "202605030830",
        "20260503083000",
    ],
)
def test_a_day_is_that_which_is_written(written: str) -> None:
    assert told_day(written) == date(2026, 5, 3)
    assert iso_day(written) == "2026-05-03"


@pytest.mark.parametrize(
    "written",
    [
        "",
        "soon",
        "yesterday",
        "2026",
        "2026-05",
        "2026-02-30",
        "2026-13-01",
        "2026-05/03",
        "0001-01-01T00:00:00Z",
        "9999-12-31",
        "2026-05-03 to 2026-05-05",
        "2026-05-03, 2026-05-05",
        "1714723200",
        "1714723200000",
        "2026-05-03\n2026-05-04",
    ],
)
def test_what_tells_no_day(written: str) -> None:
    assert told_day(written) is None
    assert iso_day(written) == ""
