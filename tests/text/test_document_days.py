"""The days that a file tells."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from noderag_local.text.dates.document_days import day_of, days_of, spelled_day

CHANGED = date(2024, 6, 1)
CHANGED_NS = int(datetime(2024, 6, 1, 12).timestamp() * 1e9)


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("Journal 2024/03 Mar/3-5 tue.md", date(2024, 3, 5)),
        ("Journal 2024/03 Mar/5.md", date(2024, 3, 5)),
        ("2024/March/Tue 5.md", date(2024, 3, 5)),
        ("2024/25.3.md", date(2024, 3, 25)),
        ("2024/5 March.md", date(2024, 3, 5)),
        # Which of both numbers is the month is not known.
        ("2024/3-5.md", CHANGED),
        ("2024/Room 5.md", CHANGED),
        ("2024/March/Bus 5.md", CHANGED),
    ],
)
def test_folders_tell_the_month_and_year_of_a_day(path: str, day: date) -> None:
    assert days_of(f"/notes/{path}", CHANGED_NS, "") == (day, day)


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("2024-03-05 Porto.md", date(2024, 3, 5), date(2024, 3, 5)),
        ("Porto 2024_03_05.md", date(2024, 3, 5), date(2024, 3, 5)),
        ("20240305.txt", date(2024, 3, 5), date(2024, 3, 5)),
        ("2024.03.05.md", date(2024, 3, 5), date(2024, 3, 5)),
        ("2024-02.md", date(2024, 2, 1), date(2024, 2, 29)),
        ("mardi 5 mars 2024.md", date(2024, 3, 5), date(2024, 3, 5)),
        ("March 5th, 2024.md", date(2024, 3, 5), date(2024, 3, 5)),
        ("5. März 2024.txt", date(2024, 3, 5), date(2024, 3, 5)),
        ("05.03.24 Zahnarzt.md", date(2024, 3, 5), date(2024, 3, 5)),
        ("05-mar-2024 martes.md", date(2024, 3, 5), date(2024, 3, 5)),
        ("05-mar-24.md", date(2024, 3, 5), date(2024, 3, 5)),
        ("5mars2024.md", date(2024, 3, 5), date(2024, 3, 5)),
        ("2024-Mar-05.md", date(2024, 3, 5), date(2024, 3, 5)),
        ("Mar-05-2024.md", date(2024, 3, 5), date(2024, 3, 5)),
        ("5 Mar 24.md", date(2024, 3, 5), date(2024, 3, 5)),
        ("25-03-2024.md", date(2024, 3, 25), date(2024, 3, 25)),
        ("03_25_2024.md", date(2024, 3, 25), date(2024, 3, 25)),
        ("05-03-2024 Tue.md", date(2024, 3, 5), date(2024, 3, 5)),
        ("mar-2024.md", date(2024, 3, 1), date(2024, 3, 31)),
        ("marzo de 2024.md", date(2024, 3, 1), date(2024, 3, 31)),
        ("2024-W10.md", date(2024, 3, 4), date(2024, 3, 10)),
        ("KW 10 · 2024.md", date(2024, 3, 4), date(2024, 3, 10)),
        ("week of 2024-03-04 (Mar 4 - Mar 10).md", date(2024, 3, 4), date(2024, 3, 10)),
        ("semaine du 4 mars 2024.md", date(2024, 3, 4), date(2024, 3, 10)),
        ("2024-03-04 - 2024-03-06 Porto.md", date(2024, 3, 4), date(2024, 3, 6)),
        ("2024-W54.md", CHANGED, CHANGED),
        ("notes.md", CHANGED, CHANGED),
        ("2024-02-31.md", CHANGED, CHANGED),
        ("2024-13.md", CHANGED, CHANGED),
        ("invoice 120240305.md", CHANGED, CHANGED),
        ("2024.md", CHANGED, CHANGED),
        ("05-03-2024.md", CHANGED, CHANGED),
        ("plan 5-may-95.md", CHANGED, CHANGED),
    ],
)
def test_a_date_in_the_name_goes_before_the_last_change(name: str, first: date, last: date) -> None:
    assert days_of(f"/notes/1999-01-01/{name}", CHANGED_NS, "") == (first, last)


@pytest.mark.parametrize(
    ("name", "told", "day"),
    [
        ("Porto.md", "2024-03-05", date(2024, 3, 5)),
        ("2024-03-04 Porto.md", "2024-03-05", date(2024, 3, 4)),
        ("Porto.md", "", CHANGED),
        ("Porto.md", "2024-02-31", CHANGED),
    ],
)
def test_the_own_day_of_a_document_is_believed_after_its_name_and_before_the_last_change(
    name: str, told: str, day: date
) -> None:
    assert days_of(f"/notes/{name}", CHANGED_NS, told) == (day, day)


def test_the_day_that_is_told_has_its_spelling() -> None:
    assert (day_of("/5 March 2024.md", "2024-03-06"), spelled_day("/5 March 2024.md", "2024-03-06")) == (
        date(2024, 3, 5),
        "5 March 2024",
    )
    assert (day_of("/a.md", "2024-03-06"), spelled_day("/a.md", "2024-03-06")) == (date(2024, 3, 6), "2024-03-06")
    for path, told in (("/2024-W10.md", "2024-03-06"), ("/a.md", ""), ("/a.md", "unknown")):
        assert (day_of(path, told), spelled_day(path, told)) == (None, "")
