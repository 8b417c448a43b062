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
