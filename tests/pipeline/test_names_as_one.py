"""What it costs the language model that two names are read as one, and that they are not any more."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from helpers.changing_notes import WordVectors, index, indexed
from pipeline.test_changed_notes import NUMBERED, PEOPLE, answered, asked

from noderag_local.extraction.same_names.merging import decide
from noderag_local.models.llm.engine import Request
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.pipeline.budget import Budget
from noderag_local.pipeline.enrichment import enrich
from noderag_local.pipeline.plan import plan
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.merged_names import NameRows

ONE, OTHER = "Ben Okafor", "Gus Weiss"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Notes enough that several people are worth a portrait."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for place, (one, other) in enumerate(pairwise(PEOPLE)):
        said = [f"{one} met {other} in the orchard.", *(f"{one} sold {other} {boats} boats." for boats in (3, 4, 5))]
        for number, sentence in enumerate(said):
            (folder / f"note{place}-{number}.md").write_text(f"{sentence}\n", encoding="utf-8")
    return folder


@pytest.fixture
def store(tmp_path: Path, notes: Path) -> Iterator[Store]:
    with indexed(tmp_path / "vault", notes) as opened:
        yield opened


def portraits(requests: list[str]) -> list[str]:
    """Whom the model is asked to describe."""
    return [asked.partition("\n")[0] for asked in requests if asked.startswith("Name: ")]


def test_one_portrait_is_written_anew_and_no_note_is_read_again(store: Store) -> None:
    before = portraits(asked(store))
    assert len(before) > 2
    assert f"Name: {OTHER}" in before
    decide(store, ONE, OTHER, True)
    merged = asked(store)
    assert portraits(merged) in ([f"Name: {OTHER} (also {ONE})"], [f"Name: {ONE} (also {OTHER})"])
    assert not any(map(NUMBERED.search, merged))
    assert asked(store) == []


def test_undone_the_vault_says_what_it_said_before(store: Store) -> None:
    asked(store)
    before = digest(store)
    decide(store, ONE, OTHER, True)
    asked(store)
    decide(store, ONE, OTHER, None)
    undone = asked(store)
    assert set(portraits(undone)) <= {f"Name: {ONE}", f"Name: {OTHER}"}
    assert not any(map(NUMBERED.search, undone))
    assert digest(store) == before


def test_it_is_no_matter_whether_they_were_one_from_the_start(store: Store, notes: Path, tmp_path: Path) -> None:
    asked(store)
    decide(store, ONE, OTHER, True)
    asked(store)
    with Store.open(tmp_path / "fresh", write=True) as fresh:
        index(fresh, notes)
        decide(fresh, ONE, OTHER, True)
        asked(fresh)
        assert digest(fresh) == digest(store)


def test_a_decision_on_a_name_that_the_model_alone_has_found_is_back_when_it_finds_it_again(
    store: Store, notes: Path
) -> None:
    def found(request: Request) -> str:
        text = request.messages[-1].content
        return "1 Quirin | hides | the brown ledger" if "1. Quirin" in text else answered(request)

    def read() -> bool:
        """Whether the decision is in force once the model has read everything."""
        index(store, notes)
        assert enrich(store, plan(WordVectors), ScriptedEngine(reply=found), Budget()).is_complete
        return NameRows(store).decided() != ([], [])

    (notes / "quirin.md").write_text("Quirin hides the brown ledger.\n", encoding="utf-8")
    assert not read()
    decide(store, "the brown ledger", "Quirin", False)
    (notes / "quirin.md").write_text("Quirin hides the brown ledger.\n\nIt rains.\n", encoding="utf-8")
    assert read()
