"""Short questions that ask by a noun, and answers that lack what it asks for."""

from __future__ import annotations

import pytest

from noderag_local.domain.passages import Source
from noderag_local.generation.asked_nouns import AskedNoun, AskedValue, asked_noun, lacks_value


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("dad's neurologist name?", AskedValue.OTHER),
        ("Colin's address in Leduc", AskedValue.OTHER),
        ("code for the lockbox on the deck", AskedValue.OTHER),
        ("claim number for the hail damage please", AskedValue.NUMBER),
        ("entry fee per team for Fernie", AskedValue.NUMBER),
        ("I need uncle Bohdan's cell", AskedValue.NUMBER),
        ("marisol shoe size? want to get her slippers", AskedValue.OTHER),
        ("Deepa's email address", AskedValue.EMAIL),
        ("date of the next work bee at the garden", AskedValue.TIME),
        ("Telefonnummer vom Hausarzt", AskedValue.NUMBER),
        ("Anjas Kopfumfang für den Helm?", AskedValue.NUMBER),
        ("meine Blutgruppe?", AskedValue.OTHER),
        ("gib mir bitte die Mailadresse von Ilse", AskedValue.EMAIL),
        ("numéro d'Ana", AskedValue.NUMBER),
        ("necesito la dirección de Noemí", AskedValue.OTHER),
    ],
)
def test_a_noun_alone_asks(question: str, value: AskedValue | None) -> None:
    assert asked_noun(question) == AskedNoun(value, is_terse=True)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("what's dad's email", AskedValue.EMAIL),
        ("What is Owen's last name?", AskedValue.OTHER),
        ("Wie lautet die Adresse von Ilse?", AskedValue.OTHER),
        ("Quel est le prix du loyer ?", AskedValue.NUMBER),
    ],
)
def test_a_noun_behind_an_interrogative_asks(question: str, value: AskedValue) -> None:
    assert asked_noun(question) == AskedNoun(value, is_terse=False)


@pytest.mark.parametrize(
    "question",
    [
        "price list",
        "name day gifts",
        "what did the name cost",
        "is Tarek's number in my phone?",
        "names of Yusuf and Hodan's kids",
        "Who told me the code?",
        "summary of the care conference",
        "",
    ],
)
def test_other_questions_are_not_asked_by_a_noun(question: str) -> None:
    assert asked_noun(question) is None


TEXTS = [
    "Deepa Nair (case manager), deepa.nair@ahs.example, 403-555-0100",
    "Marisol sews for $27 an hour, rent 650,00 Euro.",
]
SOURCES = [Source(1, "/notes/people.md", 0, "", (), 1, 1, 0, len(text), text) for text in TEXTS]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Deepa's email address", "Deepa's email address is Deepa Nair."),
        ("marisol shoe size?", "Marisol wears size 8 shoes."),
        ("price of the 50 gallon heater", "The 50 gallon heater is on the list."),
        ("Telefonnummer von Deepa", "Deepa hat ein Telefon."),
        ("How much did I quote Simone for the stools?", "The quote: stools for Simone"),
    ],
)
def test_an_answer_without_such_a_value_or_with_an_invented_number_lacks_it(question: str, answer: str) -> None:
    assert lacks_value(question, answer, SOURCES)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Deepa's email address", "deepa.nair@ahs.example"),
        ("Deepa's phone", "403-555-0100"),
        ("Deepa's phone", "+1 4035550100"),
        ("Marisol's rent", "650 euros"),
        ("Marisol's wage", "Marisol gets $27 an hour."),
        ("entry fee for Fernie", "It is free."),
        ("Marisol's email", "Marisol has no email."),
        ("date of the AGM", "next Sunday"),
        ("Owen's last name", "Pfeiffer"),
        ("How many shoes does Marisol own?", "12"),
        ("How much did I pay Marisol in all?", "$5,184"),
        ("Combien d'enfants a Marisol ?", "Lucía et Paul"),
    ],
)
def test_other_answers_lack_nothing(question: str, answer: str) -> None:
    assert not lacks_value(question, answer, SOURCES)
