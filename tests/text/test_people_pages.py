"""Which notes are about a person: by the name of the folder, by a tag, or by full names as the titles of nearly all notes in it."""

from __future__ import annotations

import pytest

from noderag_local.text.people_pages import PeoplePages, is_full_name, plain_name

FOUR = ("Damián Núñez", "Noemí Villagra", "Jean-Guy Villeneuve", "Ana de Sousa")


def pages_in(folder: str, *titles: str) -> PeoplePages:
    return PeoplePages((f"{folder}/{number}.md", title) for number, title in enumerate(titles))


@pytest.mark.parametrize("folder", ["agenda", "Carnet d'adresses", "customers"])
def test_a_folder_of_full_names_is_of_people_whatever_it_is_called(folder: str) -> None:
    assert pages_in(folder, *FOUR).has(f"{folder}/Rosa Mensah.md")


def test_members_of_a_family_may_have_the_surname_in_front() -> None:
    assert pages_in("agenda", "Kuster Rahel", "Kuster Stefan", "Räber Verena", "Egli Brigitte").has("agenda/1.md")


def test_a_comma_may_stand_behind_the_surname() -> None:
    titles = ("BLENKIN, Rita (R.B.)", "THIRSK, Len", "Garton, Phil", "de Vries, Anna")
    assert pages_in("muster", *titles).has("muster/1.md")
    assert [plain_name(title) for title in titles[:3]] == ["Rita Blenkin", "Len Thirsk", "Phil Garton"]
    assert plain_name("Salt, pepper and oil (list)") == "Salt, pepper and oil (list)"


def test_one_other_note_among_five_does_no_harm() -> None:
    assert pages_in("agenda", *FOUR, "Varnish").has("agenda/1.md")


@pytest.mark.parametrize(
    "titles",
    [
        FOUR[:3],
        (*FOUR, "Varnish", "Glue and dust"),
        ("Project Basalt", "Project Heron", "Project Wren", "Project Lantern"),
        ("The Long Dune", "Salt Roads", "Anna Karenina", "A Slow Start"),
    ],
    ids=["too few", "with other things", "one first word for all", "books"],
)
def test_other_folders_are_not(titles: tuple[str, ...]) -> None:
    assert not pages_in("notes", *titles).has("notes/1.md")


def test_a_label_tells_it_without_any_names() -> None:
    none = PeoplePages([])
    assert none.has("/home/ana/notes/Leute/jonas.md")
    assert none.has("/home/ana/notes/jonas.md", ["#person"])
    assert not none.has("/home/friends/notes/jonas.md")


@pytest.mark.parametrize(
    ("title", "is_name"),
    [
        ("Ludwig van Beethoven", True),
        ("Karim's birthday", False),
        ("karim haddad", False),
        ("Karim", False),
        ("Room 12", False),
    ],
)
def test_a_full_name(title: str, is_name: bool) -> None:
    assert is_full_name(title) is is_name
