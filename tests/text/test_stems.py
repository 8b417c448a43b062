"""Forms of a word that mean the same are found by one another."""

from __future__ import annotations

import pytest

from noderag_local.text.stems import question_stems, stems


def finds(asked: str, sentence: str) -> bool:
    """Whether a word of the question stands in the sentence, in any form."""
    there = set(stems(sentence))
    return any(forms & there for forms in question_stems(asked).values())


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("painted?", "She paints on Sundays, and that is what she likes."),
        ("Mietverträge?", "Der Mietvertrag ist nicht von uns und wird auch im Mai nicht verlängert."),
        ("chantera?", "Elle chantait dans la cuisine et il ne disait pas un mot."),
        ("l'hôpital?", "Les deux hôpitaux de la ville sont loin et il pleut."),
        ("armoire?", "L'armoire est dans le couloir et elle est à nous."),
        ("Élodie?", "Le chat d’Élodie est sur la table."),
        ("arte?", "La storia dell'arte non è più di moda."),
        ("immeuble", "Code de l'immeuble : 4521B"),
        ("O'Brien", "Call O’Brien"),
        ("24hours", "The shop is open 24hours, and it is near"),
        ("5jährige", "Die 5jährigen und der Hund sind im Garten"),
        ("ufficio", "Chiave dell'ufficio in cassetto"),
        ("dell'ufficio", "Ufficio chiuso"),
        ("casas?", "La casa es muy grande y está en el norte."),
        ("книгу?", "Она читала книги по вечерам."),
        ("Zoë?", "Zoe called."),
        ("合同什么时候到期？", "租房合同明年到期。"),
    ],
)
def test_other_forms_of_a_word_are_found(asked: str, sentence: str) -> None:
    assert finds(asked, sentence)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("What is the rent?", "That is the way it was."),
        ("Where is the car?", "The cat is in the hall."),
    ],
)
def test_other_words_are_not(asked: str, sentence: str) -> None:
    assert not finds(asked, sentence)


def test_each_stem_comes_once_in_reading_order() -> None:
    assert stems("Boats and a boat: the boat sails, sailing.") == ["boat", "sail"]


def test_a_question_of_stop_words_alone_has_no_stems() -> None:
    assert question_stems("What is it?") == {}


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("¿Quién arregló la bicicleta y cuánto costó?", {"arregló", "bicicleta", "costó"}),
        ("Wessen Fahrrad ist das, und wem gehört das Zelt?", {"fahrrad", "gehört", "zelt"}),
        ("Сколько стоила моя новая куртка?", {"стоила", "новая", "куртка"}),
        ("Who?", set()),
    ],
)
def test_interrogative_words_are_no_content_of_a_question(question: str, words: set[str]) -> None:
    assert question_stems(question).keys() >= words
    assert not question_stems(question).keys() & {"quién", "cuánto", "wessen", "сколько"}
