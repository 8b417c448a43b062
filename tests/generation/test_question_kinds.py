"""What kind of answer a question asks for."""

from __future__ import annotations

import pytest

from noderag_local.generation.question_kinds import asks_for_day, asks_for_fact, asks_for_span


@pytest.mark.parametrize(
    "question",
    ["Who sold it?", "In which town is it?", "Wann wurde sie gebaut?", "Où est-elle ?", "How many ships are there?"],
)
def test_who_where_what_when_and_how_many_ask_for_spans(question: str) -> None:
    assert asks_for_span(question)


@pytest.mark.parametrize(
    "question",
    [
        "Why was it sold?",
        "What was the reason for selling it?",
        "What made them sell it?",
        "what changed my brother's mind about it",
        "Aus welchem Grund wurde sie verkauft?",
        "Pour quelle raison l'a-t-on vendue ?",
        "How did it sink?",
        "Is it old?",
        "Warum sank sie?",
        "谁卖了它?",
        "Tell me about it",
        "",
    ],
)
def test_reasons_yes_or_no_and_scripts_without_spaces_do_not(question: str) -> None:
    assert not asks_for_span(question)


@pytest.mark.parametrize(
    "question",
    [
        "Who sold the Marlin?",
        "In which town was it built?",
        "Wann wurde sie gebaut?",
        "Où habite la tante de Léa ?",
        "¿Quién la vendió?",
    ],
)
def test_one_name_place_or_day_is_a_fact(question: str) -> None:
    assert asks_for_fact(question)


@pytest.mark.parametrize(
    "question",
    [
        "Where do we meet now?",
        "Wer ist derzeit der Vermieter?",
        "Qui est la trésorière maintenant ?",
        "Which books did I lend?",
        "Who were the guests?",
        "Quels livres ai-je prêtés ?",
        "What did we decide about the roof?",
        "Was haben wir zum Dach beschlossen?",
        "What did Ana say?",
        "Why was it sold?",
    ],
)
def test_what_holds_now_several_things_and_clauses_are_no_facts(question: str) -> None:
    assert not asks_for_fact(question)


@pytest.mark.parametrize(
    ("question", "is_asked"),
    [
        ("When did Anika fall?", True),
        ("On which day did we get the keys?", True),
        ("Wann war die Feier?", True),
        ("Quel jour est mort Pixel ?", True),
        ("¿Cuándo llegó Ana?", True),
        ("When does it open?", False),
        ("How long did it take?", False),
        ("On which day of the month does the rent come?", False),
    ],
)
def test_when_something_was_asks_for_a_day_and_when_it_usually_is_does_not(question: str, is_asked: bool) -> None:
    assert asks_for_day(question) is is_asked
