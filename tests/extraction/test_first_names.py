"""Whose first name a single word is: where the notes make it sure it is read as the person, else it is offered or left alone."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from helpers.changing_notes import fresh_digest, index, indexed
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from noderag_local.domain.graph import NodeType
from noderag_local.extraction.same_names.first_names import FirstName, people_names
from noderag_local.extraction.same_names.merging import decide
from noderag_local.retrieval.graph_arrays import read_graph_arrays
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.merged_names import MergedNames
from noderag_local.storage.vectors.vector_index import VectorIndex
from noderag_local.vault.browsing.same_names import merged_list, offered_pairs

KARIM = "people/Karim Haddad.md", "# Karim Haddad\n\nWorks in Graz.\n"
DIARY = "daily/one.md", "We met Karim at the lake.\n\nYesterday Karim slept.\n"
NOTES = dict([KARIM, DIARY])


def write(folder: Path, notes: Mapping[str, str]) -> Path:
    for name, text in notes.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


@contextmanager
def vault_of(tmp_path: Path, notes: Mapping[str, str]) -> Iterator[Store]:
    with indexed(tmp_path / "vault", write(tmp_path / "notes", notes)) as store:
        yield store


def read_as(store: Store, key: str) -> str:
    """The name that stands for an entity."""
    node = GraphRows(store).find(NodeType.ENTITY, [key])[key]
    return GraphRows(store).names([MergedNames(store).stands_for(node)])[0]


def offered(store: Store) -> set[frozenset[str]]:
    kinds = (NodeType.SENTENCE, NodeType.TEXT, NodeType.RELATIONSHIP)
    arrays = read_graph_arrays(store, *(VectorIndex.open(store, kind) for kind in kinds))
    return {frozenset((pair.first.name, pair.second.name)) for pair in offered_pairs(store, arrays)}


def test_a_first_name_is_the_person_who_has_a_note_and_the_full_name_stands_for_both(tmp_path: Path) -> None:
    with vault_of(tmp_path, NOTES) as store:
        assert read_as(store, "karim") == "Karim Haddad", "although the notes say Karim more often"
        ((_, name, others),) = [(one.node, one.name, one.others) for one in merged_list(store)]
        assert (name, [(other.name, other.why) for other in others]) == ("Karim Haddad", [("Karim", "first name")])
        assert offered(store) == set()


@pytest.mark.parametrize(
    "note",
    [
        ("notes/haddad.md", "---\ntags: [person]\n---\n# Karim Haddad\n\nWorks in Graz.\n"),
        ("Personen/Karim Haddad.md", "Arbeitet in Graz.\n"),
        ("люди/haddad.md", "# Karim Haddad\n\nWorks in Graz.\n"),
    ],
)
def test_a_note_is_about_a_person_by_its_folder_or_its_tag(tmp_path: Path, note: tuple[str, str]) -> None:
    with vault_of(tmp_path, dict([note, DIARY])) as store:
        assert read_as(store, "karim") == "Karim Haddad"


@pytest.mark.parametrize(
    "notes",
    [
        dict([("Karim Haddad.md", KARIM[1]), DIARY]),
        NOTES | {"people/Karim Weber.md": "# Karim Weber\n\nLives in Bern.\n"},
        NOTES | {"daily/two.md": "At noon we met Karim Weber in Bern.\n"},
        NOTES | {"daily/two.md": "At noon we met Sarah Karim in Bern.\n"},
        NOTES | {"places/Karim.md": "# Karim\n\nA village.\n"},
        NOTES | {"daily/two.md": "We spent the night in Karim and went on.\n"},
        NOTES | {"daily/two.md": "We had karim for dinner.\n"},
    ],
    ids=["no person's note", "two notes", "a namesake", "a surname", "a place's note", "a place", "a common word"],
)
def test_a_first_name_that_may_mean_something_else_stays_alone(tmp_path: Path, notes: Mapping[str, str]) -> None:
    with vault_of(tmp_path, notes) as store:
        assert read_as(store, "karim") == "Karim"
        assert not any(pair.sure for pair in people_names(store).first_names)


def test_people_are_known_in_a_folder_of_any_name_and_first_names_may_have_two_parts(tmp_path: Path) -> None:
    names = ("Karim Haddad", "Jean-Guy Villeneuve", "Noemí Villagra", "Rosa Mensah")
    notes = {f"agenda/{name}.md": "Works in Graz.\n" for name in names}
    diary = {"daily/one.md": "We met Karim at the lake.\n\nAt noon Jean-Guy came as well.\n"}
    with vault_of(tmp_path, notes | diary) as store:
        assert [read_as(store, key) for key in ("karim", "jean-guy")] == ["Karim Haddad", "Jean-Guy Villeneuve"]


def test_a_title_with_the_surname_in_front_is_the_person_whom_the_notes_call_the_other_way(tmp_path: Path) -> None:
    notes = {"people/Haddad Karim.md": "Works in Graz.\n", "daily/two.md": "We met Karim Haddad.\n"} | dict([DIARY])
    with vault_of(tmp_path, notes) as store:
        assert [read_as(store, key) for key in ("haddad karim", "karim")] == ["Karim Haddad", "Karim Haddad"]
        ((others),) = [one.others for one in merged_list(store)]
        assert {(other.name, other.why) for other in others} == {
            ("Haddad Karim", "surname in front"),
            ("Karim", "first name"),
        }


def test_a_file_with_the_surname_in_front_and_a_title_that_has_it_behind(tmp_path: Path) -> None:
    notes = {"people/Haddad Karim.md": "# Karim Haddad\n\nWorks in Graz.\n"} | dict([DIARY])
    with vault_of(tmp_path, notes) as store:
        assert read_as(store, "karim") == "Karim Haddad"


def test_a_comma_behind_the_surname_and_the_first_letter_of_a_surname(tmp_path: Path) -> None:
    notes = {
        "cards/Haddad, Karim.md": "# HADDAD, Karim (K.H.)\n\nWorks in Graz.\n",
        "cards/Weber, Rosa.md": "# WEBER, Rosa (R.W.)\n\nWorks in Graz.\n",
        "cards/Mensah, Ana.md": "# MENSAH, Ana (A.M.)\n\nWorks in Graz.\n",
        "cards/Mohr, Ana.md": "# MOHR, Ana (A.Mo.)\n\nWorks in Graz.\n",
        "daily/two.md": "We met Karim Haddad.\n\nSupper with Karim H. at noon.\n\nWe met Ana Mohr, Ana Mensah and Ana M. there.\n",
    } | dict([DIARY])
    with vault_of(tmp_path, notes) as store:
        assert [read_as(store, key) for key in ("karim", "karim h")] == ["Karim Haddad", "Karim Haddad"]
        assert read_as(store, "ana m") not in ("Ana Mensah", "Ana Mohr")


def test_the_first_letter_of_a_surname_may_be_that_of_somebody_without_a_note(tmp_path: Path) -> None:
    notes = NOTES | {"daily/two.md": "Karim Hoffmann is our new accountant. Karim H. was late today.\n"}
    with vault_of(tmp_path, notes) as store:
        assert read_as(store, "karim h") == "Karim H"


def test_a_title_that_the_notes_use_is_not_turned(tmp_path: Path) -> None:
    notes = {
        "people/Martin James.md": "Works in Graz.\n",
        "daily/two.md": "At noon we met Martin James.\n\nAt night we met James Martin.\n",
    }
    with vault_of(tmp_path, notes) as store:
        assert read_as(store, "martin james") != read_as(store, "james martin")


def test_a_word_before_several_first_names_makes_none_of_them_a_surname(tmp_path: Path) -> None:
    notes = NOTES | {
        "people/Rosa Mensah.md": "# Rosa Mensah\n\nWorks in Graz.\n",
        "daily/two.md": "Llamó Karim.\n\nLlamó Rosa.\n\nWe met Rosa.\n",
    }
    with vault_of(tmp_path, notes) as store:
        assert [read_as(store, key) for key in ("karim", "rosa")] == ["Karim Haddad", "Rosa Mensah"]


def test_an_everyday_word_is_no_first_name(tmp_path: Path) -> None:
    notes = {"people/Hope Miller.md": "# Hope Miller\n\nWorks in Graz.\n", "daily/one.md": "At noon we met Hope.\n"}
    with vault_of(tmp_path, notes) as store:
        assert people_names(store).first_names == [FirstName("hope", "hope miller", False)]


def test_a_form_of_address_is_no_first_name(tmp_path: Path) -> None:
    notes = {"people/Oma Gerda.md": "# Oma Gerda\n\nWorks in Graz.\n", "daily/one.md": "At noon we met Oma again.\n"}
    with vault_of(tmp_path, notes) as store:
        assert people_names(store).first_names == []


def test_where_two_people_share_a_first_name_both_are_offered(tmp_path: Path) -> None:
    with vault_of(tmp_path, NOTES | {"people/Karim Weber.md": "# Karim Weber\n\nLives in Bern.\n"}) as store:
        assert offered(store) == {frozenset(("Karim", "Karim Haddad")), frozenset(("Karim", "Karim Weber"))}
        assert decide(store, "Karim", "Karim Weber", True)
        assert read_as(store, "karim") == read_as(store, "karim weber") != read_as(store, "karim haddad")


def test_what_is_the_first_name_s_own_is_no_other_use(tmp_path: Path) -> None:
    notes = NOTES | {
        "daily/two.md": "# Call with Karim\n\nWe ate in Karim's kitchen, and Karim Haddad's sister came.\n",
        "recipes/soup.md": "# Soup\n\nMade in [[Karim Haddad]]'s kitchen.\n",
    }
    with vault_of(tmp_path, notes) as store:
        assert read_as(store, "karim") == "Karim Haddad"


def test_a_person_s_decision_goes_before_the_rule(tmp_path: Path) -> None:
    with vault_of(tmp_path, NOTES) as store:
        before = digest(store)
        assert not decide(store, "Karim", "Karim Haddad", False)
        assert read_as(store, "karim") == "Karim"
        assert offered(store) == set()
        write(tmp_path / "notes", {"daily/two.md": "At noon Karim came.\n"})
        index(store, tmp_path / "notes")
        assert read_as(store, "karim") == "Karim"
        (tmp_path / "notes" / "daily/two.md").unlink()
        index(store, tmp_path / "notes")
        assert decide(store, "Karim", "Karim Haddad", None)
        assert digest(store) == before


def test_the_note_that_made_it_sure_takes_it_back_when_it_goes_or_moves(tmp_path: Path) -> None:
    with vault_of(tmp_path, NOTES) as store:
        notes = tmp_path / "notes"
        (notes / "archive").mkdir()
        (notes / KARIM[0]).rename(notes / "archive/Karim Haddad.md")
        index(store, notes)
        assert read_as(store, "karim") == "Karim"
        (notes / "archive/Karim Haddad.md").rename(notes / KARIM[0])
        index(store, notes)
        assert read_as(store, "karim") == "Karim Haddad"
        (notes / KARIM[0]).unlink()
        index(store, notes)
        assert read_as(store, "karim") == "Karim"
        assert digest(store) == fresh_digest(tmp_path / "fresh", notes)


CHANGES = (
    KARIM,
    ("people/Karim Weber.md", "# Karim Weber\n\nLives in Bern.\n"),
    ("people/Ana de Sousa.md", "---\naliases: [Anita]\n---\nAna de Sousa met Karim.\n"),
    ("daily/two.md", "At noon we met Ana, and Karim slept.\n"),
    ("daily/three.md", "We spent the night in Ana and ate karim.\n"),
    ("places/Ana.md", "# Ana\n\nA village.\n"),
)


@settings(max_examples=12, deadline=None, phases=(Phase.explicit, Phase.generate))
@given(st.lists(st.sampled_from(range(len(CHANGES))), min_size=3, max_size=7))
def test_whatever_came_and_went_the_present_notes_alone_decide(places: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        notes = write(Path(folder) / "notes", dict([DIARY]))
        with indexed(Path(folder) / "vault", notes) as store:
            for name, text in (CHANGES[place] for place in places):
                if (notes / name).exists():
                    (notes / name).unlink()
                else:
                    write(notes, {name: text})
                index(store, notes)
            assert digest(store) == fresh_digest(Path(folder) / "fresh", notes)
