"""When two names are one entity."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.text.identity import display_name, entity_key


@given(st.text() | st.text("theaTHEŉ' .-–‘\"() US", max_size=20))
def test_applying_it_again_changes_nothing(name: str) -> None:
    assert entity_key(entity_key(name)) == entity_key(name)


@pytest.mark.parametrize(
    "names",
    [
        ("The Beatles", "beatles", "“the  Beatles,”", "BEATLES"),
        ("Pas-de-Calais", "Pas–de–Calais", "Pas - de - Calais"),
        ("O'Brien", "O’Brien"),
        ("U.S.", "US", "U.S"),
        ("A. B. Berg", "A.B. Berg", "AB Berg"),
        ("J. R. R. Tolkien", "J.R.R. Tolkien"),
        ("Straße", "STRASSE"),
        ("Café", "Cafe\u0301"),
        ("ＡＢＣ", "abc"),
        ("an Apple", "Apple"),
        ("an MRI", "MRI"),
        ("an Hour", "Hour"),
        ("an Historic Inn", "Historic Inn"),
        ("an 8-bit", "8-bit"),
    ],
)
def test_names_of_one_entity(names: tuple[str, ...]) -> None:
    assert len({entity_key(name) for name in names}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C", "C++"),
        ("C", "C#"),
        ("The The", "A"),
        ("Müller", "Muller"),
        ("A", ""),
        ("Python 3.5", "Python 35"),
        ("3.1.1", "3.11"),
        ("A. Berg", "Berg"),
        ("An Peeters", "Peeters"),
        ("An Smet", "Smet"),
        ("An Hendrickx", "Hendrickx"),
    ],
)
def test_names_of_two_entities(one: str, other: str) -> None:
    assert entity_key(one) != entity_key(other)


def test_identifiers_made_by_programs_name_nothing() -> None:
    assert entity_key("663a1e5c-0001-4abc-8def-0123456789AB") == ""


def test_the_article_alone_and_punctuation_keep_themselves() -> None:
    assert (entity_key("The"), entity_key("...")) == ("the", "...")


@given(st.dictionaries(st.text(min_size=1), st.integers(1, 5), min_size=1))
def test_display_name_does_not_depend_on_order(counts: dict[str, int]) -> None:
    assert display_name(counts) == display_name(dict(reversed(counts.items())))


def test_display_name_is_the_commonest_then_the_first() -> None:
    assert display_name({"b": 2, "a": 1}) == "b"
    assert display_name({"b": 2, "a": 2}) == "a"
