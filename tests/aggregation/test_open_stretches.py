"""Questions about the days before or behind a date, in four languages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from helpers.computed_answers import computing, indexed

from noderag_local.aggregation.computed import Computed
from noderag_local.aggregation.question_content import without_dates
from noderag_local.aggregation.question_phrases import phrases

TODAY = date(2026, 6, 20)


@pytest.mark.parametrize(
    ("language", "question", "days"),
    [
        ("en", "How often did I swim since Monday, 9 March 2026?", "2026-03-09 to 2026-06-20"),
        ("en", "How often did I swim after 10 March?", "2026-03-11 to 2026-06-20"),
        ("en", "How often did I swim from March on?", "2026-03-01 to 2026-06-20"),
        ("en", "How often did I swim before 2026?", "1900-01-01 to 2025-12-31"),
        ("en", "How often did I swim by May?", "1900-01-01 to 2026-05-31"),
        ("en", "What is planned before 1 July 2026?", "2026-06-20 to 2026-06-30"),
        ("en", "What is planned after next week?", "2026-06-29 to 2036-12-31"),
        ("de", "Wie oft war ich seit dem 5. Januar 2026 laufen?", "2026-01-05 to 2026-06-20"),
        ("de", "Wie oft war ich vom 5. Januar 2026 an laufen?", "None"),
        ("de", "Wie oft war ich nach Januar laufen?", "2026-02-01 to 2026-06-20"),
        ("de", "Wie oft war ich bis zum 11. Januar 2026 laufen?", "1900-01-01 to 2026-01-11"),
        ("fr", "Combien de fois ai-je couru depuis le 3 février 2026 ?", "2026-02-03 to 2026-06-20"),
        ("fr", "Combien de fois ai-je couru à partir de mars ?", "2026-03-01 to 2026-06-20"),
        ("fr", "Combien de fois ai-je couru jusqu'au 10 mars 2026 ?", "1900-01-01 to 2026-03-10"),
        ("es", "¿Cuántas veces nadé de marzo en adelante?", "2026-03-01 to 2026-06-20"),
        ("es", "¿Cuántas veces nadé antes de marzo?", "1900-01-01 to 2026-02-28"),
        ("es", "¿Cuántas veces nadé después del 10 de marzo de 2026?", "2026-03-11 to 2026-06-20"),
        # A day without a year is the latest, unless the question is about what will be.
        ("en", "Which books arrived since 10 July?", "2025-07-10 to 2026-06-20"),
        ("de", "Was ist passiert seit dem 10. Juli?", "2025-07-10 to 2026-06-20"),
        ("de", "Wie oft schwamm ich vor dem 10. Juli?", "1900-01-01 to 2025-07-09"),
        ("fr", "Que s'est-il passé depuis le 10 juillet ?", "2025-07-10 to 2026-06-20"),
        ("es", "¿Qué decidimos desde el 10 de julio?", "2025-07-10 to 2026-06-20"),
        ("de", "Was habe ich am 10. Juli vor?", "2026-07-10"),
        # Nothing decides which days are meant.
        ("en", "How often did I swim on or after 3 May 2026?", "None"),
        ("de", "Wie oft war ich am oder nach dem 3. Mai 2026 laufen?", "None"),
        ("de", "Wie oft war ich von März bis Mai laufen?", "None"),
        ("es", "¿Cuántas veces nadé de enero hasta marzo?", "None"),
        ("en", "What did I do the week after 12 May 2026?", "None"),
        ("en", "How many days since 10 March 2026 did I swim?", "None"),
        ("en", "How much did I spend as of 20 March 2026?", "None"),
        ("en", "How much did I spend from March on shoes?", "None"),
        ("en", "What did I do before the end of 2025?", "None"),
        ("de", "Was habe ich am Tag vor dem 12. Mai 2026 gemacht?", "None"),
        ("fr", "Qu'ai-je fait la veille du 12 mai 2026 ?", "None"),
        # The date alone.
        ("en", "What did I read in emails from March 2026?", "2026-03"),
        ("en", "What did I do after work on 3 May 2026?", "2026-05-03"),
        ("fr", "Que s'est-il passé la semaine du 3 mai 2026 ?", "2026-05-03"),
        ("de", "Was habe ich vor zwei Wochen gemacht?", "2026-06-01 to 2026-06-07"),
    ],
)
def test_words_beside_a_date_tell_which_days_are_meant(language: str, question: str, days: str) -> None:
    assert [str(one) for one in without_dates(question, phrases(language), TODAY)[1]] == [days]


def test_the_first_and_the_last_of_some_days_leave_open_which_are_meant() -> None:
    days = without_dates("Wie oft war ich vom 3. bis 10. Mai 2026 laufen?", phrases("de"), TODAY)[1]
    assert None in days and len(days) == 2


def test_a_person_is_no_month() -> None:
    assert not without_dates("Which books by May Sarton did I read?", phrases("en"), TODAY)[1]


@pytest.mark.parametrize("question", ["Which bikes cost up to 2000?", "Which bikes cost up to 1990 EUR?"])
def test_an_amount_is_no_year(question: str) -> None:
    assert not without_dates(question, phrases("en"), TODAY)[1]


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("How often did I swim since 10 March 2026?", ["2 times"]),
        ("How often did I swim before 10 March 2026?", ["1 time"]),
        ("Wie oft war ich seit dem 5. Januar 2026 laufen?", ["2 Mal"]),
        ("When was my last swim before 17 March 2026?", ["16 March 2026"]),
        ("When did I first swim after 2 March 2026?", ["16 March 2026"]),
        ("How much did I spend at Eisen Ott until 20 March 2026?", ["35.50 EUR"]),
        ("How much did I spend at Eisen Ott since 20 March 2026?", ["43.25 EUR"]),
        ("What did I do since yesterday?", ["2026-06-19: Painted the gate.", "2026-06-19: Bread with rye."]),
        ("Which books did I finish before May?", ["Salt Roads"]),
        ("What did I buy at Eisen Ott after 20 March 2026?", ["rope (2026-04-02, 12.25 EUR)"]),
    ],
)
def test_the_days_beside_a_date_are_computed(
    compute: Callable[[str], Computed | None], question: str, answers: list[str]
) -> None:
    found = compute(question)
    assert found is not None and [part.text for part in found.parts] == answers


@pytest.mark.parametrize(
    "question",
    [
        "How much did I spend at Eisen Ott before 2026?",
        "What is planned after next week?",
        "What did I do the day before 12 May 2026?",
        "Which open tasks are due this week?",
        "Which open tasks are due by 1 July?",
    ],
)
def test_what_the_days_beside_a_date_do_not_tell_is_left_to_the_search(
    compute: Callable[[str], Computed | None], question: str
) -> None:
    assert compute(question) is None


def test_rows_of_a_table_are_added_from_a_day_on(tmp_path: Path) -> None:
    vault = indexed(tmp_path, {"runs.csv": "date,distance_km\n2026-05-01,5.2\n2026-05-03,10.4\n2026-05-10,3.1\n"})
    with computing(vault, TODAY) as compute:
        found = compute("How many km did I run since 3 May 2026?")
    assert found is not None and found.parts[0].text == "13.5 km"
