"""Pairs of passages and sentences, each with what a careful reader would say."""

import pytest

from noderag_local.domain.passages import Source
from noderag_local.generation.citing.citations import annotate
from noderag_local.generation.citing.evidence import claims

BOILER = (
    "The new boiler is a Vaillant ecoTEC. It was installed by Herr Brandt on 14 October 2022 and cost 6,350 euros. "
    "The guarantee lasts five years if it is serviced every autumn."
)
ANNA = (
    "Anna Kowalska leads the search team since January 2021. She was born in Gdańsk and lives in Utrecht with two cats."
)
GARTEN = (
    "Die Kletterrose am Schuppen heißt New Dawn. Geschnitten wird sie im März, niemals im Herbst. "
    "Die Hecke besteht aus Hainbuchen und wurde 2019 gepflanzt."
)
CHAUDIERE = "La chaudière a été installée par M. Brandt en octobre 2022. Elle est garantie cinq ans."
LISBOA = "Nos alojamos en la Casa do Bairro, en Alfama, del 3 al 9 de mayo de 2023. La habitación costaba 84 euros."
BRIDGE_ZH = "这座大桥于1932年建成，全长1149米，由多曼·朗公司承建。设计师是约翰·布拉德菲尔德。"
BRIDGE_RU = "Мост построили в 1932 году по проекту инженера Брэдфилда. Его длина 1149 метров."

SUPPORTED = [
    (BOILER, "The boiler cost 6,350 euros."),
    (BOILER, "It cost 6350 euros."),
    (BOILER, "Herr Brandt installed it on 14 October 2022."),
    (BOILER, "The new boiler, a Vaillant ecoTEC, was installed in October 2022."),
    (BOILER, "The guarantee lasts five years if the boiler is serviced every autumn."),
    (BOILER, "According to your notes, Brandt did the installation."),
    (BOILER, "The boiler has a five-year guarantee, provided it is serviced each autumn."),
    (ANNA, "Anna Kowalska was born in Gdańsk."),
    (ANNA, "She lives in Utrecht."),
    (ANNA, "Kowalska's home is Utrecht, where she lives with two cats."),
    (ANNA, "The leader of the search team is Anna Kowalska, since January 2021."),
    (ANNA, "Anna leads the search team."),
    (GARTEN, "Die Rose wird im März geschnitten."),
    (GARTEN, "Die Kletterrose am Schuppen ist eine New Dawn."),
    (GARTEN, "Die Hecke wurde 2019 gepflanzt und besteht aus Hainbuchen."),
    (CHAUDIERE, "La chaudière a été installée en octobre 2022 par M. Brandt."),
    (CHAUDIERE, "Elle est garantie cinq ans."),
    (LISBOA, "La habitación costaba 84 euros."),
    (LISBOA, "Nos alojamos en la Casa do Bairro en mayo de 2023."),
    (BRIDGE_ZH, "大桥于1932年建成。"),
    (BRIDGE_ZH, "设计师是约翰·布拉德菲尔德。"),
    (BRIDGE_ZH, "这座大桥全长1149米。"),
    (BRIDGE_RU, "Мост построили в 1932 году."),
    (BRIDGE_RU, "Длина моста 1149 метров."),
    (BOILER, "Der neue Heizkessel kostete 6.350 Euro."),
    (ANNA, "Anna wohnt mit ihren zwei Katzen in Utrecht."),
    (LISBOA, "In Lisbon you stayed at the Casa do Bairro in Alfama."),
]

