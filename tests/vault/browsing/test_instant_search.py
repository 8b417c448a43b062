"""What names, words and filters find, in which order."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from helpers.browsable_notes import write_notes
from helpers.small_documents import add, document

from noderag_local.config import load_settings
from noderag_local.domain.errors import NotFound
from noderag_local.domain.passages import Retrieval, Source
from noderag_local.retrieval.search_line import read_search_line
from noderag_local.storage.database.store import Store
from noderag_local.text.dates.days import Days
from noderag_local.vault.browsing.instant_search import (
    MOST_OF_ONE,
    HitKind,
    InstantSearch,
    SearchHit,
    SearchHits,
)
from noderag_local.vault.vault import Vault


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Notes about people, and three more with titles; none of their files exists."""
    with Store.open(tmp_path / "vault", write=True) as store:
        write_notes(store)
        add(
            store,
            document("/notes/trips/lisbon.md", ("We went to Porto by train.",), title="Lisbon"),
            document("/notes/trips/porto.pdf", ("The room was small.",), title="Porto"),
            document("/notes/café.md", *[(f"Porto again, {number}.",) for number in range(9)], title="Café Pórto"),
        )
    return tmp_path / "vault"


def found(folder: Path, line: str) -> SearchHits:
    with Vault(folder, load_settings(models_dir=folder / "none")) as vault:
        return vault.atlas.instant_search().find(read_search_line(line))


def told(hits: SearchHits) -> list[str]:
    return [f"{hit.kind} {hit.name}" for hit in hits.hits]


def test_a_title_that_is_typed_comes_first_then_names_then_passages(folder: Path) -> None:
    lines = told(found(folder, "porto"))
    assert lines[:3] == ["title Porto", "name Porto", "title Café Pórto"]
    assert "text Lisbon" in lines[3:]
    assert lines == told(found(folder, "porto"))


def test_an_alias_finds_its_document_and_is_named(folder: Path) -> None:
    hits = found(folder, "other").hits
    assert {hit.alias for hit in hits if hit.kind is HitKind.TITLE} == {"other name"}


def test_words_find_what_begins_with_them_in_any_order(folder: Path) -> None:
    (hit,) = [hit for hit in found(folder, "repa bicyc tomasz").hits if hit.kind is HitKind.TEXT]
    assert hit.source is not None
    assert hit.source.text == "Tomasz Nowak repaired the bicycle in Porto."
    assert (hit.path, hit.source.path) == ("/notes/bicycle.md", "/notes/bicycle.md")


def test_one_document_does_not_fill_the_list(folder: Path) -> None:
    hits = found(folder, "porto again").hits
    assert sum(hit.kind is HitKind.TEXT for hit in hits) == MOST_OF_ONE


def test_an_empty_line_lists_the_documents_that_changed_last(folder: Path) -> None:
    hits = found(folder, "")
    assert hits.documents == len(hits.hits) == 6
    assert {hit.kind for hit in hits.hits} == {HitKind.CHANGED}


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("kind:pdf", {"Porto"}),
        ("folder:/notes/trips", {"Lisbon", "Porto"}),
        ("folder:trips kind:md", {"Lisbon"}),
        ("folder:trips porto", {"Lisbon", "Porto"}),
        ("since:2025-03 until:2025-03", {"2025-03-05 ghent.md"}),
        ("kind:docx", set()),
    ],
)
def test_filters_keep_what_they_name(folder: Path, line: str, names: set[str]) -> None:
    assert {hit.name for hit in found(folder, line).hits} == names


def test_a_folder_that_no_document_lies_in_is_an_error_that_tells_what_there_is(folder: Path) -> None:
    with pytest.raises(NotFound, match="No indexed document lies in nowhere"):
        found(folder, "folder:nowhere")


@pytest.mark.parametrize("line", ["'\"", "*", "( OR", "\x00", "x" * 10_000, "界", "AND NOT", "a" * 3 + " b" * 500])
def test_nothing_that_is_typed_fails(folder: Path, line: str) -> None:
    assert isinstance(found(folder, line), SearchHits)


def test_passages_by_meaning_are_filtered_and_not_listed_twice(folder: Path) -> None:
    with Vault(folder, load_settings(models_dir=folder / "none")) as vault:
        search = vault.atlas.instant_search()
        line = read_search_line("kind:md train")
        (hit,) = [one for one in search.find(line).hits if one.kind is HitKind.TEXT]
        assert hit.source is not None
        other = replace(hit.source, path="/notes/bicycle.md")
        pdf = replace(hit.source, path="/notes/trips/porto.pdf")
        gone = replace(hit.source, path="/notes/gone.md")
        by_meaning = search.by_meaning(retrieval(hit.source, other, pdf, gone), line, [hit])
    assert [one.path for one in by_meaning] == ["/notes/bicycle.md"]


def retrieval(*sources: Source) -> Retrieval:
    return Retrieval("noderag", "train", 1000, "", 0, sources, (), (), 0.0)


def test_a_hit_has_the_day_of_its_file(folder: Path) -> None:
    (hit,) = [hit for hit in found(folder, "ghent").hits if hit.path.startswith("/notes/2025") and hit.source is None]
    assert isinstance(hit, SearchHit)
    assert (str(hit.day), hit.day_told) == ("2025-03-05", "2025-03-05")


@pytest.mark.parametrize(
    ("days", "told"),
    [
        (Days(date(2025, 7, 1), date(2025, 7, 31)), "2025-07"),
        (Days(date(2025, 1, 1), date(2025, 12, 31)), "2025"),
        (Days(date(2025, 7, 7), date(2025, 7, 13)), "2025-07-13"),
        (None, ""),
    ],
)
def test_a_month_is_told_as_one(days: Days | None, told: str) -> None:
    assert SearchHit(HitKind.TITLE, 1, "July", 0, days=days).day_told == told


def test_the_same_search_is_given_until_the_vault_changes(folder: Path) -> None:
    with Vault(folder, load_settings(models_dir=folder / "none")) as vault:
        before = vault.atlas.instant_search()
        assert isinstance(before, InstantSearch)
        assert vault.atlas.instant_search() is before
        with Store.open(folder, write=True) as store:
            add(store, document("/notes/new.md", ("A new note.",), title="Brandnew"))
        assert told(vault.atlas.instant_search().find(read_search_line("brandnew")))[0] == "title Brandnew"
