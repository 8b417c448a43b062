"""The days of repeated entries, from the words that stand in the vault."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

import pytest
from dateutil import rrule
from hypothesis import given, settings
from hypothesis import strategies as st

from noderag_local.text.dates.repeated_days import repeated_days, rule_in_words

FREQUENCIES = {"DAILY": rrule.DAILY, "WEEKLY": rrule.WEEKLY, "MONTHLY": rrule.MONTHLY, "YEARLY": rrule.YEARLY}
WEEKDAYS = "MO TU WE TH FR SA SU".split()


@st.composite
def rules(draw: st.DrawFn) -> dict[str, list[Any]]:
    """Rules of RFC 5545 as calendars of people have them."""
    frequency = draw(st.sampled_from(sorted(FREQUENCIES)))
    rule: dict[str, list[Any]] = {"FREQ": [frequency], "INTERVAL": [draw(st.integers(1, 5))]}
    which = ("", "1", "2", "-1") if frequency == "MONTHLY" else ("",)
    # dateutil finds no day for a rule that has both "MO" and "1TU".
    days = st.builds("{}{}".format, st.just(draw(st.sampled_from(which))), st.sampled_from(WEEKDAYS))
    by = draw(st.sampled_from(["", "BYDAY", "BYMONTHDAY"]))
    if by == "BYDAY" and frequency in ("WEEKLY", "MONTHLY"):
        rule["BYDAY"] = draw(st.lists(days, min_size=1, max_size=3, unique=True))
        if frequency == "MONTHLY" and which == "" and len(rule["BYDAY"]) == 1:
            rule["BYSETPOS"] = draw(st.sampled_from([[], [1], [2], [-1]]))
    if by == "BYMONTHDAY" and frequency in ("MONTHLY", "YEARLY"):
        rule["BYMONTHDAY"] = draw(st.lists(st.sampled_from([1, 15, 28, -1]), min_size=1, max_size=2, unique=True))
    if draw(st.booleans()):
        rule["BYMONTH"] = draw(st.lists(st.integers(1, 12), min_size=1, max_size=3, unique=True))
    limit = draw(st.sampled_from(["", "COUNT", "UNTIL"]))
    if limit:
        rule[limit] = (
            [draw(st.integers(1, 30))] if limit == "COUNT" else [draw(st.dates(date(2024, 1, 1), date(2027, 1, 1)))]
        )
    return rule


@settings(deadline=None, max_examples=200)
@given(rules(), st.dates(date(2024, 1, 1), date(2024, 12, 31)), st.integers(0, 900), st.integers(0, 40))
def test_they_are_those_of_dateutil(rule: dict[str, list[Any]], start: date, after: int, length: int) -> None:
    first = start + timedelta(after)
    last = first + timedelta(length)
    text = ";".join(f"{name}={','.join(map(_spelled, values))}" for name, values in rule.items() if values)
    slow = rrule.rrulestr(text, dtstart=datetime.combine(start, datetime.min.time()))
    expected = slow.between(*(datetime.combine(day, datetime.min.time()) for day in (first, last)), inc=True)
    assert repeated_days(rule_in_words(rule), start, first, last) == [one.date() for one in expected]


def _spelled(value: object) -> str:
    return f"{value:%Y%m%d}" if isinstance(value, date) else str(value)


def test_days_on_which_it_is_left_out() -> None:
    words = rule_in_words({"FREQ": ["WEEKLY"]}, [date(2026, 12, 24), date(2026, 12, 31)])
    assert words == "every week, not on 2026-12-24 and 2026-12-31"
    assert repeated_days(words, date(2026, 12, 10), date(2026, 12, 17), date(2027, 1, 8)) == [
        date(2026, 12, 17),
        date(2027, 1, 7),
    ]


@pytest.mark.parametrize("words", ["", "every now and then", "every month on day ninety", "every week on Someday"])
def test_words_that_are_no_rule_mean_the_start_alone(words: str) -> None:
    start = date(2026, 11, 26)
    assert repeated_days(words, start, start, date(2026, 12, 31)) == [start]
    assert repeated_days(words, start, date(2026, 12, 1), date(2026, 12, 31)) == []


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"FREQ": ["MONTHLY"], "BYDAY": ["TH"], "BYSETPOS": [2]}, "every month on the second Thursday"),
        (
            {"FREQ": ["YEARLY"], "BYMONTH": [10], "BYDAY": ["SU"], "BYSETPOS": [-1]},
            "every year on the last Sunday in October",
        ),
        (
            {"FREQ": ["MONTHLY"], "BYDAY": ["MO", "FR"], "BYSETPOS": [-1], "BYMONTH": [3]},
            "every month on Monday and Friday in March, only the last of these",
        ),
        (
            {"FREQ": ["YEARLY"], "BYMONTH": [3, 4], "BYDAY": ["MO"], "BYSETPOS": [1]},
            "every year on Monday in March and April, only the first of these",
        ),
        ({"FREQ": ["MONTHLY"], "BYSETPOS": [1, 3]}, "every month, only the first and third of these"),
    ],
)
def test_one_of_the_days_of_a_month(rule: dict[str, list[Any]], words: str) -> None:
    assert rule_in_words(rule) == words
    is_known = "only" not in words
    start = date(2026, 3, 12)
    assert (repeated_days(words, start, start, date(2026, 12, 31)) != [start]) == is_known


def test_a_rule_that_no_day_fits_ends() -> None:
    words = "every year on day 31 in February"
    assert repeated_days(words, date(1, 1, 1), date(2026, 1, 1), date(2027, 1, 1)) == []


def test_a_start_at_the_end_of_the_calendar() -> None:
    assert repeated_days("every day, 9 times", date.max, date(2026, 1, 1), date(2026, 2, 1)) == []
