"""An enrichment: in order, within its budget, never twice, and the same graph whatever happened on the way."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

import pytest
from pipeline.toy_stages import Pairs, Portraits, ToyEngine, Units, capitals, fill

from noderag_local.domain.errors import ModelError, SettingsError
from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.models.llm.engine import Outcome, Request, never
from noderag_local.pipeline.budget import Budget
from noderag_local.pipeline.enrichment import enrich
from noderag_local.pipeline.enrichment_report import EnrichProgress, EnrichReport
from noderag_local.pipeline.forecast import Rates, write_rates
from noderag_local.pipeline.plan import drop_part
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.backup.integrity import integrity
from noderag_local.storage.database.store import Row, Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.work_items import WorkItemRows
from noderag_local.storage.snapshots.snapshot import snapshot_fits

ALL = Budget()


class EndlessEngine(ToyEngine):
    """Begins as many requests as it may and ends none of them."""

    def generate(self, requests: Iterable[Request], cancelled: Callable[[], bool] = never) -> Iterator[Outcome]:
        for request in islice(requests, 4):
            self._begin(request)
        while not cancelled():
            time.sleep(0.005)
        yield from ()


def rows(store: Store) -> list[Row]:
    """Nodes with their ids."""
    return store.rows("SELECT * FROM nodes ORDER BY id")


def whole(store: Store) -> EnrichReport:
    return enrich(store, [Units(), Portraits(), Pairs()], ToyEngine(), ALL)


def test_everything_is_done_in_order_and_counted(store: Store) -> None:
    engine = ToyEngine()
    report = enrich(store, [Units(), Pairs("early"), Portraits(), Pairs()], engine, ALL)
    units, portraits = report.stages
    assert (units.name, units.done, units.left, units.failed, units.calls) == ("units", 12, 0, 0, 12)
    assert (portraits.name, portraits.done, portraits.left) == ("portraits", 7, 0)
    assert (units.accepted, units.rejected, units.rejected_share) == (24, 0, 0.0)
    assert units.read_tokens == sum(len(text.split()) for text in engine.calls[:12])
    assert [name for name, _ in report.steps] == ["early", "pairs"]
    assert dict(report.nodes)[NodeType.SEMANTIC_UNIT] == 12
    assert dict(report.edges)[EdgeType.SIMILAR] == 11
    assert report.is_complete
    assert not report.stopped
    assert report.error == ""
    assert snapshot_fits(store)
    assert [finding.what for finding in integrity(store) if not finding.ok] == ["embeddings"]


def test_what_is_done_is_not_done_again(store: Store) -> None:
    whole(store)
    before = rows(store)
    engine = ToyEngine()
    report = enrich(store, [Units(), Portraits(), Pairs()], engine, ALL)
    assert engine.calls == []
    assert report.steps == ()
    assert rows(store) == before


@pytest.mark.parametrize("seed", range(8))
def test_the_order_of_answers_makes_no_difference(store: Store, tmp_path: Path, seed: int) -> None:
    enrich(store, [Units(), Portraits(), Pairs()], ToyEngine(width=1), ALL)
    with Store.open(tmp_path / "other", write=True) as other:
        fill(other, 12)
        enrich(other, [Units(), Portraits(), Pairs()], ToyEngine(width=5, seed=seed), ALL)
        assert rows(other) == rows(store)
        assert digest(other) == digest(store)


def test_the_digest_knows_nothing_of_ids(store: Store, tmp_path: Path) -> None:
    enrich(store, [Units(), Portraits()], ToyEngine(), ALL)
    with Store.open(tmp_path / "other", write=True) as other:
        fill(other, 12)
        enrich(other, [Units(descending=True), Portraits()], ToyEngine(), ALL)
        assert rows(other) != rows(store)
        assert digest(other) == digest(store)


class TestBudgets:
    def test_a_share_is_of_the_first_stage_alone(self, store: Store) -> None:
        report = enrich(store, [Units(), Portraits(), Pairs()], ToyEngine(), Budget(share=0.3))
        units, portraits = report.stages
        assert (units.done, units.left) == (4, 8)
        assert portraits.left == 0
        assert portraits.done > 0
        assert not report.is_complete
        again = enrich(store, [Units(), Portraits(), Pairs()], ToyEngine(), Budget(share=0.5))
        assert again.stages[0].calls == 2

    def test_time_is_shared_and_what_is_left_goes_back(self, tmp_path: Path) -> None:
        with Store.open(tmp_path / "long", write=True) as store:
            fill(store, 400)
            told: list[EnrichProgress] = []
            early, late = Pairs("early"), Pairs("late")
            engine = ToyEngine(seconds=0.05, width=2)
            report = enrich(store, [Units(), early, Portraits(), late], engine, Budget(seconds=5.0), told.append)
            units, portraits = report.stages
            assert portraits.left == 0, "the other stages have had their quarter"
            turns = [one.stage for one in told if one.stage in ("units", "portraits")]
            assert turns.index("portraits") < len(turns) - 1 - turns[::-1].index("units"), "then the first went on"
            assert early.runs == 1, "what comes before a stage is not made anew under it"
            assert late.runs == 2, "all that was done is findable"
            assert 0 < units.left < 400

    def test_nothing_is_begun_that_would_end_too_late(self, store: Store) -> None:
        engine = ToyEngine(seconds=2.0, width=1)
        report = enrich(store, [Units()], engine, Budget(seconds=5.0))
        assert 0 < report.stages[0].calls <= 2, "a third one would run to 6"

    def test_a_model_that_is_known_to_be_slow_begins_nothing_in_a_short_time(self, store: Store) -> None:
        write_rates(store, "toy-1", Rates(tokens_per_second=5.0, ratios={"units": 0.5}))
        engine = ToyEngine(seconds=60.0)
        report = enrich(store, [Units()], engine, Budget(seconds=1.0))
        assert engine.calls == []
        assert report.stages[0].left == 12

    def test_a_model_of_unknown_speed_is_given_one_request_which_is_dropped_when_the_time_has_passed(
        self, store: Store
    ) -> None:
        engine, step = EndlessEngine(width=4), Pairs()
        report = enrich(store, [Units(), step, Portraits()], engine, Budget(seconds=0.2))
        assert len(engine.calls) == 1
        assert 0.2 <= report.stages[0].seconds < 1.0
        assert (report.stages[0].left, report.stopped, report.error, step.runs) == (12, False, "", 1)
        assert enrich(store, [Units()], ToyEngine(), ALL).is_complete

    def test_a_model_of_unknown_speed_goes_on_side_by_side_after_its_first_request(self, store: Store) -> None:
        engine = ToyEngine(seconds=0.001)
        assert enrich(store, [Units()], engine, Budget(seconds=600.0)).is_complete
        assert len(engine.calls) == 12

    def test_no_time_left_still_runs_the_steps(self, store: Store) -> None:
        enrich(store, [Units()], ToyEngine(), Budget(share=0.5))
        step = Pairs()
        report = enrich(store, [Units(), step], ToyEngine(), Budget(seconds=1e-9))
        assert report.stages[0].calls == 0
        assert step.runs == 1


class TestFailures:
    def test_half_is_tried_when_the_whole_gave_nothing(self, store: Store) -> None:
        def only_halves(request: Request) -> str:
            return capitals(request) if len(request.messages[-1].content) <= 20 else "no names here"

        engine = ToyEngine(only_halves)
        report = enrich(store, [Units()], engine, ALL)
        assert (report.stages[0].done, report.stages[0].failed) == (12, 0)
        assert len(set(engine.calls)) == len(engine.calls) > 12
        assert report.stages[0].rejected >= 36, "the first try's words count"
        assert all(len(item.input_hash.split()) == 2 for item in WorkItemRows(store).state("units").values())

    def test_nothing_twice_is_a_failure_that_is_not_repeated(self, store: Store) -> None:
        report = enrich(store, [Units(), Pairs()], ToyEngine(lambda _: "nothing"), ALL)
        assert (report.stages[0].done, report.stages[0].failed, report.stages[0].left) == (0, 12, 0)
        item = WorkItemRows(store).state("units").popitem()[1]
        assert "could be used" in item.error
        again = ToyEngine()
        enrich(store, [Units()], again, ALL)
        assert again.calls == []

    def test_an_error_is_tried_once_more_and_again_next_time(self, store: Store) -> None:
        def ill(request: Request) -> str:
            raise ModelError("the server hung up")

        engine = ToyEngine(ill)
        report = enrich(store, [Units()], engine, ALL)
        assert (report.stages[0].failed, report.stages[0].left, len(engine.calls)) == (12, 12, 24)
        assert WorkItemRows(store).state("units").popitem()[1].error == "the server hung up"
        assert store.value("SELECT count(*) FROM llm_cache") == 0
        healthy = enrich(store, [Units()], ToyEngine(), ALL)
        assert (healthy.stages[0].done, healthy.stages[0].failed) == (12, 0)

    def test_what_does_not_fit_is_halved(self, store: Store) -> None:
        def small(request: Request) -> str:
            if len(request.messages[-1].content) > 20:
                raise SettingsError("too long for the context")
            return capitals(request)

        report = enrich(store, [Units()], ToyEngine(small), ALL)
        assert (report.stages[0].done, report.stages[0].failed) == (12, 0)

    def test_one_error_among_many_leaves_the_others_alone(self, store: Store, tmp_path: Path) -> None:
        failed: set[str] = set()

        def once(request: Request) -> str:
            text = request.messages[-1].content
            if "5th" in text and text not in failed:
                failed.add(text)
                raise ModelError("a hiccup")
            return capitals(request)

        enrich(store, [Units()], ToyEngine(once), ALL)
        with Store.open(tmp_path / "other", write=True) as other:
            fill(other, 12)
            enrich(other, [Units()], ToyEngine(), ALL)
            assert rows(other) == rows(store)

    def test_an_engine_that_dies_ends_the_run_with_what_was_done(self, store: Store) -> None:
        class Dying(ToyEngine):
            def generate(self, requests, cancelled=lambda: False):  # type: ignore[no-untyped-def]
                for number, outcome in enumerate(super().generate(requests, cancelled)):
                    if number == 6:
                        raise ModelError("out of memory")
                    yield outcome

        step = Pairs()
        report = enrich(store, [Units(), Portraits(), step], Dying(), ALL)
        assert report.error == "out of memory"
        assert step.runs == 1
        assert store.value("SELECT count(*) FROM llm_cache") == 6
        engine = ToyEngine()
        assert enrich(store, [Units(), Portraits()], engine, ALL).is_complete
        assert len([text for text in engine.calls if "met" in text]) == 6, "what it had answered is not asked again"

    def test_an_engine_that_forgets_requests_is_told_of(self, store: Store) -> None:
        class Forgetful(ToyEngine):
            def generate(self, requests, cancelled=lambda: False):  # type: ignore[no-untyped-def]
                next(iter(requests))
                return iter(())

        assert "without an answer" in enrich(store, [Units()], Forgetful(), ALL).error


class TestStale:
    def test_another_model_does_all_anew(self, store: Store) -> None:
        whole(store)
        engine = ToyEngine(identity="toy-2")
        assert enrich(store, [Units()], engine, ALL).stages[0].calls == 12

    def test_another_prompt_does_its_stage_anew(self, store: Store) -> None:
        whole(store)
        report = enrich(store, [Units("2"), Portraits()], ToyEngine(), ALL)
        assert [stage.calls for stage in report.stages] == [12, 0]

    def test_only_items_whose_input_moved_are_done_again(self, store: Store) -> None:
        whole(store)
        stage = Units()
        stage.stale = set(stage.items(store)[:3])
        report = enrich(store, [stage], ToyEngine(), ALL)
        assert (report.stages[0].calls, report.stages[0].cached) == (0, 3), "the input is what it was"

    def test_items_that_are_gone_are_forgotten(self, store: Store) -> None:
        whole(store)
        graph = GraphRows(store)
        graph.remove_nodes(graph.nodes_of(NodeType.ENTITY)[0].tolist()[:2])
        assert enrich(store, [Portraits()], ToyEngine(), ALL).stages[0].done == 5

    def test_the_same_input_is_asked_once(self, tmp_path: Path) -> None:
        from helpers.small_documents import add, document

        with Store.open(tmp_path / "twins", write=True) as store:
            add(store, *(document(f"/notes/{n}.md", ["Ada met Bob."]) for n in range(6)))
            engine = ToyEngine()
            report = enrich(store, [Units()], engine, ALL)
            assert (len(engine.calls), report.stages[0].done) == (1, 6)


def test_a_dropped_stage_is_built_again_without_a_call(store: Store) -> None:
    whole(store)
    made = digest(store)
    drop_part(store, Units())
    assert dict(enrich(store, [], ToyEngine(), ALL).nodes)[NodeType.SEMANTIC_UNIT] == 0
    drop_part(store, Pairs())
    engine = ToyEngine()
    report = enrich(store, [Units(), Portraits(), Pairs()], engine, ALL)
    assert engine.calls == []
    assert report.stages[0].cached == 12
    assert digest(store) == made


def test_answers_about_what_is_gone_go_when_all_work_is_done(store: Store) -> None:
    cached = "SELECT count(*) FROM llm_cache"
    enrich(store, [Units()], ToyEngine(), Budget(share=0.5))
    with store.transaction():
        store.run("INSERT INTO llm_cache VALUES ('toy', 'units 1', 'of a chunk that is gone', 'secret', 1, 1)")
    enrich(store, [Units()], ToyEngine(), Budget(share=0.75))
    assert store.value(f"{cached} WHERE output = 'secret'") == 1
    enrich(store, [Units()], ToyEngine(), ALL)
    assert store.value(f"{cached} WHERE output = 'secret'") == 0
    assert store.value(cached) == 12


def test_a_finished_layer_keeps_the_answers_that_another_layer_needs_again(store: Store) -> None:
    enrich(store, [Units(), Portraits()], ToyEngine(), ALL)
    drop_part(store, Portraits())
    enrich(store, [Units(), Pairs()], ToyEngine(), ALL)
    engine = ToyEngine()
    report = enrich(store, [Units(), Portraits()], engine, ALL)
    assert (engine.calls, report.stages[1].cached) == ([], 7)


class TestStopping:
    def test_cancelled_at_once_and_gone_on(self, store: Store, tmp_path: Path) -> None:
        engine = ToyEngine()
        step = Pairs()
        report = enrich(store, [Units(), Portraits(), step], engine, ALL, cancelled=lambda: len(engine.calls) >= 7)
        assert report.stopped
        assert len(engine.calls) == 7
        assert step.runs == 1
        assert 0 < report.stages[0].left < 12
        whole(store)
        with Store.open(tmp_path / "other", write=True) as other:
            fill(other, 12)
            whole(other)
            assert digest(other) == digest(store)
            assert rows(other) == rows(store)

    def test_a_pause_begins_nothing_and_does_not_count(self, store: Store) -> None:
        pause_seconds, budget_seconds = 7.0, 6.0
        engine = ToyEngine(seconds=0.005)
        begun_in_pause: list[int] = []
        pause_ends: list[float] = []

        def paused() -> bool:
            if len(engine.calls) < 5:
                return False
            if not pause_ends:
                pause_ends.append(time.monotonic() + pause_seconds)
            is_paused = time.monotonic() < pause_ends[0]
            if is_paused:
                begun_in_pause.append(len(engine.calls))
            return is_paused

        report = enrich(store, [Units()], engine, Budget(seconds=budget_seconds), paused=paused)
        assert report.stages[0].done == 12
        assert report.stages[0].seconds < budget_seconds < pause_seconds
        assert len(set(begun_in_pause)) == 1
        assert begun_in_pause[0] < 12


def test_progress_tells_how_far_it_is_and_what_is_left(store: Store) -> None:
    told: list[EnrichProgress] = []
    enrich(store, [Units()], ToyEngine(seconds=0.002), ALL, told.append)
    assert (told[0].done, told[0].total) == (0, 12), "before the first answer, too"
    assert told[-1].done == told[-1].total == 12
    assert [one.done for one in told] == sorted(one.done for one in told)
    late = [one for one in told if one.done in range(7, 12)]
    assert all(one.tokens_per_second and one.seconds_left for one in late)
    assert told[-1].seconds_left == 0
