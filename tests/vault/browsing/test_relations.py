"""Relations as the notes state them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from helpers.linked_notes import linked_notes

from noderag_local.domain.graph import NodeType
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.text.identity import entity_key
from noderag_local.vault.browsing.note_page import note_page
from noderag_local.vault.browsing.relations import relations_of

MARTA = """---
title: Marta Oliveira
employer: Instituto Ribeira
---
# Marta Oliveira

She lives in Porto. She works for the Instituto Ribeira. Husband Jonas Brandt paints. Her aunt Ada Maes, who knows.

- Brother: [[Rui Oliveira]], who still lives in Lisbon
- Her birthday: 14 March
- Note: bring Wine and Bread
- Said: "The tide is high"

Her sister's dog Bo barks. Jonas Brandt's sister Ines Brandt came, and Rui Oliveira moved to Ghent.
"""


def relations(folder: Path, notes: Mapping[str, str], name: str) -> list[str]:
    """Label and value of each relation of an entity, with the line of its sentence."""
    with linked_notes(folder, notes) as store:
        node = GraphRows(store).find(NodeType.ENTITY, [entity_key(name)])[entity_key(name)]
        return [f"{one.label}: {one.value} ({one.source.first_line})" for one in relations_of(store, node)]


def test_the_own_page_tells_them_by_labels_and_phrases(tmp_path: Path) -> None:
    found = relations(tmp_path, {"people/marta.md": MARTA}, "Marta Oliveira")
    assert found == [
        "employer: Instituto Ribeira (3)",
        "lives in: Porto (7)",
        "works at: Instituto Ribeira (7)",
        "husband: Jonas Brandt (7)",
        "brother: Rui Oliveira (9)",
        "birthday: 14 March (10)",
    ]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Rui Oliveira", ["moved to: Ghent (14)"]),
        ("Ines Brandt", ["sister of: Jonas Brandt (14)"]),
        ("Jonas Brandt", ["sister: Ines Brandt (14)"]),
    ],
)
def test_what_other_notes_say_of_somebody(tmp_path: Path, name: str, found: list[str]) -> None:
    assert relations(tmp_path, {"people/marta.md": MARTA}, name) == found


def test_how_somebody_is_related_to_whoever_keeps_the_notes(tmp_path: Path) -> None:
    notes = {
        "people/Koen.md": "# Koen (brother)\n\nKoen sings.\n",
        "daily/2026-11-01.md": "My sister Isla rang, and Koen too.\n",
        "mail.eml": "From: a@b.example\nSubject: x\n\nMy sister Nuala rang Koen.\n",
    }
    assert relations(tmp_path, notes, "Koen") == ["to you: brother (1)"]
    assert relations(tmp_path / "2", notes, "Isla") == ["to you: sister (1)"]
    assert relations(tmp_path / "3", notes, "Nuala") == []


def test_a_row_of_a_table_of_people(tmp_path: Path) -> None:
    table = "name,city,relation,shoe size\nMira Keller,Ghent,cousin,38\nRui Oliveira,Porto,friend,44\n"
    assert relations(tmp_path, {"people.csv": table}, "Mira Keller") == ["city: Ghent (2)", "relation: cousin (2)"]


def test_a_label_that_quotes_somebody_is_no_relation(tmp_path: Path) -> None:
    day = "# Visit\n\nMama: De Linde rang.\n\nWork: only six patients with Koen Maes.\n\nGluten: Sofie coeliac, not Koen Maes.\n"
    notes = {"daily/2026-11-01.md": day, "people/De Linde.md": "# De Linde\n\nMama: “the coffee was good.”\n"}
    assert relations(tmp_path, notes, "De Linde") == []
    assert relations(tmp_path / "2", notes, "Koen Maes") == []


@pytest.mark.parametrize(
    "text",
    [
        "Her brother Jan Maes is a vet. He lives in Oslo.",
        "Had lunch with Karl Maier. He works at Bosch.\nHe moved to Ghent.",
        "Met Karl Maier, he lives in Oslo.",
        "Our daughter Lena Maes plays. Unsere Tochter Lena Maes. Notre fils Hugo joue. Your sister Ida Maes called.",
        "Karl Maier, whose mother Eva Lang is ill. Karl Maier, dessen Mutter Eva Lang krank ist.",
        "Our dog: Rex",
        "The brother Uwe of Karl Maier came.",
    ],
)
def test_what_a_page_tells_of_others_is_not_of_its_person(text: str, tmp_path: Path) -> None:
    found = relations(tmp_path, {"people/anna.md": f"# Anna Berger\n\n{text}\n"}, "Anna Berger")
    assert [one for one in found if not one.startswith("brother: Jan")] == []


def test_a_pronoun_behind_a_place_or_another_paragraph_is_the_person_of_the_page(tmp_path: Path) -> None:
    text = "# Anna Berger\n\nShe grew up in Ulm. She lives in Porto.\n\nLunch with Karl Maier.\n\nShe moved to Ghent.\n\n- Cat Mia\n- Works at Bosch\n"
    found = relations(tmp_path, {"people/anna.md": text}, "Anna Berger")
    assert [one.rpartition(" (")[0] for one in found] == [
        "grew up in: Ulm",
        "lives in: Porto",
        "moved to: Ghent",
        "cat: Mia",
        "works at: Bosch",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Works at Bosch, lives in Porto.",
        "Works at Bosch. Lives in Porto.",
        "Works for Bosch, lives in Porto.",
        "Arbeitet bei Bosch, wohnt in Porto.",
        "She works at Bosch. She lives in Porto.",
    ],
)
def test_an_employer_is_nobody_who_lives_somewhere(text: str, tmp_path: Path) -> None:
    found = relations(tmp_path, {"people/anna.md": f"# Anna Berger\n\n{text}\n"}, "Anna Berger")
    assert {one.rpartition(" (")[0] for one in found} == {"works at: Bosch", "lives in: Porto"}


@pytest.mark.parametrize(
    "text",
    [
        "She works for Karl Maier. He lives in Oslo.",
        "Married to Karl Maier. He lives in Oslo.",
        "Talked to Karl Maier. He lives in Oslo.",
        "Met Karl Maier. Works at Bosch. Lives in Oslo.",
    ],
)
def test_somebody_behind_to_or_for_may_be_he(text: str, tmp_path: Path) -> None:
    found = relations(tmp_path, {"people/anna.md": f"# Anna Berger\n\n{text}\n"}, "Anna Berger")
    assert "lives in: Oslo" not in [one.rpartition(" (")[0] for one in found]


def test_a_label_may_have_several_names(tmp_path: Path) -> None:
    text = "# Anna Berger\n\nChildren: Lena, Max and Tim\n\n- Brother: Jan Maes, who sings\n"
    found = relations(tmp_path, {"people/anna.md": text}, "Anna Berger")
    assert found == ["children: Lena, Max and Tim (3)", "brother: Jan Maes (5)"]


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        ("Met Mira Lang's sister Ida Maes.", "Ida Maes", ["sister of: Mira Lang (1)"]),
        ("Met Mira Lang's sister Ida Maes.", "Mira Lang", ["sister: Ida Maes (1)"]),
        ("Dinner at Mira Lang's brother Uwe's place.", "Mira Lang", ["brother: Uwe (1)"]),
        ("Mira Lang's dog Monday appointment.", "Mira Lang", []),
    ],
)
def test_names_of_both_persons_have_no_word_too_many(text: str, name: str, found: list[str], tmp_path: Path) -> None:
    assert relations(tmp_path, {"diary.md": f"{text}\n\nMira Lang sang.\n"}, name) == found


def test_a_page_of_two_people_tells_nothing_of_one_of_them(tmp_path: Path) -> None:
    notes = {"people/Isla + Fergus.md": "# Isla\n\nIsla rang. Lives in Govanhill. Husband Fergus drives.\n"}
    assert relations(tmp_path, notes, "Isla") == []


def test_a_note_has_those_of_whom_it_is_about(tmp_path: Path) -> None:
    with linked_notes(tmp_path, {"people/marta.md": MARTA, "other.md": "# Other\n\nA fern.\n"}) as store:
        documents = {title: node for node, title in store.rows("SELECT id, title FROM documents")}
        labels = [one.label for one in note_page(store, documents["Marta Oliveira"]).relations]
        assert labels == ["employer", "lives in", "works at", "husband", "brother", "birthday"]
        assert note_page(store, documents["Other"]).relations == ()


def test_a_hostile_page_is_quick(tmp_path: Path) -> None:
    text = f"# Eve Adams\n\n{'Sister ' * 3000}\n\n{'Eve Adams (' * 2000}\n\n{'A' * 20000}: {'B ' * 9000}\n"
    started = time.process_time()
    relations(tmp_path, {"people/eve.md": text}, "Eve Adams")
    assert time.process_time() - started < 30
