"""The subject of a paragraph, and short names that stand for longer ones of the document."""

from __future__ import annotations

import pytest

from noderag_local.extraction.rules.document_reading import leading_entity


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
