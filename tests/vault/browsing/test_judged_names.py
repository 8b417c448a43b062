"""Which capitalised words are shown as names, in notes of several languages."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from helpers.linked_notes import linked_notes

from noderag_local.config import load_settings
from noderag_local.domain.graph import EntityKind
from noderag_local.vault.browsing.catalogue import EntityCatalogue
from noderag_local.vault.browsing.judged_names import JUDGED, judged_names
from noderag_local.vault.vault import Vault

Opened = Callable[[Mapping[str, str]], Vault]

ENGLISH = {
    "2024-03-01.md": "Swept the yard with Ines Calder.\n\nVenue: the boat house.\n\n- Call Ines Calder about the oars\n",
    "2024-03-02.md": "Swept again.\n\nVenue: the pier.\n\nInes Calder came late, as did Tom.\n",
    "2024-03-03.md": "Swept nothing.\n\nVenue: at home.\n\nTom brought soup. Met Ines Calder on the way.\n",
}
GERMAN = {
    "2024-05-01.md": "Gefegt und geputzt.\n\nRuf Hanna Voss zurück.\n\nStimmung: gut.\n",
    "2024-05-02.md": "Gefegt, dann mit Hanna Voss nach Lindau gefahren.\n\nStimmung: müde.\n",
    "2024-05-03.md": "Gefegt, obwohl Hanna Voss nicht kam.\n\nStimmung: besser.\n",
}


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    def vault_of(notes: Mapping[str, str]) -> Vault:
        folder = tmp_path / "notes"
        for path, text in notes.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        vault = Vault(tmp_path / "vault", load_settings(models_dir=tmp_path / "none"))
        vault.index([folder])
        return vault

    return vault_of


def names_in(catalogue: EntityCatalogue) -> dict[str, int]:
    """Sentences with each name, in the order of the list, without words, tags and dates."""
    rows = filter(catalogue.is_name, range(len(catalogue)))
    return {catalogue.names[row]: int(catalogue.mentions[row]) for row in rows}


@pytest.mark.parametrize(
    ("notes", "names", "words"),
    [(ENGLISH, ["Ines Calder", "Tom"], {"Swept", "Venue"}), (GERMAN, ["Hanna Voss", "Lindau"], {"Gefegt", "Stimmung"})],
)
def test_words_that_only_open_sentences_or_label_lines_are_no_names(
    opened: Opened, notes: Mapping[str, str], names: list[str], words: set[str]
) -> None:
    with opened(notes) as vault:
        catalogue = vault.atlas.entities()
        told = names_in(catalogue)
        assert list(told)[: len(names)] == names
        assert not words & told.keys()
        assert words <= set(catalogue.names), "they are found as one types them"
        assert all(catalogue.entity(row).kind is EntityKind.NAME for row in catalogue.matching(names[0]))


def test_a_name_behind_the_word_that_opens_its_sentence_counts_for_the_name(opened: Opened) -> None:
    with opened(ENGLISH) as vault:
        catalogue = vault.atlas.entities()
        told = names_in(catalogue)
        assert told["Ines Calder"] == 4
        assert "Call Ines Calder" not in told
        (row,) = catalogue.matching("call ines calder")
        assert catalogue.names[row] == "Ines Calder"
        page = vault.atlas.entity(catalogue.entity(row).node)
        assert page.all_mentions == 4
        assert not any("Calder" in near.name for near in page.near)


def test_a_german_verb_in_front_of_a_name_does_not_belong_to_it(opened: Opened) -> None:
    with opened(GERMAN) as vault:
        assert names_in(vault.atlas.entities())["Hanna Voss"] == 3


@pytest.mark.parametrize(
    "text",
    [
        "Mira opened the door.\n\nSo said Mira.\n",
        "Mira opened the door (with Mira's key, of course).\n",
        "Mira opened the door.\n\nbread -> Mira\n",
        "---\naliases: [Mira]\n---\n\nMira opened the door.\n",
        "Mira opened the door. See [[Mira]].\n",
        "# Mira\n\nMira opened the door.\n",
    ],
    ids=["inside a sentence", "in parentheses", "behind an arrow", "alias", "link", "title"],
)
def test_one_sign_is_enough_for_a_name(opened: Opened, text: str) -> None:
    with opened({"door.md": text}) as vault:
        assert "Mira" in names_in(vault.atlas.entities())


def test_a_word_that_is_mostly_written_small_is_no_name(opened: Opened) -> None:
    text = "Copper everywhere.\n\nThe Copper was dear.\n\nMore copper came.\n\nWe sold copper and Copper, and copper.\n"
    with opened({"a.md": text}) as vault:
        assert "Copper" not in names_in(vault.atlas.entities())


def test_a_column_of_a_table_with_names_beside_words_tells_names(opened: Opened) -> None:
    rows = "leak in the bath,Yusra,95\nnew lamp,Yusra,40\nfence,Otto,12\n"
    with opened({"repairs.csv": f"what,who,amount\n{rows}", "a.md": "Yusra is quick.\n"}) as vault:
        assert "Yusra" in names_in(vault.atlas.entities())


def test_german_nouns_are_no_names_though_they_have_capitals(opened: Opened) -> None:
    notes = {
        "a.md": "Ich war im Garten und habe den Apfelbaum geschnitten.\n\nAbends kam Jorun vorbei.\n",
        "b.md": "Der Apfelbaum im Garten blüht. Ich habe Jorun und Apfelbaum fotografiert.\n",
    }
    with opened(notes) as vault:
        assert list(names_in(vault.atlas.entities())) == ["Jorun"]


def test_headings_with_a_capital_at_each_word_tell_nothing(opened: Opened) -> None:
    notes = {f"{n}.md": f"# Week {n}\n\n## Things Rinsed\n\nRinsed the jars.\n" for n in range(3)}
    with opened(notes) as vault:
        assert "Rinsed" not in names_in(vault.atlas.entities())


def test_dated_notes_of_a_project_count_for_the_project(opened: Opened) -> None:
    notes = {f"{day}.md": f"# Quince: minutes of {day} May\n\nAll went well.\n" for day in range(1, 5)}
    with opened({**notes, "quince.md": "# Project Quince\n\nIt began in May.\n"}) as vault:
        told = names_in(vault.atlas.entities())
        assert "Project Quince" in told
        assert not any("minutes" in name for name in told)


def test_names_with_a_colon_are_not_compared_with_every_note(tmp_path: Path) -> None:
    places = [f"Place {number}" for number in range(JUDGED // 2)]
    names = [*places, *(f"Topic {number}: {letter}" for number in range(JUDGED // 4) for letter in "ab")]
    none = np.empty(0, np.int64)
    with linked_notes(tmp_path, {"a.md": "\n\n".join(f"[[{place}]]" for place in places)}) as store:
        started = time.process_time()
        judged = judged_names(store, dict(enumerate(names, 1)), [(none, none)])
        assert time.process_time() - started < 1
    assert len(judged.noted) == len(places)


def test_the_margin_of_a_note_lists_names_and_no_tags_or_words(opened: Opened) -> None:
    text = "---\ntags: [person]\n---\n\nSwept with Ines Calder.\n\nCall Ines Calder.\n"
    with opened({"a.md": text}) as vault:
        page = vault.atlas.note(vault.atlas.note_at(str(vault.atlas.library().documents[0].path), 0))
        assert [(one.name, one.together) for one in page.entities] == [("Ines Calder", 2)]
