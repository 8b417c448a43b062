"""Which spellings are surely one name, and which never are."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.extraction.same_names.name_variants import (
    LARGEST_BLOCK,
    Likeness,
    Rule,
    ShortNameEvidence,
    blocks,
    likenesses,
)
from noderag_local.text.identity import entity_key

SAME = [
    ("Ludwig van Beethoven", "LUDWIG VAN BEETHOVEN", None),
    ("Łukasz Żak", "Lukasz Zak", Rule.ACCENTS),
    ("François Mitterrand", "Francois Mitterrand", Rule.ACCENTS),
    ("Jürgen Müller", "Juergen Mueller", Rule.ACCENTS),
    ("Søren Kierkegaard", "Soren Kierkegaard", Rule.ACCENTS),
    ("São Paulo", "Sao Paulo", Rule.ACCENTS),
    ("Muḥammad", "Muhammad", Rule.ACCENTS),
    ("Νίκος Καζαντζάκης", "Νικος Καζαντζακης", Rule.ACCENTS),
    ("Семён Дежнёв", "Семен Дежнев", Rule.ACCENTS),
    ("Baden-Württemberg", "Baden Württemberg", Rule.SPELLING),
    ("Martin Luther King, Jr.", "Martin Luther King Jr", Rule.SPELLING),
    ("Johnson & Johnson", "Johnson and Johnson", Rule.SPELLING),
    ("Thirty Years' War", "Thirty Years War", Rule.SPELLING),
    ("Mount Rainier", "Mt. Rainier", Rule.SPELLING),
    ("Ford Motor Co.", "Ford Motor Company", Rule.SPELLING),
    ("レオナルド・ダ・ヴィンチ", "レオナルド ダ ヴィンチ", Rule.SPELLING),
    ("Deutsche Bank AG", "Deutsche Bank", Rule.COMPANY),
    ("Sun Microsystems, Inc.", "Sun Microsystems", Rule.COMPANY),
    ("India Cements Ltd.", "India Cements Limited", Rule.SPELLING),
    ("Dr. Anna Weber", "Anna Weber", Rule.TITLE),
    ("J. R. R. Tolkien", "John Ronald Reuel Tolkien", Rule.INITIALS),
    ("J.R.R. Tolkien", "J. R. R. Tolkien", None),
    ("Franklin D. Roosevelt", "Franklin Delano Roosevelt", Rule.INITIALS),
    ("J. S. Bach", "Johann Sebastian Bach", Rule.INITIALS),
    ("F. Scott Fitzgerald", "Francis Scott Fitzgerald", Rule.INITIALS),
]
"""Two names, and the rule; None where the vault has one key for both anyway."""

OTHERS = [
    ("John Smith", "Adam Smith"),
    ("J. Smith", "John Smith"),
    ("Springfield, Illinois", "Springfield, Ohio"),
    ("Paris Hilton", "Paris"),
    ("Henry IV", "Henry VI"),
    ("Henry V", "Henry Vane"),
    ("Boeing 747", "Boeing 757"),
    ("Boeing 747", "Boeing 7-47"),
    ("WWI", "WWII"),
    ("World War I", "World War II"),
    ("George H. W. Bush", "George W. Bush"),
    ("Martin Luther King", "Martin Luther King Jr."),
    ("Mrs. John Smith", "John Smith"),
    ("Queen Anne", "Princess Anne"),
    ("King Charles", "Charles"),
    ("Rosé", "Rose"),
    ("Munster", "Münster"),
    ("San José", "San Jose"),
    ("La Peña", "La Pena"),
    ("Saint-Denis", "Saint Denis"),
    ("Hà Giang", "Hạ Giang"),
    ("が ぎ ぐ", "か き く"),
    ("Край", "Краи"),
    ("O'Hara", "Ohara"),
    ("St. Paul's", "St. Paul"),
    ("Levi's", "Levi"),
    ("East India Company", "East India"),
    ("Hudson's Bay Company", "Hudson Bay"),
    ("Apple Inc.", "Apple"),
    ("Skype Inc.", "Skype Limited"),
    ("Doctor of Philosophy", "Professor of Philosophy"),
    ("Mr. Blue Sky", "Blue Sky"),
    ("Dr. H. Weber", "H. Weber"),
    ("H. Weber Ltd.", "H. Weber"),
    ("Calvin Klein Inc.", "Calvin Klein"),
    ("20th Century Limited", "20th Century"),
    ("Orient Express Ltd", "Orient Express"),
    ("Project A Team", "Project Apollo Team"),
    ("Vitamin C Complex", "Vitamin Calcium Complex"),
    ("PC Magazine", "Popular Computing Magazine"),
    ("Ян Гус", "Яков Николаевич Гус"),
    ("Jon Anderson", "Jan Anderson"),
    ("Maria Costa", "Mario Costa"),
    ("Washington, D.C.", "Washington"),
    ("C++", "C#"),
    ("5-10 miles", "510 miles"),
    ("Route 66", "Route 6-6"),
    ("Type II error", "Type III error"),
    ("North Korea", "South Korea"),
    ("Peña Nieto", "Pena"),
    ("Hello Love (song)", "Hello Love"),
    ("2 May 2001", "3 May 2001"),
    ("中国", "中國人"),
]


def found(
    names: Sequence[str], pairs: Collection[tuple[str, str]] = (), capitals: Collection[str] = ()
) -> list[Likeness]:
    """What the rules say of some names, in whatever block, where these are all that the notes have."""
    dotted = {entity_key(name) for name in names if "." in name}
    evidence = ShortNameEvidence({(min(pair), max(pair)) for pair in pairs}, capitals, dotted)
    keys = {entity_key(name) for name in names}
    by_block: dict[str, list[str]] = {}
    for key in keys:
        for block in blocks(key):
            by_block.setdefault(block, []).append(key)
    return [likeness for block, held in by_block.items() for likeness in likenesses(block, held, evidence)]


def sure(names: Sequence[str]) -> list[Likeness]:
    return [likeness for likeness in found(names) if likeness.sure]


@pytest.mark.parametrize(("one", "other", "rule"), SAME)
def test_spellings_of_one_name(one: str, other: str, rule: Rule | None) -> None:
    if rule is None:
        assert entity_key(one) == entity_key(other)
    else:
        assert {likeness.rule for likeness in sure([one, other])} == {rule}


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_what_is_never_merged(one: str, other: str) -> None:
    assert entity_key(one) != entity_key(other)
    assert not sure([one, other])


def test_an_acronym_needs_a_text_that_says_so_and_one_long_form_alone() -> None:
    pair = ("who", "world health organization")
    names = ["WHO", "World Health Organization"]
    assert [one.sure for one in found(names, [pair], {"who"})] == [True]
    assert [one.sure for one in found(names, [], {"who"})] == [False], "letters alone tell nothing"
    assert [one.sure for one in found(names, [pair])] == [False], "somebody writes Who, too"
    rivals = [*names, "World Heritage Office"]
    assert not any(one.sure for one in found(rivals, [pair], {"who"}))


def test_an_acronym_that_texts_give_differently_is_nobodys_though_the_initials_fit_one() -> None:
    names, pair = ["XML", "Xavier Mountain Lodge"], ("xml", "xavier mountain lodge")
    assert [one.sure for one in found(names, [pair], {"xml"})] == [True]
    assert [one.sure for one in found(names, [pair, ("xml", "extensible markup language")], {"xml"})] == [False]


def test_more_names_than_tell_anything_are_not_compared() -> None:
    names = [f"J. R. Smith{letter}" for letter in "abc"]
    assert sure([*names, *(name.replace("J. R.", "John Robert") for name in names)])
    crowd = [f"J{letter}{other} R. Smith" for letter in "aeiou" for other in "bcdfghklmnprt"]
    assert len(crowd) > LARGEST_BLOCK
    assert not found([*crowd, "J. R. Smith"])


def test_initials_of_two_people_are_nobodys() -> None:
    assert not sure(["J. R. Smith", "John Robert Smith", "James Richard Smith"])
    assert sure(["J. R. Smith", "John Robert Smith"])


def test_two_names_that_differ_in_their_accents_leave_the_plain_one_alone() -> None:
    assert not sure(["Nguyễn Hà", "Nguyễn Hạ", "Nguyen Ha"])


@pytest.mark.parametrize("key", ["\u0301-inc", "dr \u0301 \u0301 inc"])
def test_a_name_of_marks_without_letters_has_spellings_too(key: str) -> None:
    assert found([key, "abc inc"]) == []


@given(st.lists(st.text(min_size=1, max_size=20).map(entity_key).filter(bool), min_size=2, max_size=4, unique=True))
def test_the_order_of_the_names_never_matters(keys: list[str]) -> None:
    assert sorted(map(repr, found(keys))) == sorted(map(repr, found(keys[::-1])))