UNSUPPORTED = [
    (BOILER, "The boiler cost 5,350 euros."),
    (BOILER, "Herr Brandt installed it on 15 October 2022."),
    (BOILER, "Herr Schulz installed the boiler."),
    (BOILER, "The new boiler is a Viessmann Vitodens."),
    (BOILER, "The boiler heats the greenhouse and the swimming pool."),
    (BOILER, "The guarantee lasts until 2030."),
    (BOILER, "The guarantee covers the swimming pool every autumn."),
    (BOILER, "The boiler is serviced every spring by the friendly neighbour."),
    (ANNA, "Anna Kowalska was born in Warsaw."),
    (ANNA, "The cats lead the search team since January 2021."),
    (ANNA, "Her husband Piotr works as a dentist."),
    (ANNA, "She speaks Polish, Dutch and English."),
    (ANNA, "Anna Kowalska joined the company in 2019."),
    (ANNA, "Anna enjoys painting watercolours during holidays."),
    (GARTEN, "Die Hecke wurde 2021 gepflanzt."),
    (GARTEN, "Der Apfelbaum trägt jedes zweite Jahr besonders süße Früchte."),
    (CHAUDIERE, "La chaudière a été installée par M. Dupont."),
    (CHAUDIERE, "Le jardinier taille les rosiers chaque printemps."),
    (LISBOA, "La habitación costaba 94 euros."),
    (LISBOA, "Alquilamos un coche para visitar Sintra."),
    (BRIDGE_ZH, "大桥于1945年建成。"),
    (BRIDGE_ZH, "门票价格由市政府决定，学生免费。"),
    (BRIDGE_ZH, "1932年的大桥上有一家著名的餐厅。"),
    (BRIDGE_RU, "Мост построили в 1945 году."),
    (BRIDGE_RU, "Строительство оплатил британский банк."),
    (BOILER, "Der Heizkessel kostete 7.000 Euro."),
    (ANNA, "Die Hauptstadt von Frankreich ist Paris."),
    (LISBOA, "You flew to Porto with Ryanair."),
]


def source(text: str, number: int = 1, title: str = "", headings: tuple[str, ...] = ()) -> Source:
    return Source(number, "/notes/a.md", 0, title, headings, 1, 1, 0, len(text), text)


@pytest.mark.parametrize(("passage", "sentence"), SUPPORTED)
def test_what_the_passage_says_is_supported(passage: str, sentence: str) -> None:
    (citation,) = annotate(f"{sentence} [1]", [source(passage)])
    assert citation.supported


@pytest.mark.parametrize(("passage", "sentence"), UNSUPPORTED)
def test_what_the_passage_does_not_say_is_not_supported(passage: str, sentence: str) -> None:
    (citation,) = annotate(f"{sentence} [1]", [source(passage)])
    assert not citation.supported


def test_words_of_the_question_may_stand_in_another_source() -> None:
    answer = "The president of the association that published the Journal of Integration was Stanley Hall. [1]"
    question = "Who led the association that published the Journal of Integration?"
    sources = [
        source("Stanley Hall was its first president."),
        source("The Journal of Integration is published by an association.", number=2),
    ]
    assert not annotate(answer, sources)[0].supported
    assert annotate(answer, sources, question)[0].supported
    assert not annotate(answer, sources[:1], question)[0].supported


def test_a_term_of_the_question_that_no_source_knows_is_not_supported() -> None:
    sources = [source(BOILER), source(ANNA, number=2)]
    (citation,) = annotate("Anna's husband is Herr Brandt [2].", sources, "Who is Anna's husband?")
    assert not citation.supported


def test_a_short_answer_in_the_language_of_the_question_is_not_held_against_foreign_words() -> None:
    (citation,) = annotate("Anna vive en Utrecht [1].", [source(ANNA)], "¿Dónde vive Anna?")
    assert citation.supported
    (citation,) = annotate("Anna vive en Madrid desde 2019 [1].", [source(ANNA)], "¿Dónde vive Anna?")
    assert not citation.supported


def test_an_answer_that_only_repeats_the_question_is_held_against_the_source() -> None:
    (citation,) = annotate("Bob Miller founded Acme. [1]", [source("Acme makes anvils.")], "Did Bob Miller found Acme?")
    assert not citation.supported


def test_the_title_and_the_headings_of_a_source_count_as_its_text() -> None:
    (citation,) = annotate("The Marlin cost 900 pounds. [1]", [source("It cost 900 pounds.", title="Marlin")])
    assert citation.supported


@pytest.mark.parametrize(
    ("left", "right"),
    [("1,890 metres", "1890 metres"), ("1.890 Meter", "1890 Meter"), ("3,5 km", "3.5 km"), ("03", "3")],
)
def test_numbers_are_compared_without_their_writing(left: str, right: str) -> None:
    assert claims(left).numbers == claims(right).numbers


def test_a_decimal_point_is_not_a_separator() -> None:
    assert claims("3.5 km").numbers != claims("35 km").numbers
