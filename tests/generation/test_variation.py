"""Follow-ups that repeat a question for another time or name."""

from __future__ import annotations

from datetime import date

import pytest

from noderag_local.generation.variation import corrected, varied

TODAY = date(2026, 6, 20)


@pytest.mark.parametrize(
    ("earlier", "question", "meant"),
    [
        ("How often did I swim in March 2025?", "And in April?", "How often did I swim in April 2025?"),
        ("How often did I swim in March 2025?", "and in 2024?", "How often did I swim in March 2024?"),
        ("How often did I swim in March?", "and April?", "How often did I swim in April?"),
        ("How often did I swim?", "And last month?", "How often did I swim last month?"),
        ("How often did I swim?", "and in 2024?", "How often did I swim in 2024?"),
        ("What did I do yesterday?", "and last Tuesday?", "What did I do last Tuesday?"),
        ("How often did I see Wim in May?", "What about Ana Lee?", "How often did I see Ana Lee in May?"),
        ("When did I arrive in Tarvisio?", "And in Lugo?", "When did I arrive in Lugo?"),
        ("When is project Heron due?", "And project Basalt?", "When is project Basalt due?"),
        ("Where does Marta live?", "And Tomasz?", "Where does Tomasz live?"),
        ("Wie oft war ich im Januar laufen?", "Und im Februar?", "Wie oft war ich im Februar laufen?"),
        ("¿Cuántas veces nadé en marzo de 2026?", "¿Y en abril?", "¿Cuántas veces nadé en abril de 2026?"),
        ("What did I do on 3 March 2026?", "And in May?", "What did I do in May 2026?"),
        ("What did I do on March 3, 2026?", "And in May?", "What did I do in May 2026?"),
        ("What did I do on 3 March?", "And on 5 May?", "What did I do on 5 May?"),
        ("What did I do in March?", "And on 3 May?", "What did I do on 3 May?"),
        ("What did I do in March?", "And last week?", "What did I do last week?"),
        ("What did I do yesterday?", "And on 3 May?", "What did I do on 3 May?"),
        ("Was habe ich am 3. März 2026 getan?", "Und im Mai?", "Was habe ich im Mai 2026 getan?"),
        ("¿Qué hice el 3 de marzo de 2026?", "¿Y en mayo?", "¿Qué hice en mayo de 2026?"),
        ("Combien de fois ai-je nagé en mars ?", "et en avril ?", "Combien de fois ai-je nagé en avril ?"),
    ],
)
def test_the_time_or_the_name_is_replaced(earlier: str, question: str, meant: str) -> None:
    assert " ".join(varied(question, earlier, TODAY).split()) == meant


@pytest.mark.parametrize(
    ("earlier", "question"),
    [
        ("Who is Marta?", "And why?"),
        ("Who is Marta?", "and what did she say to Bob about it?"),
        ("Where does Ana live?", "In April?"),
        ("Did Ana meet Bob?", "And Carla?"),
        ("Which came first, March 2025 or May 2025?", "and in June?"),
        ("Where does Marta live?", "and"),
        ("", "and in April?"),
        ("What did Ana say last week?", "And on Monday?"),
        ("What did I do with Ana last week?", "And Tuesday?"),
        ("Was hat Ana gesagt?", "Und am Montag?"),
        ("Where was Ana?", "And Christmas?"),
        ("Where was Ana?", "And in May?"),
        ("What did I do since 3 March?", "And in May?"),
    ],
)
def test_anything_else_is_left_to_the_model(earlier: str, question: str) -> None:
    assert varied(question, earlier, TODAY) == ""


def jonas(first_name: str) -> list[str]:
    return ["Jonas Brandt", "Jonas Keller"] if first_name == "Jonas" else []


@pytest.mark.parametrize(
    ("earlier", "answer", "turn", "meant"),
    [
        (
            "Where does Jonas work?",
            "Jonas Brandt works in Bonn. [1]",
            "No, the other Jonas",
            "Where does Jonas Keller work?",
        ),
        (
            "Where does Jonas work?",
            "Jonas Brandt works in Bonn. [1]",
            "no, the other one",
            "Where does Jonas Keller work?",
        ),
        (
            "Where does Jonas work?",
            "Jonas Brandt works in Bonn. [1]",
            "The other Jonas!",
            "Where does Jonas Keller work?",
        ),
        ("Where does Jonas Keller work?", "In Kiel. [1]", "nein, der andere Jonas", "Where does Jonas Brandt work?"),
        ("Where does Jonas work?", "In Bonn. [1]", "No, the other Jonas", ""),
        ("Where does Wim work?", "In Bonn. [1]", "No, the other Wim", ""),
        ("Where does Wim work?", "In Bonn. [1]", "No, I meant Ana Lee.", "Where does Ana Lee work?"),
        ("Where does Wim work?", "In Bonn. [1]", "I mean Ana Lee", "Where does Ana Lee work?"),
        ("Où travaille Wim ?", "À Bonn. [1]", "Non, je voulais dire Ana Lee", "Où travaille Ana Lee ?"),
        ("Where does Wim work?", "In Bonn. [1]", "Where does Ana Lee work?", ""),
        ("Where does Wim work?", "In Bonn. [1]", "Ana Lee", ""),
        ("Where does Wim work?", "In Bonn. [1]", "No.", ""),
        ("Where does Wim work?", "In Bonn. [1]", "Nein, Danke", ""),
        ("Where does Wim work?", "In Bonn. [1]", " Ana Lee", ""),
        ("Where does Wim work?", "In Bonn. [1]", "No, Jonas", "Where does Jonas work?"),
        ("Did Jonasson see Jonas?", "Jonas Brandt, yes. [1]", "The other Jonas", "Did Jonasson see Jonas Keller?"),
        ("How often did I see Jonas?", "Jonas Brandt: 2 [1]", "the other one", "How often did I see Jonas Keller?"),
        ("What did Wim do in March 2025?", "He swam. [1]", "No, I meant April", "What did Wim do in April 2025?"),
        ("What did Wim do in March 2025?", "He swam. [1]", "No, in April", "What did Wim do in April 2025?"),
        ("Where does Wim work?", "In Bonn. [1]", "No, that is wrong", ""),
    ],
)
def test_a_turn_that_says_who_was_meant_repeats_the_question(earlier: str, answer: str, turn: str, meant: str) -> None:
    assert corrected(turn, earlier, answer, TODAY, jonas) == meant
