"""A question that is nothing but a name leads to the note of that name, and a misspelled word to the one word that was meant."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from noderag_local.config import load_settings
from noderag_local.retrieval.default.spelling import meant
from noderag_local.vault.vault import Vault

NOTES = {
    "Karim Haddad.md": "Neighbour on the second floor. Has our spare keys. Retired tram driver.\n",
    "Karim Rossi.md": "---\naliases: [Kasper]\n---\nPlays the cello in the quartet.\n",
    "Presents.md": "Books and coffee. Karim: coffee of Yemen. Élodie: a course in binding books.\n",
    "House meeting.md": "Present: Karim, me, the landlord. The cellar will be dried in January.\n",
    "Dentist.md": "The next appointment is on 24 November at a quarter past eight.\n",
    "Summer.md": "Karim brought his oud to the allotment, and we ate until midnight.\n",
    "Soups.md": "Lens soup is made of red lentils. The recipe is by grandmother.\n",
}


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    notes = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        (notes / name).write_text(text, encoding="utf-8")
    with Vault(tmp_path_factory.mktemp("vault"), load_settings()) as made:
        made.index([notes])
        yield made


def files(vault: Vault, question: str) -> list[str]:
    return [Path(source.path).name for source in vault.search(question, budget_tokens=200).sources]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Karim Haddad", "Karim Haddad.md"),
        ("Who is Karim Haddad?", "Karim Haddad.md"),
        ("haddad", "Karim Haddad.md"),
        ("Kasper", "Karim Rossi.md"),
        ("dentist", "Dentist.md"),
        ("Krim Hadad", "Karim Haddad.md"),
        ("when is teh dentst apointment", "Dentist.md"),
        ("soup recpie", "Soups.md"),
    ],
)
def test_the_note_comes_first(vault: Vault, question: str, first: str) -> None:
    assert files(vault, question)[0] == first


def test_both_notes_of_a_first_name_come_before_what_mentions_it(vault: Vault) -> None:
    assert set(files(vault, "Karim")[:2]) == {"Karim Haddad.md", "Karim Rossi.md"}
    assert "Summer.md" in files(vault, "Karim")


def test_a_question_that_asks_for_more_is_no_name(vault: Vault) -> None:
    assert files(vault, "What did Karim bring to the allotment?")[0] == "Summer.md"


WORDS = {
    "a": ["allotment", "appointment"],
    "b": ["bucherregal"],
    "l": ["lend", "lens"],
    "r": ["recipe", "recipes"],
    "t": ["tent", "test"],
}


@pytest.mark.parametrize(
    ("typed", "stems"),
    [
        ("apointment", {"appoint"}),
        ("apointmnt", {"appoint"}),
        ("recpie", {"recip"}),
        ("bücheregal", {"bucherregal"}),
        ("lent", set()),
        ("texts", set()),
        ("bpointment", set()),
        ("al", set()),
        ("4471", set()),
    ],
)
def test_a_word_is_corrected_only_where_one_must_be_meant(typed: str, stems: set[str]) -> None:
    found = meant(typed, WORDS)
    assert stems <= found
    assert bool(found) == bool(stems)
