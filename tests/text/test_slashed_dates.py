"""Which of two numbers with a slash is the day: a weekday, a word before it or the language of the text tells; days with dots."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.text.dates.dates_in_text import said_dates, written_dates

WRITTEN = date(2026, 6, 1)
PIECES = "0 00 000 5 12 31 40 99 1957 2024 9999 - . / _ ' May mai Oct Tue 年 月 日 년 월 일".split()


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("# Thu 2/10/2025", date(2025, 10, 2)),
        ("Tue 3/11/26 gas man", date(2026, 11, 3)),
        ("Jue 2/10/2025", date(2025, 10, 2)),
        ("Sáb 1/11/2025", date(2025, 11, 1)),
        ("Mar. 12/08/2025", date(2025, 8, 12)),
        ("El plazo se alarga hasta el 2/11/2026.", date(2026, 11, 2)),
        ("Próxima reunión: mar 9/6", date(2026, 6, 9)),
        ("On se voit le 3/7 chez moi", date(2026, 7, 3)),
        ("paid 13/3/2026", date(2026, 3, 13)),
        ("## Mo 11.8.25", date(2025, 8, 11)),
        ("geboren 12.04.85", date(1985, 4, 12)),
        ("# 01-oct-25", date(2025, 10, 1)),
        ("moved to 14-Oct-2025", date(2025, 10, 14)),
        ("aplazado al 3-abr-25, por fin", date(2025, 4, 3)),
        ("seen on 14 Oct '25 in town", date(2025, 10, 14)),
        ("Sent 14 Oct 25.", date(2025, 10, 14)),
        ("paid 13-3-2026", date(2026, 3, 13)),
        ("3/11/2026 (Tue) gas man", date(2026, 11, 3)),
        ("DL verschoben → 5.12.25", date(2025, 12, 5)),
        ("Zahnarzt am 3.6. um 10 Uhr", date(2026, 6, 3)),
        ("Steuer bis 31.5.", date(2026, 5, 31)),
        ("Fr 5.6. Zahnarzt", date(2026, 6, 5)),
        ("Fr., 05.06.: Zahnarzt", date(2026, 6, 5)),
        ("Freitag, den 5.6. Zahnarzt", date(2026, 6, 5)),
        ("24.6.: Ausflug", date(2026, 6, 24)),
        ("3. 6. 10:30 Zahnarzt", date(2026, 6, 3)),
        ("Donaudampfschifffahrt am 5. Oktober 2025", date(2025, 10, 5)),
        ("gesehen am 2025年10月5日", date(2025, 10, 5)),
    ],
)
def test_the_day_is_known(text: str, day: date) -> None:
    (found,) = said_dates(text, WRITTEN)
    assert (found.days.first, found.days.length) == (day, 1)


@pytest.mark.parametrize(
    "text",
    [
        "3-5 May 2026",
        "3.–5. Mai 2026",
        "vom 3. bis 5. Mai",
        "du 3 au 5 mai 2026",
        "May 3-5, 2026",
        "3.–5.5.2026",
        "vom 3. bis 5.5.2026",
        "vom 3. bis 5.5.",
        "3.-5.5. Rom",
        "from 3 to 5 May",
    ],
)
def test_both_days_of_one_month_are_known(text: str) -> None:
    assert [str(one.days) for one in said_dates(text, WRITTEN)] == ["2026-05-03", "2026-05-05"]
    assert [str(one.days) for one in said_dates("5-3 May 2026", WRITTEN)] == ["2026-05"]


def test_both_days_in_digits_are_known() -> None:
    assert [str(one.days) for one in said_dates("Vom 1.6. bis 3.6. Urlaub", WRITTEN)] == ["2026-06-01", "2026-06-03"]


@pytest.mark.parametrize(
    "text",
    [
        "paid 3/11/26",
        "Sat 1/11/2025",
        "1/2 cup of flour",
        "So 2/3 of them came",
        "add 3/4 and 1/2",
        "Python 3.11.9",
        "Kapitel 3.4. lesen",
        "§ 3.5. gilt",
        "Kapitel 2.1. bis 3.4. lesen",
        "La nota subió al 3.5.",
        "Fr 4.6. ist kein Freitag",
        "I am 5.6. Tall",
        "In dem 2.3. Satz und den 2.3. Seiten",
        "Kapitel 3. bis 5.5. lesen",
        "5.-3.5. Rom",
        "It costs 3.5. Then 4.",
        "am 3.13. und am 31.2.",
        "release 2.4.1",
        "Version 10.12.13",
        "Due 3/9/2025",
        "Call the 5 may 25 people",
        "part A4-may-22",
        "ring 555-12-2025",
        "Due 3-9-2025",
        "dated 2024-00-12",
        "dated 0.0.2024 or 00/00/2024",
        "2024年0月3日",
    ],
)
def test_what_may_be_another_day_or_none_is_left_out(text: str) -> None:
    assert said_dates(text, WRITTEN) == []


def test_a_weekday_need_not_fit_in_any_year() -> None:
    assert [one.start for one in written_dates("Fr 3.5. Zahnarzt", date(2000, 1, 1), in_any_year=True)] == [3]
    assert not list(written_dates("Fr 3.5. Zahnarzt", date(2000, 1, 1)))


@given(st.lists(st.sampled_from([*PIECES, " ", ", "]), max_size=9).map("".join), st.sampled_from([None, WRITTEN]))
def test_no_text_is_too_odd(text: str, day: date | None) -> None:
    assert all(any(map(str.isdigit, text[found.start : found.end])) for found in said_dates(text, day))
