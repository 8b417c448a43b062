"""Parts of months in questions, and months without a year."""

from __future__ import annotations

from datetime import date

import pytest

from noderag_local.aggregation.question_content import with_days, with_years
from noderag_local.text.dates.days import Days

TODAY = date(2026, 11, 26)


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("What happened in the first week of May?", "2026-05-01 to 2026-05-07"),
        ("What did I read in the last week of February 2024?", "2024-02-23 to 2024-02-29"),
        ("What did I do in early December?", "2025-12-01 to 2025-12-10"),
        ("Was habe ich Ende Juni gekauft?", "2026-06-21 to 2026-06-30"),
        ("Was war in der zweiten Woche im Mai?", "2026-05-08 to 2026-05-14"),
        ("Qu'ai-je fait la première semaine de mai ?", "2026-05-01 to 2026-05-07"),
        ("August: how often did I see Ana?", "2026-08-01 to 2026-08-31"),
        ("how often did I see Ana, April?", "2026-04-01 to 2026-04-30"),
        ("Combien de fois ai-je couru au mois d'août ?", "2026-08-01 to 2026-08-31"),
        ("¿Qué hice a mediados de junio de 2025?", "2025-06-11 to 2025-06-20"),
    ],
)
def test_a_part_of_a_month_is_its_days(question: str, days: str) -> None:
    assert f"({days})" in with_days(question, TODAY)


@pytest.mark.parametrize(
    "question",
    [
        "Who was late at the first weekly meeting?",
        "Who wrote Middlemarch?",
        "May Ana eat nuts?",
        "Has April, my niece, called?",
    ],
)
def test_other_words_are_none(question: str) -> None:
    assert with_days(question, TODAY) == question


def is_told(days: Days) -> bool:
    return days.first.year in (2023, 2024)


@pytest.mark.parametrize(
    ("question", "dated"),
    [
        ("How often did I swim in March?", "How often did I swim in March 2024?"),
        ("wie oft war ich im März schwimmen", "wie oft war ich im März 2024 schwimmen"),
        ("What happened in the first week of May?", "What happened in the first week of May 2024?"),
        ("How often did I swim in March 2025?", "How often did I swim in March 2025?"),
        ("What did I do yesterday?", "What did I do yesterday?"),
    ],
)
def test_a_month_without_a_year_is_the_latest_that_the_notes_tell_of(question: str, dated: str) -> None:
    assert with_years(question, TODAY, is_told) == dated


def test_the_latest_month_is_meant_if_the_notes_tell_of_it_or_of_none() -> None:
    for told in (True, False):
        assert with_years("How often did I swim in March?", TODAY, lambda _, told=told: told) == (
            "How often did I swim in March?"
        )
