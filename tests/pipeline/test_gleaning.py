"""Gleaning: the model is asked for what it missed, and the graph is the same whatever happened on the way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.linked_notes import edges, linked_notes
from pipeline.toy_stages import ToyEngine

from noderag_local.domain.errors import ModelError, SettingsError
from noderag_local.domain.graph import EdgeType
from noderag_local.extraction.statements.semantic_units import Decomposition
from noderag_local.models.llm.engine import Request
from noderag_local.pipeline.budget import Budget
from noderag_local.pipeline.enrichment import enrich
from noderag_local.pipeline.forecast import estimate
from noderag_local.pipeline.plan import drop_part
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.backup.integrity import integrity
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.llm_cache import LlmCache

NOTES = {
    f"{name.lower()}.md": f"# {name}\n\n{name} lives in {town}. {name} works for {work} and plays chess with {friend}.\n"
    for name, town, work, friend in (
        ("Ann Berg", "Oslo", "Kiln", "Bo Lind"),
        ("Bo Lind", "Turku", "Weir", "Cy Moor"),
        ("Cy Moor", "Porto", "Salt Roads", "Ann Berg"),
    )
}
MORE = "Missed facts:"


def line_by_line(request: Request) -> str:
    """Tells where somebody lives, then where they work, then nothing new."""
    text = request.messages[-1].content
    name, town = text.split("1. ")[1].split(".")[0].split(" lives in ")
    work = text.split(" works for ")[1].split(" and ")[0]
    lives, works = f"1 {name} | lives in | {town}", f"2 {name} | works for | {work}"
    return lives if MORE not in text else works if works not in text else lives


@pytest.fixture
def notes(tmp_path: Path) -> Iterator[Store]:
    with linked_notes(tmp_path, NOTES) as opened:
        yield opened


def made_anew(store: Store, rounds: int, width: int = 3, seed: int = 0) -> tuple[str, int]:
    """Drops all that the model found and asks for everything again; the digest and the number of calls."""
    drop_part(store, Decomposition())
    LlmCache(store).sweep()
    engine = ToyEngine(line_by_line, width=width, seed=seed)
    enrich(store, [Decomposition(rounds)], engine, Budget())
    return digest(store), len(engine.calls)


def relationships(store: Store) -> int:
    return len({key for key, _ in edges(store, EdgeType.STATED)})


def test_the_model_sees_its_facts_and_may_write_nothing(notes: Store) -> None:
    stage = Decomposition(2)
    (node, *_) = stage.items(notes)
    first = stage.request(notes, node)
    assert first is not None
    answer = line_by_line(first)
    more = stage.further(notes, node, [answer])
    assert more is not None and more.constraint is not None
    assert more.messages[0] == first.messages[0]
    assert more.messages[1].content.startswith(f"{first.messages[1].content}\n{answer}\n")
    assert more.messages[1].content.endswith(MORE)
    assert more.constraint().may_end(), "a model that missed nothing writes nothing"


def test_rounds_end_with_the_setting_or_with_nothing_new(notes: Store) -> None:
    report = enrich(notes, [Decomposition()], ToyEngine(line_by_line), Budget())
    assert (report.stages[0].calls, report.stages[0].accepted, relationships(notes)) == (3, 3, 3)
    report = enrich(notes, [Decomposition(1)], ToyEngine(line_by_line), Budget())
    assert (report.stages[0].calls, report.stages[0].cached, relationships(notes)) == (3, 3, 6)
    report = enrich(notes, [Decomposition(5)], ToyEngine(line_by_line), Budget())
    assert (report.stages[0].calls, report.stages[0].cached) == (3, 6), (
        "the third round repeats, and a fourth is not asked"
    )
    assert report.stages[0].rejected == 3
    silent = ToyEngine(lambda _: "")
    drop_part(notes, Decomposition())
    assert enrich(notes, [Decomposition(5)], silent, Budget()).stages[0].calls == 0, (
        "what was answered is not asked again"
    )


def test_an_unusable_answer_is_tried_on_half_the_chunk_without_gleaning(notes: Store) -> None:
    def only_halves(request: Request) -> str:
        return "I cannot." if "\n2. " in request.messages[-1].content else "1 Ann Berg | lives in | Oslo"

    engine = ToyEngine(only_halves)
    report = enrich(notes, [Decomposition(3)], engine, Budget())
    assert (report.stages[0].calls, report.stages[0].left) == (6, 0)
    assert not any(MORE in text for text in engine.calls)


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_answers_makes_no_difference(notes: Store, seed: int) -> None:
    assert made_anew(notes, 2, width=1) == made_anew(notes, 2, seed=seed)


def test_a_stopped_run_goes_on_where_it_was(notes: Store) -> None:
    engine = ToyEngine(line_by_line, width=1)
    stopped = enrich(notes, [Decomposition(2)], engine, Budget(), cancelled=lambda: len(engine.calls) > 4)
    assert stopped.stopped and stopped.stages[0].left
    rest = ToyEngine(line_by_line)
    enrich(notes, [Decomposition(2)], rest, Budget())
    assert 0 < len(rest.calls) < 9
    assert (digest(notes), 9) == made_anew(notes, 2)


def test_another_setting_asks_only_what_was_never_asked(notes: Store) -> None:
    enrich(notes, [Decomposition()], ToyEngine(line_by_line), Budget())
    once = digest(notes)
    told = estimate(notes, [Decomposition(1)], ToyEngine(line_by_line), Budget())
    assert (told.stages[0].items, told.stages[0].outdated) == (3, 3)
    assert estimate(notes, [Decomposition(1)], ToyEngine(), Budget(keep_old=True)).stages[0].items == 0
    engine = ToyEngine(line_by_line)
    enrich(notes, [Decomposition(1)], engine, Budget())
    assert len(engine.calls) == 3 and all(MORE in text for text in engine.calls)
    use = LlmCache(notes).use_of_stages()["decompose"]
    assert use.calls == 6
    twice = digest(notes)
    back = ToyEngine(line_by_line)
    enrich(notes, [Decomposition()], back, Budget())
    assert (back.calls, digest(notes)) == ([], once)
    assert all(finding.ok for finding in integrity(notes) if finding.what != "embeddings")
    assert made_anew(notes, 1) == (twice, 6)


def test_an_estimate_counts_the_rounds(notes: Store) -> None:
    once, twice = (
        estimate(notes, [Decomposition(rounds)], ToyEngine(), Budget()).stages[0].tokens for rounds in (0, 1)
    )
    assert twice == pytest.approx(2 * once, abs=1)


def test_a_round_that_does_not_fit_leaves_the_answers_before_it(notes: Store) -> None:
    def too_long(request: Request) -> str:
        if MORE in request.messages[-1].content:
            raise SettingsError("too long for the context")
        return line_by_line(request)

    report = enrich(notes, [Decomposition(1)], ToyEngine(too_long), Budget())
    assert (report.stages[0].done, report.stages[0].failed, report.stages[0].left, relationships(notes)) == (3, 0, 0, 3)


def test_a_round_that_fails_is_asked_again_in_the_next_run(notes: Store) -> None:
    def ill(request: Request) -> str:
        if MORE in request.messages[-1].content:
            raise ModelError("the server hung up")
        return line_by_line(request)

    report = enrich(notes, [Decomposition(1)], ToyEngine(ill), Budget())
    assert (report.stages[0].failed, report.stages[0].left, relationships(notes)) == (3, 3, 3)
    healthy = ToyEngine(line_by_line)
    report = enrich(notes, [Decomposition(1)], healthy, Budget())
    assert (report.stages[0].left, report.stages[0].failed, len(healthy.calls)) == (0, 0, 3)
    assert (digest(notes), 6) == made_anew(notes, 1)
