"""The language of short questions."""

from __future__ import annotations

import pytest

from noderag_local.generation.question_language import language_of


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Where does Emeka Teixeira live?", "en"),
        ("What is João Teixeira allergic to?", "en"),
        ("Onde mora João Teixeira?", "pt"),
        ("Wann endet der Mietvertrag?", "de"),
        ("Où habite Jeanne ?", "fr"),
        ("Где живёт Наталья?", "ru"),
    ],
)
def test_names_do_not_decide_the_language(question: str, language: str) -> None:
    assert language_of(question) == language


GERMAN = ["Hedda, Geburtstag 3. März.", "Sie kommt am Dienstag zur Probe und bringt den Schlüssel für das Tor mit."]


@pytest.mark.parametrize("question", ["heddas handynummer", "code fürs tor der halle", "alarmcode ordination"])
def test_a_few_words_are_in_the_language_of_what_was_found_for_them(question: str) -> None:
    assert language_of(question, GERMAN) == "de"
    assert language_of(question, ["Hedda comes on Tuesday and brings the key for the gate."]) == "en"
    assert language_of(question) == "en"


@pytest.mark.parametrize(
    "question", ["Who is Hedda?", "phone number of Hedda", "When does Hedda come, and what does she bring?"]
)
def test_an_english_question_about_german_notes_is_english(question: str) -> None:
    assert language_of(question, GERMAN) == "en"
