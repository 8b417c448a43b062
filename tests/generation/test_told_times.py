"""Which questions ask when something is, and which words can be the answer."""

from __future__ import annotations

import pytest

from noderag_local.generation.answer_spans import answer_spans
from noderag_local.generation.question_kinds import asks_when
from noderag_local.generation.told_times import tells_time, with_time_of_day


@pytest.mark.parametrize(
    "question",
    [
        "When does the lease end?",
        "gus plaster off when",
        "dad's swallow test, when is it",
        "until when is the pen in the bee box good",
        "what day & hour is Gwen coming",
        "Wann muss ich zum Dr. Imhof?",
        "opération du deuxième œil de Ginette, quand ?",
        "cuándo terminaron el tejado",
        "tot wanneer is de auto gekeurd",
    ],
)
def test_questions_for_a_day_or_a_time(question: str) -> None:
    assert asks_when(question)


@pytest.mark.parametrize(
    "question",
    [
        "the orthodontist's number when a wire sticks out",
        "When the flame goes out, for how long do I press it?",
        "Qui vient quand la chaudière fuit ?",
        "Who has the spare key?",
    ],
)
def test_a_clause_that_begins_with_when_asks_for_something_else(question: str) -> None:
    assert not asks_when(question)


@pytest.mark.parametrize(
    "words",
    ["30. September 2026", "11/12", "at 19:30", "Thursdays", "donnerstags", "in the morning", "8 am", "12 déc", "1978"],
)
def test_words_that_tell_a_time(words: str) -> None:
    assert tells_time(words)


@pytest.mark.parametrize("words", ["0118", "Ms Okafor", "4 TB", "the proofs"])
def test_words_that_tell_none(words: str) -> None:
    assert not tells_time(words)


def test_a_german_date_is_one_span_and_other_numbers_are_none_where_a_day_is_asked_for() -> None:
    context = "[1] Der Vertrag ist bis zum 30. September 2026 befristet.\n[2] Ask Ms Okafor about 0118."
    spans = answer_spans(context, "When does the lease end?", "en")
    assert "30. September 2026" in spans
    assert not {"0118", "Ms Okafor"} & set(spans)


def test_a_year_long_ago_is_a_time_and_where_none_is_seen_any_words_may_be_one() -> None:
    assert "1248" in answer_spans("The town was founded in 1248.", "When was the town founded?", "en")
    assert "eight" in answer_spans("The train leaves at eight.", "When does the train leave?", "en")
    assert not asks_when("What time zone is Lisbon in?")


@pytest.mark.parametrize(
    ("day", "text", "told"),
    [
        ("Feb 4", "2) Feb 4 at 10:15, 3) yes", "Feb 4 at 10:15"),
        ("13 Jul", "13 Jul Mon 8:00-9:30 Prelims", "13 Jul Mon 8:00-9:30"),
        ("3. März", "am 3. März um 14 Uhr beim Zahnarzt", "3. März um 14 Uhr"),
        ("4 juin", "le 4 juin à 14h", "4 juin à 14h"),
        ("13 Jul", "13 Jul Prelims 8:00", "13 Jul"),
        ("2 Mar", "2 Mar 3 h walk, 14.5 km", "2 Mar"),
        ("2 Mar", "2 Mar 9:30 dentist. Rain on 2 Mar.", "2 Mar"),
        ("Sunday", "Sunday 2:15:30 marathon", "Sunday"),
        ("Tuesday", "Tuesday 5:30 min run", "Tuesday"),
        ("Tuesday", "Tuesday 5:30 h bike", "Tuesday"),
        ("martes", "martes a las 14:30 h", "martes a las 14:30"),
        ("12 May", "12 May 14:30: dentist", "12 May 14:30"),
        ("12 May", "112 May 14:30", "12 May"),
        ("12 May", "room 112 May, 12 May 14:30", "12 May 14:30"),
        ("Thu 14:30", "Thu 14:30 15:00", "Thu 14:30"),
    ],
)
def test_a_day_is_told_with_the_time_behind_it(day: str, text: str, told: str) -> None:
    assert with_time_of_day(day, text) == told
