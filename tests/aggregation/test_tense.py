"""Which year a day without a year is of, by whether a question is about what was or what will be."""

from __future__ import annotations

from datetime import date

import pytest

from noderag_local.aggregation.tense import asked_dates

IN_JUNE = date(2026, 6, 20)
IN_NOVEMBER = date(2026, 11, 10)


@pytest.mark.parametrize(
    ("language", "question", "today", "day"),
    [
        ("en", "How often did I swim on 2 March?", IN_NOVEMBER, "2026-03-02"),
        ("en", "What have I painted on 2 March?", IN_NOVEMBER, "2026-03-02"),
        ("de", "Was habe ich am 2. März gemacht?", IN_NOVEMBER, "2026-03-02"),
        ("fr", "Qu'ai-je fait le 2 mars ?", IN_NOVEMBER, "2026-03-02"),
        ("es", "¿Qué hice el 2 de marzo?", IN_NOVEMBER, "2026-03-02"),
        ("en", "What did I do on 10 November?", IN_NOVEMBER, "2026-11-10"),
        ("en", "What is planned for 24 December?", IN_JUNE, "2026-12-24"),
        ("de", "Was ist für den 24. Dezember geplant?", IN_JUNE, "2026-12-24"),
        ("fr", "Qu'est-ce qui est prévu le 24 décembre ?", IN_JUNE, "2026-12-24"),
        ("es", "¿Qué está previsto para el 24 de diciembre?", IN_JUNE, "2026-12-24"),
        # Neither, and both: the nearest.
        ("en", "Who swims on 2 March?", IN_NOVEMBER, "2027-03-02"),
        ("de", "Was habe ich am 24. Dezember?", IN_NOVEMBER, "2026-12-24"),
        ("en", "What was planned for 24 December?", IN_JUNE, "2025-12-24"),
        # A year stays as it is.
        ("en", "What did I do on 2 March 2027?", IN_NOVEMBER, "2027-03-02"),
    ],
)
def test_a_day_without_a_year_is_of_the_year_that_is_asked_about(
    language: str, question: str, today: date, day: str
) -> None:
    assert [str(one.days) for one in asked_dates(question, language, today)] == [day]
