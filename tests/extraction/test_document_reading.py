"""The subject of a paragraph, and short names that stand for longer ones of the document."""

from __future__ import annotations

import pytest

from noderag_local.extraction.rules.document_reading import leading_entity, longer_names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Clara Schumann (born 13 September 1819) was a pianist.", "Clara Schumann"),
        ("The Eiffel Tower is in Paris.", "Eiffel Tower"),
        ("In 1957, the poet Ada Byron moved to London.", "Ada Byron"),
        ("According to some, Napoleon was small.", "Napoleon"),
        ("Indian astronomer and mathematician Aryabhata wrote it.", "Aryabhata"),
        ('"Think of Laura" is a song by Christopher Cross.', "Think of Laura"),
        ("She was born in Paris.", None),
        ("It is said that the old man of the village knew Napoleon.", None),
        ("", None),
    ],
)
def test_first_sentence(text: str, expected: str | None) -> None:
    assert leading_entity(text) == expected


def test_the_title_comes_first() -> None:
    assert leading_entity("She was born in Paris.", "Clara Schumann") == "Clara Schumann"


def test_a_surname_means_the_person_of_the_document() -> None:
    assert longer_names(["christopher cross", "cross", "texas"]) == {"cross": "christopher cross"}


def test_first_names_too_and_the_first_long_name_wins() -> None:
    assert longer_names(["anna", "anna berg", "anna klein"]) == {"anna": "anna berg"}


def test_the_middle_of_a_name_is_not_short_for_it() -> None:
    assert longer_names(["duke of york", "of"]) == {}


def test_numbers_are_never_resolved() -> None:
    assert longer_names(["1957", "16 june 1957"]) == {}
