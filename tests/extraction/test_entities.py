"""What the rules take for an entity. The sentences are written for these tests."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.domain.documents import BlockKind, Passage, Sentence, WikiLink
from noderag_local.domain.graph import EntityKind, Mention
from noderag_local.extraction.rules.entities import Alias, aliases, document_mentions, evidence_of, link_name, mentions
from noderag_local.text.identity import entity_key


def names(text: str) -> list[str]:
    return [mention.name for mention in mentions(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Treaty of Versailles ended it.", ["Treaty of Versailles", "Versailles"]),
        ("She met Ludwig van Beethoven there.", ["Ludwig van Beethoven"]),
        ("Then Apollo 11 flew, not Apollo 13.", ["Apollo 11", "Apollo 13"]),
        ("We paid Murt 2/10/26.", ["Murt"]),
        ("It lies in Pas-de-Calais.", ["Pas-de-Calais"]),
        ("However, Conan O'Brien likes AC/DC.", ["Conan O'Brien", "AC/DC"]),
        ("In England Henry VIII ruled.", ["England Henry VIII"]),
        ("We saw Alexander the Great.", ["Alexander the Great"]),
        (
            "It was J. R. R. Tolkien of the U.S. Navy.",
            ["J. R. R. Tolkien of the U.S. Navy", "U.S. Navy", "J. R. R. Tolkien"],
        ),
        ("France's army came.", ["France"]),
        ("He read Schindler's List twice.", ["Schindler's List", "Schindler", "List"]),
        ("I saw it on Monday in May, and so did She.", []),
        ("It is plan B for Elizabeth I.", ["Elizabeth I"]),
        ("The iPhone and the 24th Infantry Division.", ["iPhone", "24th Infantry Division"]),
        ("Dr. Martin Luther King Jr. spoke in St. Louis.", ["Dr. Martin Luther King Jr.", "St. Louis"]),
        ("Nearby, the river Nile floods.", ["Nile"]),
        ("А. С. Пушкин жил в Москве.", ["А. С. Пушкин", "Москве"]),
        ("Ο Νίκος Καζαντζάκης έζησε στην Κρήτη.", ["Νίκος Καζαντζάκης", "Κρήτη"]),
    ],
)
def test_names(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("born 16 June 1957 there", ["16 June 1957", "1957"]),
        ("born June 16, 1957, there", ["June 16, 1957", "1957"]),
        ("in June 1957", ["June 1957", "1957"]),
        ("on 2024-05-01 or 1.5.2024", ["2024-05-01", "2024", "1.5.2024"]),
        ("from 1939–1945 and in the 1980s", ["1939", "1945", "1980s"]),
        ("am 3. Mai 1999 und le 14 juillet 1789", ["3. Mai 1999", "1999", "14 juillet 1789", "1789"]),
        ("in 44 BC and the 19th century", ["44 BC", "19th century"]),
        ("1898年12月17日", ["1898年12月17日", "1898"]),
        ("room 12345, $1,999 paid", ["$1,999"]),
    ],
)
def test_dates(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_quantities() -> None:
    text = "it holds 25,000 people, costs $3.5 million or 20 %, and is 12.5 km long with 3 doors"
    assert mentions(text) == [
        Mention(name, EntityKind.QUANTITY) for name in ("25,000 people", "$3.5 million", "20 %", "12.5 km")
    ]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ('she sang "Think of Laura" twice', "Think of Laura"),
        ("she sang “Think of Laura,” twice", "Think of Laura"),
        ("``When You're Hot, You're Hot ''is a song", "When You're Hot, You're Hot"),
        ("elle lit « Le Petit Prince » ici", "Le Petit Prince"),
        ("sie las „Die Buddenbrooks“ dort", "Die Buddenbrooks"),
        ("鲁迅写了《狂人日记》。", "狂人日记"),
    ],
)
def test_quoted_titles(text: str, title: str) -> None:
    assert Mention(title, EntityKind.TITLE) in mentions(text)


def test_quoted_speech_is_no_title() -> None:
    assert names('he said "this is what we all have wanted to do here"') == []


def test_a_title_is_known_again_without_quotation_marks() -> None:
    evidence = evidence_of(['The song "Here Comes the Rain" is old.'], title="Night of fire")
    assert mentions("We love Here Comes the Rain a lot.", evidence=evidence)[0].name == "Here Comes the Rain"
    assert mentions("The Night of fire began.", evidence=evidence)[0].name == "Night of fire"


def test_titles_that_begin_alike_or_without_letters_are_known_again() -> None:
    evidence = evidence_of(['"Here Comes" and "Here Comes the Rain" and "#####" and "R2-D2" are old.'])
    assert evidence.titles_in("Here Comes the Rain, #####, R2-D2") == [
        "Here Comes the Rain",
        "Here Comes",
        "#####",
        "R2-D2",
    ]


def test_a_sentence_is_not_compared_with_every_title() -> None:
    texts = [f'She said "The word{number} of {number}" to me.' for number in range(10_000)]
    evidence = evidence_of(texts)
    started = time.process_time()
    assert [evidence.titles_in(text) for text in texts[:3000]][7] == ["The word7 of 7"]
    assert time.process_time() - started < 0.7


@pytest.mark.parametrize(
    ("text", "long_form", "short"),
    [
        ("International Business Machines (IBM) grew.", "International Business Machines", "IBM"),
        ("The Food and Drug Administration (FDA) rules.", "Food and Drug Administration", "FDA"),
        ("IBM (International Business Machines) grew.", "International Business Machines", "IBM"),
        ("Московский государственный университет (МГУ) стар.", "Московский государственный университет", "МГУ"),
    ],
)
def test_acronyms(text: str, long_form: str, short: str) -> None:
    assert aliases(text) == [Alias(long_form, short)]
    assert {long_form, short} <= set(names(text))


def test_brackets_that_are_no_acronyms() -> None:
    assert aliases("Paris (France) and John Smith (born 1950) of the Party (USA).") == []


def test_links_tags_headings_and_cells() -> None:
    link = WikiLink("people/Robert Schumann.md", "Robert")
    assert aliases("He met Robert.", [link]) == [Alias("Robert Schumann", "Robert")]
    assert mentions("He met Robert.", links=[link], tags=["music"]) == [
        Mention("Robert Schumann", EntityKind.LINK),
        Mention("Robert", EntityKind.LINK),
        Mention("music", EntityKind.TAG),
    ]
    assert mentions("Early life", kind=BlockKind.HEADING) == [Mention("Early life", EntityKind.HEADING)]
    assert mentions("Zanzibar | Berlin", kind=BlockKind.TABLE_ROW)[1].name == "Berlin"
    assert mentions("Berlin = 1", kind=BlockKind.CODE) == []


@pytest.mark.parametrize(
    ("target", "name"), [("a/b.md", "b"), ("b", "b"), ("v1.2", "v1.2"), ("a\\b.markdown", "b"), ("dir/", "dir")]
)
def test_link_names(target: str, name: str) -> None:
    assert link_name(target) == name


def test_the_first_word_of_a_sentence_needs_evidence() -> None:
    assert names("Bread is good.") == []
    assert [mention.name for mention in mentions("Bread is a band.", evidence=evidence_of(["They heard Bread."]))] == [
        "Bread"
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Lunch with Ella, Mia and Dan.", ["Ella", "Mia", "Dan"]),
        ("Ella Berger came by.", ["Ella Berger"]),
        ("There Ben and Sue played.", ["Ben", "Sue"]),
        ("Guests: Ella, Tom", ["Ella", "Tom"]),
        ("Una casa grande.", []),
        ("Una Coca Cola.", ["Coca Cola"]),
        ("después: Una casa.", []),
        ("después: Ella vino.", []),
        ("Mia madre viene.", []),
        ("Dan ging ze weg.", []),
        ("Ben ik laat?", []),
        ("Else ran.", []),
    ],
)
def test_first_names_that_are_common_words_in_another_language(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_a_first_name_that_is_an_article_elsewhere_is_known_by_its_document() -> None:
    evidence = evidence_of(["We met Una there."])
    assert [mention.name for mention in mentions("Una Daly came.", evidence=evidence)] == ["Una Daly"]
    assert [mention.name for mention in mentions("Una came.", evidence=evidence)] == ["Una"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cena con Ana y Luis.", ["Ana y Luis", "Ana", "Luis"]),
        ("With Tom & Eva Lang.", ["Tom & Eva Lang", "Tom", "Eva Lang"]),
        ("Bei Bauer & Söhne.", ["Bauer & Söhne"]),
        ("We bought Johnson & Johnson shampoo.", ["Johnson & Johnson"]),
        ("We bought Johnson & Johnson Baby shampoo.", ["Johnson & Johnson Baby"]),
        ("At Marks & Spencer there was a queue.", ["Marks & Spencer"]),
        ("To Mr & Mrs Lang.", ["Mr & Mrs Lang", "Mrs Lang"]),
        ("the CODES & KEYS", ["CODES & KEYS"]),
        ("Cumpleaños de Ana y Luis", ["Cumpleaños de Ana y Luis", "Cumpleaños de Ana", "Luis", "Ana"]),
        ("Anniversaire d'Anne Martin", ["Anniversaire d'Anne Martin", "Anne Martin"]),
        ("Der Hund von Anna bellt.", ["Der Hund von Anna", "Anna"]),
        ("Dann kam die Mutter von Anna.", ["Mutter von Anna", "Anna"]),
        ("We met Charles de Gaulle.", ["Charles de Gaulle"]),
        ("Charles de Gaulle came.", ["Charles de Gaulle"]),
    ],
)
def test_names_that_a_longer_one_joins(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_two_first_names_are_of_two_people_where_the_document_knows_both() -> None:
    evidence = evidence_of(["We met Tom there, and Eva."])
    assert [one.name for one in mentions("Near Tom & Eva.", evidence=evidence)] == ["Tom & Eva", "Tom", "Eva"]
    assert names("Near Tom & Eva.") == ["Tom & Eva"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Elle est chez d'Hugo dans la rue.", ["Hugo"]),
        ("Le bruit de l'Italie est pour les gens.", ["Italie"]),
        ("Met d'Artagnan in the house of the king.", ["d'Artagnan"]),
    ],
)
def test_an_elided_word_is_no_part_of_a_name(text: str, expected: list[str]) -> None:
    assert [mention.name for mention in mentions(text, evidence=evidence_of([text]))] == expected


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("スティーブ・ジョブズも来た。", "スティーブ・ジョブズ"),
        ("他在北京大学教书。", "北京大学"),
        ("他与Google的Sundar Pichai见面。", "Sundar Pichai"),
        ("เขาทำงานที่ Google มานาน", "Google"),
    ],
)
def test_scripts_without_capitals(text: str, name: str) -> None:
    assert name in names(text)


def test_what_a_document_repeats_is_a_name_in_scripts_without_capitals() -> None:
    texts = ["ولد نجيب محفوظ في القاهرة.", "كتب محفوظ في القاهرة."]
    sentences = [Sentence(at, text, BlockKind.PARAGRAPH, Passage(0, 1, 0, 1, 1, 1)) for at, text in enumerate(texts)]
    assert [[mention.name for mention in found] for found in document_mentions("", sentences)] == [
        ["محفوظ", "القاهرة"]
    ] * 2


@given(st.text(max_size=200) | st.text("AaBb .,'\"()-12«“” theof", max_size=200))
def test_any_text_gives_each_entity_once_as_it_stands(text: str) -> None:
    found = [mention.name for mention in mentions(text)]
    assert len({entity_key(name) for name in found}) == len(found)
    assert all(name in text and name.strip() for name in found)


@pytest.mark.parametrize(
    "unit", ["A ", "A", "of A ", "(", '"A ', "A's ", "1 ", "“A", "A.", "中", "A-", "(AB) ", "A of the "]
)
def test_time_is_linear(unit: str) -> None:
    started = time.process_time()
    mentions(unit * (6000 // len(unit)))
    assert time.process_time() - started < 20
