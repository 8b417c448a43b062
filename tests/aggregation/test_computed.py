"""Questions about many notes, each with what is computed for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.note_files import written_notes

from noderag_local.aggregation.computed import Computed
from noderag_local.aggregation.denial import is_answered_no
from noderag_local.config import load_settings
from noderag_local.generation.computed_answers import COMPUTED
from noderag_local.text.stems import all_stems
from noderag_local.vault.vault import Vault

Compute = Callable[[str], Computed | None]


def texts(found: Computed | None) -> list[str]:
    assert found is not None
    return [part.text for part in found.parts]


def paths(found: Computed | None) -> list[str]:
    assert found is not None
    return [entry.sentence.path.rpartition("/")[2] for part in found.parts for entry in part.entries]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        # 9 March denies it, and 17 March plans another one for the next day.
        ("How many times did I go swimming in March 2026?", "3 times"),
        ("How often did I swim in March?", "3 times"),
        ("How often did I swim in 2026?", "3 times"),
        ("How often did I swim in 2025?", "0 times"),
        ("Wie oft war ich 2026 laufen?", "3 Mal"),
        ("On how many days did I go swimming in April 2026?", "0 times"),
        ("How often did I meet Ilse Hagen in March 2026?", "2 times"),
        ("How many times did I see Ilse this year?", "2 times"),
        ("How many get-togethers with Ilse did I have in January 2026?", "0 times"),
        # She was at a talk, which is no get-together.
        ("How many get-togethers with Ilse did I have in May 2026?", "0 times"),
        ("Wie oft war ich im Januar 2026 laufen?", "2 Mal"),
        ("How much did I spend at Eisen Ott altogether?", "47.75 EUR"),
        ("How much did I pay at Eisen Ott in March?", "35.50 EUR"),
        ("What was the total of my purchases at Eisen Ott?", "47.75 EUR"),
        ("How much did the lamp cost?", "31 EUR"),
        ("When did I arrive in Tarvisio?", "12 May 2026"),
        ("When did I last meet Ilse?", "16 March 2026"),
        ("When was the first time I saw Ilse this year?", "2 March 2026"),
        ("When did I meet Bruno?", "16 March 2026"),
        ("¿Cuándo llegué a Lugo?", "8 de febrero de 2026"),
        ("Quand ai-je couru au parc ?", "3 février 2026"),
        ("Which did I finish first, Salt Roads or The Long Dune?", "Salt Roads"),
        ("Which did I finish later, Salt Roads or The Long Dune?", "The Long Dune"),
        ("Did I finish The Long Dune before Salt Roads?", "Salt Roads"),
        ("What is the deadline of project Weir now?", "Deadline moved to 3 July 2026"),
        ("What is the date of the deadline presently in force for project Weir?", "Deadline moved to 3 July 2026"),
        ("Until when do we have to finish project Weir?", "Deadline moved to 3 July 2026"),
        ("Where will the meeting of project Weir take place?", "Venue: the library"),
        ("How many recipes use leeks?", "2"),
        ("Where does Ilse live?", "Ilse Hagen: Roofer, lives by the canal."),
        ("What is Dr. Moll's phone number?", "Dr. Ada Moll: Phone 0555 123 40."),
        ("Wie lautet die Telefonnummer von Dr. Moll?", "Dr. Ada Moll: Phone 0555 123 40."),
        ("Quel est le numéro de téléphone d'Ada Moll ?", "Dr. Ada Moll: Phone 0555 123 40."),
        ("What did we decide about the tiles in February 2026?", "2026-02-10: On the tiles we decided to wait."),
        # Without apostrophes, with letters too many, too few and changed, and with a preposition joined to its word.
        ("wheres the Weir meeting gonna be now", "Venue: the library"),
        ("swimming in march, how manny times did i go", "3 times"),
        ("What did we deside on 10 February 2026 about project Weir?", "On the tiles we decided to wait."),
        ("C'est quoi maintenant la date limite pour le projet Weir ?", "Deadline moved to 3 July 2026"),
        ("What did we decide on 10 February 2026 about project Weir?", "On the tiles we decided to wait."),
        ("At the Weir meeting on 10 April 2026, what was decided?", "On the tiles we decided to buy the grey ones."),
    ],
)
def test_one_answer(compute: Compute, question: str, answer: str) -> None:
    assert texts(compute(question)) == [answer]


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which recipes use leeks?", ["Borscht", "Winter pie"]),
        ("List all recipes with leeks and walnuts.", ["Winter pie"]),
        ("Which books did I finish this year?", ["Salt Roads", "The Long Dune"]),
        ("Which books did I finish in 2026?", ["Salt Roads", "The Long Dune"]),
        ("Which books did I not finish?", ["Kiln"]),
        ("Welche Bücher habe ich nicht fertig gelesen?", ["Kiln"]),
        ("I don't remember which books I finished this year.", ["Salt Roads", "The Long Dune"]),
        # One was lent in a German note.
        ("Which books have I lent to somebody?", ["Salt Roads", "Kiln"]),
        ("What books did I lend out?", ["Salt Roads", "Kiln"]),
        ("Who works on project Weir?", ["Ilse Hagen", "Bruno Pohl", "me"]),
        ("Who was present at the sluice talk?", ["Ilse Hagen", "me"]),
        ("Who was not present at the sluice talk?", ["Bruno Pohl (away)"]),
        ("Wer fehlte beim Sluice talk?", ["Bruno Pohl (away)"]),
        ("What did I decide in May 2026?", ["2026-05-20: Decision: the gate is shut until August 2027"]),
        # Eddies are no boat of that name.
        ("What happened with the Eddy in May 2026?", ["2026-05-21: Sanded the keel of the Eddy."]),
        (
            "What is the difference between Salt Roads and The Long Dune?",
            ["Salt Roads: A slow start.", "The Long Dune: Good maps."],
        ),
        (
            "Compare the projects Eddy and Kiln.",
            [
                "Eddy: A model boat. Glued in the cellar. The eddies on the river are no model boats.",
                "Kiln: Not opened yet.",
            ],
        ),
        ("What did I buy in March 2026?", ["nails (2026-03-01, 4.50 EUR)", "lamp (2026-03-20, 31 EUR)"]),
        ("Was habe ich im März 2026 gekauft?", ["nails (2026-03-01, 4,50 €)", "lamp (2026-03-20, 31 €)"]),
        (
            "What did I buy at Eisen Ott?",
            ["nails (2026-03-01, 4.50 EUR)", "lamp (2026-03-20, 31 EUR)", "rope (2026-04-02, 12.25 EUR)"],
        ),
        ("Which tasks are still open?", ["call the roofer", "return Bruno's ladder", "find the receipts"]),
        ("What is still open for the tax?", ["find the receipts"]),
        ("What did I do the day before I arrived in Tarvisio?", ["Bought a map."]),
        ("What did I do on the day before I left for Tarvisio?", ["Bought a map."]),
        ("What did I do yesterday?", ["Painted the gate.", "Bread with rye."]),
        # What is decided for a later day belongs to the day of the decision; what tells of an earlier day does not.
        (
            "What happened on 10 April 2026?",
            [
                "Present: Ilse Hagen, Bruno Pohl.",
                "Venue: the library.",
                "On the tiles we decided to buy the grey ones.",
                "Deadline moved to 3 July 2026.",
            ],
        ),
        (
            "What happened on 17 March 2026?",
            ["Swimming again.", "I want to go swimming tomorrow as well."],
        ),
        (
            "What is planned next week?",
            ["2026-06-24: Dentist on 24 June 2026 at 8:15.", "2026-06-26: Concert on 26 June 2026."],
        ),
    ],
)
def test_several_answers(compute: Compute, question: str, answers: list[str]) -> None:
    assert texts(compute(question)) == answers


@pytest.mark.parametrize(
    "question",
    [
        "Which recipes have no leeks?",  # a note that leaves something out need not say so
        "Which books did I not finish this year?",
        "Which books do I no longer have?",
        "My recipes with walnuts - which day was it that I wrote them?",  # asks for a day, and for no list
    ],
)
def test_what_is_not_done_is_told_only_where_notes_say_what_is(compute: Compute, question: str) -> None:
    assert compute(question) is None


def test_notes_in_a_folder_about_one_thing_are_not_of_that_kind(tmp_path: Path) -> None:
    notes = {
        "house/facts.md": "# 4 Gull Lane\n\nRoof: new shingles in 2017, their color is slate.\n",
        "house/to do.md": "# To do\n\nClean the gutters.\n",
        "mum/facts.md": "# Gwen\n\nDoor code 5520.\n",
        "mum/visits.md": "# Visits\n\nBrought grapes.\n",
        "hens/who is who.md": "# The girls\n\n- Loretta: dark brown eggs\n",
        "hens/log.md": "# Log\n\nNew straw.\n",
    }
    folder = written_notes(tmp_path / "notes", notes)
    with Vault(tmp_path / "vault", load_settings(vault=tmp_path / "vault")) as vault:
        vault.index([folder])
        for question in ("what color are the shingles on our house", "code for mums door", "Which hen has brown eggs?"):
            assert vault.ask(question).finish().retrieval.method != COMPUTED, question


PHRASINGS = {
    "3 times": [
        "number of swims in March 2026",
        "In March, on how many days was I swimming?",
        "Could you tell me how frequently I went for a swim in March 2026?",
        "Please count my swims in March 2026.",
        "I'd like to know how many times I swam during March 2026.",
        "How many swimming sessions were there in March 2026?",
        "I want to be honest about exercise, so how many times did I actually go swimming in March 2026?",
    ],
    "3 Mal": ["Wie oft bin ich im März 2026 geschwommen?"],
    "3 fois": ["Combien de fois ai-je nagé en mars 2026 ?"],
    "3 veces": ["¿Cuántas veces nadé en marzo de 2026?"],
    "2 times": [
        "How many times did Ilse Hagen and I get together in March 2026?",
        "meetups with Ilse in March 2026, how many?",
        "How often have I caught up with Ilse Hagen this year?",
    ],
    "47.75 EUR": [
        "total spent Eisen Ott",
        "Add up what I paid at Eisen Ott.",
        "What do all my purchases from Eisen Ott come to?",
        "How many euros have I left at Eisen Ott, all told?",
    ],
    "47,75 €": [
        "Wie viel habe ich insgesamt bei Eisen Ott ausgegeben?",
        "¿Cuánto he gastado en total en Eisen Ott?",
    ],
    "12 May 2026": [
        "What day did I get to Tarvisio?",
        "Tell me the date on which I reached Tarvisio.",
        "my arrival in Tarvisio, when was that?",
        "On which date did I land in Tarvisio?",
    ],
    "16 March 2026": [
        "last time with Ilse",
        "What was the most recent time I saw Ilse Hagen?",
        "Find the date of my latest meeting with Ilse Hagen.",
        "Ilse and I, when did we last get together?",
        "I feel guilty about neglecting Ilse Hagen, so when was it that we last saw each other?",
    ],
    "Salt Roads": [
        "Salt Roads or The Long Dune, which one did I get through first?",
        "Of The Long Dune and Salt Roads, which did I complete earlier?",
        "Tell me which book I read sooner, The Long Dune or Salt Roads.",
        "Welches Buch habe ich zuerst ausgelesen, Salt Roads oder The Long Dune?",
    ],
    "Deadline moved to 3 July 2026": [
        "weir deadline current",
        "By what date do we have to be done with Weir?",
        "When is Weir due, as of now?",
        "Bis wann muss Weir nach aktuellem Stand fertig sein?",
    ],
    "Venue: the library": [
        "Where's the Weir meeting going to be now?",
        "Which place is it for the Weir meeting, after the last change?",
    ],
    "On the tiles we decided to wait.": [
        "Weir decision 2026-02-10",
        "What was agreed for Weir on Feb 10, 2026?",
        "What came out of our Weir meeting on the 10th of February 2026?",
        "Was haben wir am 10. Februar 2026 zum Projekt Weir beschlossen?",
    ],
    "Borscht|Winter pie": [
        "recipes leeks",
        "Show me every recipe of mine that calls for leeks, all my recipes please",
        "Could you find all the recipes that have leeks as an ingredient?",
        "leeks are in which of my recipes?",
    ],
    "Ilse Hagen|Bruno Pohl|me": [
        "Who's on the Weir team?",
        "Give me the names of all the members of Weir.",
        "Wer macht alles beim Projekt Weir mit?",
    ],
    "Bought a map.": [
        "What was I up to the day before I set off for Tarvisio?",
        "How did I spend the day before my trip to Tarvisio?",
        "I took off to Tarvisio; what had I done one day earlier?",
        "Was habe ich am Tag vor meiner Abreise nach Tarvisio gemacht?",
    ],
}
"""Questions that people ask in many ways, by their answer."""


@pytest.mark.parametrize(
    ("question", "answer"), [(question, answer) for answer, asked in PHRASINGS.items() for question in asked]
)
def test_people_ask_the_same_in_many_ways(compute: Compute, question: str, answer: str) -> None:
    assert texts(compute(question)) == answer.split("|")


@pytest.mark.parametrize(
    "question",
    [
        # Nothing is computed from what the notes do not tell, or what needs to be read and understood.
        "What is Ilse's shoe size?",
        "How often should I water the plants?",
        # "baking" and "boots" are no mistyped "biking" and "books".
        "How often did I go baking?",
        "When did I last buy boots?",
        "How often did I meet Ottilie in March 2026?",
        "When did Ilse move to the canal?",
        "When does the lease end?",
        "How much did the soap cost?",
        "Which did I finish first, Kiln or Salt Roads?",
        "Which recipes use saffron?",
        "What does Ilse like about Salt Roads?",
        "What did Ilse do yesterday?",
        "What did Ilse write on 9 March 2026?",
        "Who is Ilse?",
        "Warum war das Becken geschlossen?",
        "When did I buy my first map?",
        "How many eggs do I need for the bread?",
        "How often can I swim with Ilse?",
        "What happened after the swim on 2 March 2026?",
        "Where was the meeting of project Weir at first?",
        "What did Ilse write the last time I swam?",
        "",
        "?",
    ],
)
def test_other_questions_are_left_to_the_search(compute: Compute, question: str) -> None:
    assert compute(question) is None


def test_every_part_rests_on_the_sentences_that_say_it(compute: Compute) -> None:
    assert paths(compute("How many times did I go swimming in March 2026?")) == [
        "2026-03-02.md",
        "2026-03-16.md",
        "2026-03-17.md",
    ]
    assert paths(compute("Which books have I lent to somebody?")) == ["2026-04-05.md", "2026-01-04.md"]
    assert paths(compute("Which tasks are still open?")) == ["todo.md"] * 3


def test_the_note_says_what_was_left_out(compute: Compute) -> None:
    found = compute("How many times did I go swimming in March 2026?")
    assert found is not None
    assert "Left out: 2 sentences" in found.note


def test_the_same_question_has_the_same_answer(compute: Compute) -> None:
    question = "Which recipes use leeks?"
    assert compute(question) == compute(question)


def test_a_tag_of_a_note_says_what_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "recipes"
    folder.mkdir()
    for name, tags in (("Dal", "recipe, vegan"), ("Goulash", "recipe, slow"), ("Crumble", "recipe, vegan")):
        text = f"---\ntags: [{tags}]\n---\n# {name}\n\n- a spoon of salt\n"
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    settings = load_settings(models_dir=tmp_path / "no-models")
    with Vault(tmp_path / "vault", settings) as vault:
        vault.index([folder])
        answer = vault.ask("Which of my recipes are vegan?").finish()
        counted = vault.ask("How many of my recipes are vegan?").finish()
    assert answer.text == "Crumble [1]\nDal [2]"
    assert counted.text.startswith("2 ")


def test_a_note_that_denies_it_is_not_listed(tmp_path: Path) -> None:
    folder = tmp_path / "trips"
    folder.mkdir()
    for name, visa in (("Kenya", "yes"), ("Japan", "no"), ("Vietnam", "yes")):
        (folder / f"{name}.md").write_text(
            f"# {name}\n\nWent there in August.\n\nVisa needed: {visa}\n", encoding="utf-8"
        )
    with Vault(tmp_path / "vault", load_settings(models_dir=tmp_path / "no-models")) as vault:
        vault.index([folder])
        answer = vault.ask("Which trips needed a visa?").finish()
    assert answer.text == "Kenya [1]\nVietnam [2]"


@pytest.mark.parametrize("line", ["Ingredients: lentils, carrots, no onions", "Lentils: yes, no salt", "no lentils"])
def test_only_a_label_that_is_answered_by_no_denies_a_note(line: str) -> None:
    assert is_answered_no("Lentils: none", all_stems("lentils"))
    assert not is_answered_no(line, all_stems("lentils"))


def test_notes_of_a_kind_are_judged_and_those_of_a_word_that_only_looks_alike_are_not(
    judged: Callable[[str], list[str]],
) -> None:
    assert judged("Which of my recipes are vegetarian?") == ["Borscht", "Rye bread", "Winter pie"]
    assert judged("Which of my moths are rare?") == ["Traps", "Year list"]
    # The German stem of "mother" is the English one of "moths".
    assert judged("Which side was my mother's hip operation?") == []
