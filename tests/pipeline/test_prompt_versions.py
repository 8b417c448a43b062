"""An edited prompt makes the work of its own stage stale, and of no other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.linked_notes import linked_notes
from pipeline.toy_stages import Portraits, ToyEngine, Units, fill

from noderag_local.interfaces.cli.notes.enrich_view import estimate_lines
from noderag_local.models.llm import prompt_files
from noderag_local.pipeline.budget import Budget
from noderag_local.pipeline.enrichment import enrich
from noderag_local.pipeline.forecast import estimate
from noderag_local.pipeline.plan import LAYERS, Part, plan, stages_of
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.own_schema import statements_of
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.llm_cache import CachedText, LlmCache
from noderag_local.storage.graph.work_items import WorkItem, WorkItemRows


@pytest.fixture
def notes(tmp_path: Path) -> Iterator[Store]:
    with linked_notes(tmp_path, {"ann.md": "# Ann\n\nAnn lives in Oslo.\n"}) as opened:
        yield opened


def versions() -> dict[str, str]:
    """Returns the prompt version of each stage of all layers."""
    parts = [part for layer in LAYERS for part in plan(pytest.fail, layer)]  # type: ignore[arg-type]
    return {stage.name: stage.prompt_version for stage in stages_of(parts)}


@pytest.mark.parametrize(
    ("room", "name", "stages"),
    [
        ("extraction.statements", "statements", {"decompose"}),
        ("graph.summaries", "attribute", {"attributes"}),
        ("graph.summaries", "element", {"elements"}),
        ("papers.lightrag", "entity_profile", {"profiles"}),
        ("papers.lightrag", "relationship_profile", {"profiles"}),
        ("papers.archrag", "attributed", {f"arch-level-{level}" for level in range(1, 5)}),
    ],
)
def test_a_word_of_a_prompt_changes_the_version_of_its_stages_alone(
    room: str, name: str, stages: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, real = versions(), prompt_files.prompt_file
    monkeypatch.setattr(
        prompt_files, "prompt_file", lambda *asked: real(*asked) + " Be brief." * (asked == (room, name))
    )
    try:
        prompt_files.prompt_version.cache_clear()
        after = versions()
    finally:
        prompt_files.prompt_version.cache_clear()
    assert {stage for stage in before if before[stage] != after[stage]} == stages


def test_only_the_stage_of_the_edited_prompt_is_done_again(store: Store, tmp_path: Path) -> None:
    before: list[Part] = [Units(version="1"), Portraits()]
    enrich(store, before, ToyEngine(), Budget())
    after: list[Part] = [Units(version="2"), Portraits()]
    told = estimate(store, after, ToyEngine(), Budget())
    assert [(stage.items, stage.outdated) for stage in told.stages] == [(12, 12), (0, 0)]
    assert any(
        "12 of them again, because the prompt or a setting has changed" in line
        for line in estimate_lines(told, Budget())
    )
    kept = Budget(keep_old=True)
    assert [stage.items for stage in estimate(store, after, ToyEngine(), kept).stages] == [0, 0]
    waiting = ToyEngine()
    assert enrich(store, after, waiting, kept).stages[0].left == 12
    assert waiting.calls == []
    engine = ToyEngine()
    report = enrich(store, after, engine, Budget())
    assert (report.stages[0].calls, report.stages[1].calls, report.stages[0].left) == (12, 0, 0)
    with Store.open(tmp_path / "fresh", write=True) as fresh:
        fill(fresh, 12)
        enrich(fresh, after, ToyEngine(), Budget())
        assert digest(store) == digest(fresh)


def test_what_the_first_prompt_made_is_not_made_again(notes: Store) -> None:
    (node,) = (number for (number,) in notes.rows("SELECT id FROM chunks"))
    WorkItemRows(notes).put("decompose", node, WorkItem("model", "1", "hash", "done", "", 1, 0))
    LlmCache(notes).put("model", "decompose 1", "hash", CachedText("1 Ann | lives in | Oslo", 9, 9))
    with notes.transaction():
        for statement in statements_of("prompt_versions.sql"):
            notes.run(statement)
    version = versions()["decompose"]
    assert WorkItemRows(notes).state("decompose")[node].prompt == version
    assert LlmCache(notes).get("model", f"decompose {version}", "hash") is not None
