"""What a change costs the language model: what says something else now is asked about, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from helpers.changing_notes import WordVectors, index, indexed

from noderag_local.domain.graph import NodeType
from noderag_local.models.llm.engine import Request
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.pipeline.budget import Budget
from noderag_local.pipeline.enrichment import enrich
from noderag_local.pipeline.plan import plan
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows

PEOPLE = ("Ada Quimby", "Ben Okafor", "Cleo Marsh", "Dora Lindt", "Emil Brandt", "Fay Oduya", "Gus Weiss", "Ina Kolb")
NUMBERED = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)
NAME = re.compile(r"[A-Z]\w+ [A-Z]\w+")


def answered(request: Request) -> str:
    """A statement of the names that follow each other in a sentence; of anything else, what was read."""
    asked = request.messages[-1].content
    lines = [
        f"{number} {one} | met | {other}"
        for number, sentence in NUMBERED.findall(asked)
        for one, other in pairwise(NAME.findall(sentence))
    ]
    return "\n".join(lines) or asked[-300:]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for place, (one, other) in enumerate(pairwise(PEOPLE)):
        (folder / f"note{place}.md").write_text(
            f"{one} met {other} in the orchard. {other} wrote to {one} about pears.\n", encoding="utf-8"
        )
    return folder


@pytest.fixture
def store(tmp_path: Path, notes: Path) -> Iterator[Store]:
    with indexed(tmp_path / "vault", notes) as opened:
        yield opened


def asked(store: Store) -> list[str]:
    """What the model is asked until nothing is left to do."""
    engine = ScriptedEngine(reply=answered)
    assert enrich(store, plan(WordVectors), engine, Budget()).is_complete
    return [request.messages[-1].content for request in engine.history]


def test_a_changed_note_is_read_again_and_no_other(store: Store, notes: Path) -> None:
    before = asked(store)
    assert sum(bool(NUMBERED.search(one)) for one in before) == len(PEOPLE) - 1
    changed = "Cleo Marsh met Dora Lindt at the harbour. Dora Lindt sold her boat.\n"
    (notes / "note2.md").write_text(changed, encoding="utf-8")
    index(store, notes)
    after = asked(store)
    assert [one for one in after if NUMBERED.search(one)] != []
    assert all("harbour" in one for one in after if NUMBERED.search(one))
    assert sum(bool(NUMBERED.search(one)) for one in after) == 1
    assert not set(after) & set(before)


def test_a_name_that_the_model_alone_has_found_goes_with_its_note(store: Store, notes: Path) -> None:
    def found(request: Request) -> str:
        return "1 Quirin | hides | the brown ledger" if "Quirin" in request.messages[-1].content else answered(request)

    assert enrich(store, plan(WordVectors), ScriptedEngine(reply=found), Budget()).is_complete
    before = digest(store)
    (notes / "quirin.md").write_text("Quirin hides the brown ledger.\n", encoding="utf-8")
    index(store, notes)
    assert enrich(store, plan(WordVectors), ScriptedEngine(reply=found), Budget()).is_complete
    assert "brown ledger" in GraphRows(store).nodes_of(NodeType.ENTITY)[1]
    (notes / "quirin.md").unlink()
    index(store, notes)
    assert "brown ledger" not in GraphRows(store).nodes_of(NodeType.ENTITY)[1]
    assert enrich(store, plan(WordVectors), ScriptedEngine(reply=found), Budget()).is_complete
    assert digest(store) == before


def test_a_moved_note_costs_nothing(store: Store, notes: Path) -> None:
    asked(store)
    (notes / "old").mkdir()
    (notes / "note2.md").replace(notes / "old/note2.md")
    assert index(store, notes).moved == 1
    assert asked(store) == []


def test_a_new_note_is_read_alone(store: Store, notes: Path) -> None:
    before = asked(store)
    (notes / "new.md").write_text("Hal Jonson met Ivy Stone at the mill.\n", encoding="utf-8")
    index(store, notes)
    after = asked(store)
    assert [one for one in after if NUMBERED.search(one)] == [one for one in after if "the mill" in one][:1]
    assert not set(after) & set(before)
