"""Short names that stand for longer ones of the document."""

from __future__ import annotations

import pytest

from noderag_local.extraction.rules.longer_names import longer_names
from noderag_local.text.identity import entity_key


def resolved(*sentences: str) -> dict[str, str]:
    """Returns the names that the names of some sentences stand for; each sentence is a list of names with commas."""
    named = [sentence.split(", ") for sentence in sentences]
    forms = {entity_key(name): [name] for names in named for name in names}
    return longer_names([list(map(entity_key, names)) for names in named], forms)


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        (["Christopher Cross", "Cross, Texas"], {"cross": "christopher cross"}),
        (["Anna Berger", "Anna"], {"anna": "anna berger"}),
        (["Anna Berger", "Anna Huber", "Anna"], {}),
        (["Met Anna Berger", "Anna Huber", "Anna"], {}),
        (["Anna Berger", "Met Anna Berger", "Anna"], {"anna": "anna berger"}),
        (["Anna Berger", "Anna Berger Graz", "Anna"], {"anna": "anna berger", "anna berger": "anna berger graz"}),
        (["Hope Miller", "Miller", "Hope"], {"hope": "hope miller"}),
        (["New York", "York"], {}),
        (["Hotel Berlin", "Berlin"], {}),
        (["M. Achard", "Achard"], {"achard": "m achard"}),
        (["Ana y Luis, Ana, Luis", "Ana"], {}),
        (["Cumpleaños de Ana, Ana", "Ana"], {}),
        (["Anna Berger", "Mutter von Anna, Anna", "Anna"], {"anna": "anna berger"}),
        (["Mail de Mme Lang", "Mme Lang"], {}),
        (["Charles de Gaulle", "Gaulle"], {"gaulle": "charles de gaulle"}),
        (["Duke of York", "York, of"], {}),
        (["1957", "16 June 1957"], {}),
    ],
)
def test_a_short_name_stands_for_the_only_longer_one(sentences: list[str], expected: dict[str, str]) -> None:
    assert resolved(*sentences) == expected
