"""Questions that describe somebody without a name, each with whom they mean in some people's notes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.note_files import written_notes

from noderag_local.aggregation.computed import Computed
from noderag_local.aggregation.described import (
    borrower,
    described,
    identified,
    several_identified,
    told_of_described,
    told_on_page,
    trails_of,
)
from noderag_local.aggregation.entries import Entries
from noderag_local.config import load_settings
from noderag_local.storage.database.store import Store
from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.vault.vault import Vault

NOTES = {
    "diary/2026-02-01.md": "Lent Salt Roads to Ilse Hagen after dinner.\n",
    "diary/2026-02-09.md": "Today Bruno Pohl recommended Salt Roads to me.\n",
    "diary/2026-03-04.md": "Finished Salt Roads on the train, with a view of the sea.\n",
    "diary/2026-03-20.md": "Stayed at the Hotel Linden, which Tove Maar recommended. No lift.\n",
    "diary/2026-04-02.md": "In Lugo with Ana Ruiz and Otto Bruns, who recommended the Café Sol.\n",
    "people/Ilse Hagen.md": "# Ilse Hagen\n\nLives in Ghent. Works at the Lumen Press.\n\nHas a sister, [[Runa Falk]].\n",
    "people/Bruno Pohl.md": "# Bruno Pohl\n\nCareful: allergic to walnuts. Lives in Cork.\n\nHas a brother, [[Emil Pohl]].\n",
    "people/Runa Falk.md": "# Runa Falk\n\nWorks as a cellist. Allergic to cats.\n",
    "diary/2026-04-20.md": "Emil Pohl came by and lent me his drill for the shelf.\n",
    "people/Karim Haddad.md": "# Karim Haddad\n\nHas our spare keys since 2022. Brother: Said, who still lives in Porto.\n\n"
    "His neighbour [[Tove Maar]] works at the mill.\n",
    "people/Emil Pohl.md": "# Emil Pohl\n\nLives in Bergen.\n",
    "people/Tove Maar.md": "# Tove Maar\n\nLives in Nantes.\n\nRing her!\n",
    "books/Salt Roads.md": "# Salt Roads\n\nA slow start.\n",
    "people/Sofia Lind.md": "# Sofia Lind\n\nAccount manager at Lumicon, our supplier for [[Weir]].\n",
    "projects/Weir.md": "# Weir\n\nA dam.\n",
    "people/Edda Holm.md": "# Edda Holm\n\nIs the mother of [[Jon Maar]]. Might work at the mill next year.\n\n"
    "Does not own a bike. Her son lives in Brno.\n",
    "diary/2026-05-01.md": "I recommended Night Boat to Bruno Pohl. Edda Holm's mother met Bruno Pohl at the fair.\n",
    "diary/2026-05-02.md": "Marta Gil repaired the fridge together with Tove Maar. Otto fixed the gutter on Easter Monday.\n",
    "diary/2026-05-03.md": "Lent Kiln to Ilse Hagen.\n",
    "diary/2026-05-09.md": "Got Kiln back from Ilse Hagen.\n",
    "books/Kiln.md": "# Kiln\n\nNot opened yet.\n",
    "people/Uwe Kern.md": "# Uwe Kern\n\nWorks at the mill, in the office. Allergic to cats and hay.\n",
    "recipes/Rye bread.md": "# Rye bread\n\nFrom [[Tove Maar]].\n\n- 500 g rye\n\nKnead, wait, bake.\n",
}


@pytest.fixture(scope="module")
def entries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Entries]:
    notes = written_notes(tmp_path_factory.mktemp("notes"), NOTES)
    folder = tmp_path_factory.mktemp("vault")
    with Vault(folder, load_settings(models_dir=tmp_path_factory.mktemp("no-models"))) as made:
        made.index([notes])
    with Store.open(folder, write=False) as store:
        yield Entries(store, Snapshot.open(store).words)


@pytest.mark.parametrize(
    ("question", "name", "rest"),
    [
        ("Where does the person work to whom I lent Salt Roads?", "Ilse Hagen", "work"),
        ("whoever has borrowed salt roads, where do they live", "Ilse Hagen", "live"),
        ("Somebody suggested Salt Roads to me. What are they allergic to?", "Bruno Pohl", "allergic"),
        ("In which city does the one who recommended the Hotel Linden live?", "Tove Maar", "city live"),
        ("the rye bread recipe, wheres the person i got it from living", "Tove Maar", "living"),
        ("What does Ilse Hagen's sister play?", "Runa Falk", "play"),
        ("what is Ilse Hagens sister allergic to", "Runa Falk", "allergic"),
        ("What does Ilse's sister play?", "Runa Falk", "play"),
        ("Who is Ilse's sister, and what is she allergic to?", "Runa Falk", "allergic"),
        ("Where does the brother of whoever told me to read Salt Roads live?", "Emil Pohl", "live"),
        ("Wo wohnt die Person, die mir Salt Roads empfohlen hat?", "Bruno Pohl", "wohnt"),
        ("Wo arbeitet die Schwester der Person, der ich Salt Roads geliehen habe?", "Runa Falk", "arbeitet"),
        ("À quoi est allergique la personne qui m'a recommandé Salt Roads ?", "Bruno Pohl", "allergique"),
        ("J'ai prêté Salt Roads à quelqu'un : cette personne habite où ?", "Ilse Hagen", "habite"),
        # Nothing is named: the sentence with the most words counts.
        ("Where does the person live who lent me the drill?", "Emil Pohl", "live"),
        ("¿Dónde trabaja la persona a la que le presté Salt Roads?", "Ilse Hagen", "trabaja"),
    ],
)
def test_somebody_is_described(entries: Entries, question: str, name: str, rest: str) -> None:
    found = described(trails_of(question, entries))
    assert found is not None
    assert found.name == name
    assert set(rest.split()) <= set(found.rest.split())


@pytest.mark.parametrize(
    "question",
    [
        "Where does Ilse Hagen work?",
        "Where does my sister live?",
        "Where does my younger sister live?",
        "Quand Ilse Hagen fête-t-elle son anniversaire ?",
        "Which friend did I have lunch with in Lugo?",
        "Where does the person work who lent me Salt Roads?",
        "Where does Edda Holm's mother live?",
        "What about grandma's knee at the Hotel Linden?",
        "Where does the person live who lent me the Long Dune?",
        "Where does the person live who recommended the Café Sol?",
        "Where does Tove Maar's sister live?",
        "What did I read on the train?",
    ],
)
def test_nobody_is_described_or_it_is_not_clear(entries: Entries, question: str) -> None:
    assert described(trails_of(question, entries)) is None


def texts(found: Computed | None) -> list[str]:
    return [part.text for part in found.parts] if found else []


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "Who works at the mill?",
            ["Tove Maar: His neighbour Tove Maar works at the mill.", "Uwe Kern: Works at the mill, in the office."],
        ),
        (
            "who is allergic to cats",
            ["Runa Falk: Allergic to cats.", "Uwe Kern: Allergic to cats and hay."],
        ),
        # The name alone says nothing of who has it, and of one person another function tells.
        ("Who has Salt Roads?", []),
        ("Who is allergic to walnuts?", []),
        ("Who lent me the drill?", []),
    ],
)
def test_several_people_are_told_of(entries: Entries, question: str, told: list[str]) -> None:
    assert texts(several_identified(trails_of(question, entries))) == told


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who has Salt Roads now?", ["Ilse Hagen: Lent Salt Roads to Ilse Hagen after dinner."]),
        ("who's got my copy of Salt Roads", ["Ilse Hagen: Lent Salt Roads to Ilse Hagen after dinner."]),
        ("Wer hat Salt Roads?", ["Ilse Hagen: Lent Salt Roads to Ilse Hagen after dinner."]),
        # It came back.
        ("Who has Kiln?", []),
        ("Who has our spare keys?", []),
    ],
)
def test_who_has_something_is_whom_it_was_lent_to(entries: Entries, question: str, told: list[str]) -> None:
    assert texts(borrower(question, entries)) == told


def test_the_path_has_a_sentence_for_each_step_and_what_is_told_of_the_last_person(entries: Entries) -> None:
    found = described(trails_of("What does the sister of the person I lent Salt Roads to work as?", entries))
    assert found is not None
    assert [one.sentence.text for one in found.path] == [
        "Lent Salt Roads to Ilse Hagen after dinner.",
        "Has a sister, Runa Falk.",
    ]
    assert [one.sentence.text for one in found.told] == ["Works as a cellist."]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who recommended Salt Roads to me?", "Bruno Pohl: Today Bruno Pohl recommended Salt Roads to me."),
        ("who did i lend salt roads to", "Ilse Hagen: Lent Salt Roads to Ilse Hagen after dinner."),
        (
            "Wer hat mir das Hotel Linden empfohlen?",
            "Tove Maar: Stayed at the Hotel Linden, which Tove Maar recommended.",
        ),
        ("Who is Ilse Hagen's sister?", "Runa Falk: Has a sister, Runa Falk."),
        ("Who lent me the drill?", "Emil Pohl: Emil Pohl came by and lent me his drill for the shelf."),
        ("Who is the account manager at Lumicon?", "Sofia Lind: Account manager at Lumicon, our supplier for Weir."),
        ("Who has our spare keys?", "Karim Haddad: Has our spare keys since 2022."),
        ("Who is the sister of the person I lent Salt Roads to?", "Runa Falk: Has a sister, Runa Falk."),
    ],
)
def test_who_it_was_is_told_by_the_sentence(entries: Entries, question: str, answer: str) -> None:
    found = identified(trails_of(question, entries))
    assert found is not None
    assert [part.text for part in found.parts] == [answer]


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Where does the person work to whom I lent Salt Roads?", ["Ilse Hagen: Works at the Lumen Press."]),
        ("whats the person i lent salt roads to working as", ["Ilse Hagen: Works at the Lumen Press."]),
        ("Which city is the person in who recommended the Hotel Linden?", ["Tove Maar: Lives in Nantes."]),
        ("Was macht die Schwester von Ilse Hagen beruflich?", ["Runa Falk: Works as a cellist."]),
        (
            "Someone raved about Salt Roads to me, which allergy do they have?",
            ["Bruno Pohl: Careful: allergic to walnuts."],
        ),
    ],
)
def test_what_the_notes_say_of_the_person_is_quoted_with_the_way(
    entries: Entries, question: str, answers: list[str]
) -> None:
    found = told_of_described(trails_of(question, entries))
    assert found is not None
    assert [part.text for part in found.parts] == answers
    assert answers[0].partition(":")[0] in found.note
    assert len(found.parts[0].entries) >= 2


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Where does Ilse Hagen work?", ["Ilse Hagen: Works at the Lumen Press."]),
        ("Which city does Tove Maar live in?", ["Tove Maar: Lives in Nantes."]),
        ("What is Bruno Pohl allergic to?", ["Bruno Pohl: Careful: allergic to walnuts."]),
        ("Ilse Hagen's employer?", ["Ilse Hagen: Works at the Lumen Press."]),
        ("Who is Ilse Hagen's employer?", ["Ilse Hagen: Works at the Lumen Press."]),
        ("Where does Tove live?", ["Tove Maar: Lives in Nantes."]),
        ("Wo wohnt Emil Pohl?", ["Emil Pohl: Lives in Bergen."]),
        ("Look up the employer of Ilse Hagen.", ["Ilse Hagen: Works at the Lumen Press."]),
        (
            "Would you be so good as to name the company that employs Ilse Hagen?",
            ["Ilse Hagen: Works at the Lumen Press."],
        ),
        (
            "I've a card here for the post, so please tell me which city Tove Maar calls home.",
            ["Tove Maar: Lives in Nantes."],
        ),
    ],
)
def test_what_a_page_says_of_its_subject_is_quoted(entries: Entries, question: str, answers: list[str]) -> None:
    found = told_on_page(trails_of(question, entries))
    assert found is not None
    assert [part.text for part in found.parts] == answers


@pytest.mark.parametrize(
    "question",
    [
        "What is Ilse Hagen's shoe size?",
        "What does Ilse Hagen think of her work?",
        "Why does Ilse Hagen work?",
        "Does Ilse Hagen work?",
        "Ilse Hagen and the work that we did together in the old mill last year",
        "Where does Edda Holm work?",
        "Where does Edda Holm live?",
        "What does Edda Holm own?",
        "Where does Ilse Hagen want to live?",
        "Where will Ilse Hagen work?",
        # Others live and work there.
        "Where does Karim Haddad live?",
        "Where does Karim Haddad work?",
        "What did I lend Ilse Hagen?",
        "How much does Ilse Hagen pay to live there?",
        "Where does the mayor of Ghent work?",
        "Which company fired Ilse Hagen?",
        "What does Ilse Hagen earn at work?",
        "Specify the shoe size of Ilse Hagen.",
        "Which company does Ilse Hagen rival?",
        "Tell me about the rival at Ilse Hagen's work",
        "What is the number to ring Tove Maar on?",  # "Ring her!" says no more than the question
    ],
)
def test_what_a_page_does_not_say_is_not_quoted(entries: Entries, question: str) -> None:
    assert told_on_page(trails_of(question, entries)) is None


@pytest.mark.parametrize(
    "question",
    [
        "Which shoe size has the person to whom I lent Salt Roads?",
        "What does Ilse Hagen's sister think of the new job?",
        "Where does Ilse Hagen work?",
    ],
)
def test_what_the_notes_do_not_say_of_the_person_is_not_quoted(entries: Entries, question: str) -> None:
    assert told_of_described(trails_of(question, entries)) is None


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote Salt Roads?",
        "Who lent me Salt Roads?",
        "Who recommended Night Boat to me?",
        "Who repaired the fridge?",
        "Who fixed the gutter?",
        "Who has a bike?",
        "Who lives in Brno?",
        "Who is Edda Holm's mother?",
        "Who does Tove Maar work for?",
        "Where does the person work to whom I lent Salt Roads?",
        "Who recommended the Café Sol?",
        "Who did I meet in Lugo?",
        "Who has never read Salt Roads?",
        "Who all has our spare keys?",  # there may be others
        "Who has our spare keys besides me?",
        "Where is Salt Roads?",
    ],
)
def test_who_it_was_is_left_to_reading_where_no_sentence_has_all_words(entries: Entries, question: str) -> None:
    assert identified(trails_of(question, entries)) is None
