"""A day in an answer is supported by a passage that says "yesterday" and means this day; another day is not."""

from __future__ import annotations

import pytest

from noderag_local.domain.passages import Source
from noderag_local.generation.citing.citations import annotate


def source(text: str, said: str, days: str, number: int = 1, title: str = "Lena and Omar, 8 May 2023") -> Source:
    """A source in which some words mean some days; none where `said` is empty."""
    meant = ((text.index(said) + len(said), days),) if said else ()
    return Source(number, "/notes/a.md", 0, title, (), 1, 1, 0, len(text), text, days=meant)


SAID = {
    "en": source("Omar: I went kayaking on the lake yesterday.", "yesterday", "2023-05-07"),
    "de": source("Omar: Gestern war ich auf dem See paddeln.", "Gestern", "2023-05-07", title="Gespräch"),
    "es": source("Omar: Ayer fui a remar en el lago.", "Ayer", "2023-05-07", title="Charla"),
    "fr": source("Omar : Hier, je suis allé pagayer sur le lac.", "Hier", "2023-05-07", title="Discussion"),
    "ru": source("Омар: Вчера я плавал на байдарке по озеру.", "Вчера", "2023-05-07", title="Разговор"),
}
ANSWERS = {
    "en": [
        "Omar went kayaking on the lake on {} [1].",
        ["7 May 2023", "May 7, 2023", "2023-05-07", "7 May", "Sunday, 7 May 2023", "the 7th of May 2023"],
        ["6 May 2023", "May 9, 2023", "2023-04-07", "7 May 2022", "7 June", "Saturday, 6 May 2023"],
    ],
    "de": [
        "Omar war am {} auf dem See paddeln [1].",
        ["7. Mai 2023", "07.05.2023", "7. Mai", "Sonntag, dem 7. Mai 2023"],
        ["6. Mai 2023", "07.06.2023", "7. Juni"],
    ],
    "es": [
        "Omar fue a remar en el lago el {} [1].",
        ["7 de mayo de 2023", "domingo 7 de mayo de 2023"],
        ["6 de mayo de 2023", "7 de junio de 2023"],
    ],
    "fr": [
        "Omar est allé pagayer sur le lac le {} [1].",
        ["7 mai 2023", "dimanche 7 mai 2023"],
        ["6 mai 2023", "7 juin 2023"],
    ],
    "ru": [
        "Омар плавал на байдарке по озеру {} [1].",
        ["7 мая 2023", "в воскресенье, 7 мая 2023 года"],
        ["6 мая 2023", "7 июня 2023"],
    ],
}
RIGHT = [(language, said[0].format(day)) for language, said in ANSWERS.items() for day in said[1]]
WRONG = [(language, said[0].format(day)) for language, said in ANSWERS.items() for day in said[2]]


@pytest.mark.parametrize(("language", "answer"), RIGHT)
def test_the_day_that_is_meant_is_supported(language: str, answer: str) -> None:
    (citation,) = annotate(answer, [SAID[language]])
    assert (citation.numbers, citation.supported) == ((1,), True)


@pytest.mark.parametrize(("language", "answer"), WRONG)
def test_another_day_is_not_supported(language: str, answer: str) -> None:
    (citation,) = annotate(answer, [SAID[language]])
    assert not citation.supported


def test_a_date_supports_no_sentence_about_something_else() -> None:
    assert not annotate("Omar sold the lighthouse to Bertha on 7 May 2023 [1].", [SAID["en"]])[0].supported
    assert not annotate("Omar went kayaking on 7 May 2023 with 12 friends [1].", [SAID["en"]])[0].supported


@pytest.mark.parametrize(
    ("answer", "is_supported"),
    [
        ("Lena adopted a kitten between 1 and 7 May 2023 [1].", True),
        ("Lena adopted a kitten in the week of 1 May 2023 [1].", True),
        ("Lena adopted a kitten in May 2023 [1].", True),
        ("Lena adopted a kitten on 4 May 2023 [1].", False),
        ("Lena adopted a kitten in June 2023 [1].", False),
    ],
)
def test_a_week_is_named_by_its_ends_or_its_month(answer: str, is_supported: bool) -> None:
    said = source("Lena: I adopted a kitten last week.", "last week", "2023-05-01 to 2023-05-07", title="Talk")
    assert annotate(answer, [said])[0].supported is is_supported


@pytest.mark.parametrize(
    ("days", "when", "is_supported"),
    [
        ("2023-04", "in April 2023", True),
        ("2023-04", "in April", True),
        ("2023-04", "in March 2023", False),
        ("2022", "in 2022", True),
        ("2022", "in 2021", False),
    ],
)
def test_a_month_or_a_year_is_named_as_such(days: str, when: str, is_supported: bool) -> None:
    said = source("Omar: We moved to the new flat a while before.", "a while before", days, title="Talk")
    assert annotate(f"Omar moved to the new flat {when} [1].", [said])[0].supported is is_supported


def test_an_answer_in_another_language_names_the_day() -> None:
    asked = "Wann war Omar auf dem See?"
    assert annotate("Omar war am 7. Mai 2023 auf dem See [1].", [SAID["en"]], asked)[0].supported
    assert not annotate("Omar war am 6. Mai 2023 auf dem See [1].", [SAID["en"]], asked)[0].supported


def test_the_source_that_means_the_day_is_cited() -> None:
    other = source("Lena: I bought a kettle yesterday.", "yesterday", "2023-06-01", number=2, title="Talk")
    (added,) = annotate("Omar went kayaking on the lake on 7 May 2023.", [SAID["en"], other])
    assert (added.numbers, added.added, added.supported) == ((1,), True, True)


def test_a_day_that_the_question_names_is_held_against_all_sources() -> None:
    asked = "What did Omar do on 7 May 2023?"
    assert annotate("On 7 May 2023 Omar went kayaking on the lake [1].", [SAID["en"]], asked)[0].supported
    elsewhere = source("Omar: I went kayaking on the lake.", "", "", title="Talk")
    assert not annotate("On 7 May 2023 Omar went kayaking on the lake [1].", [elsewhere], asked)[0].supported


def test_a_weekday_that_is_not_that_of_the_date_is_not_supported() -> None:
    assert not annotate("Omar went kayaking on the lake on Monday, 7 May 2023 [1].", [SAID["en"]])[0].supported


def test_languages_without_spaces_name_the_day_too() -> None:
    said = source("昨天我们在湖上划船了。", "昨天", "2023-05-07", title="日记")
    assert annotate("2023年5月7日我们在湖上划船了[1]。", [said])[0].supported
    assert not annotate("2023年5月6日我们在湖上划船了[1]。", [said])[0].supported
