"""ArchRAG's layer in a vault: made without a model, written by one level by level, and rid of what is forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from helpers.small_documents import add, document, link_and_embed, vector

from noderag_local.domain.errors import SettingsError
from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.graph.summaries.model_stage import Status, Step
from noderag_local.models.embedding.embedder import EmbeddedChunk, PassageVectors
from noderag_local.models.llm.engine import Request
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.papers.archrag.attributed_build import (
    AttributedEmbeddingStep,
    AttributedStep,
    UpperLevelStep,
    read_network,
)
from noderag_local.papers.archrag.attributed_communities import HierarchyOptions
from noderag_local.papers.archrag.attributed_outline import MOST_TOLD, outlined
from noderag_local.papers.archrag.attributed_summaries import CommunitySummaryStage
from noderag_local.pipeline.budget import Budget
from noderag_local.pipeline.enrichment import enrich
from noderag_local.pipeline.forecast import estimate
from noderag_local.pipeline.plan import plan
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.backup.integrity import integrity
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.storage.graph.attributed_rows import AttributedRows, leading_entities
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.work_items import WorkItem, WorkItemRows
from noderag_local.storage.vectors.vectors import VectorRows

VILLAGES = ("Ab", "Bo", "Cu", "De", "Ed", "Fo", "Go")
SECRET = "Abma buried gold under the stairs with Abla."


def people(village: str) -> list[str]:
    return [village + ending for ending in ("ba", "la", "ma", "na")]


def paragraphs(village: str) -> list[list[str]]:
    a, b, c, d = people(village)
    return [
        [f"{a} met {b} and {c} at the fish market.", f"{b} taught {d} to row wooden boats."],
        [f"{c} wrote {d} long letters every spring.", f"{a} lent {d} a wooden boat."],
    ]


def fill(store: Store, *more: list[str], reverse: bool = False) -> None:
    """A note for each village of four people, who meet one of the next village; further notes are a paragraph each."""
    notes = [document(f"/notes/{village}.md", *paragraphs(village)) for village in VILLAGES]
    meetings = [
        [f"{people(one)[0]} visited {people(other)[1]} by the harbour bridge."] for one, other in pairwise(VILLAGES)
    ]
    notes.append(document("/notes/meetings.md", *meetings))
    notes += [document(f"/notes/more{place}.md", sentences) for place, sentences in enumerate(more)]
    add(store, *(reversed(notes) if reverse else notes))
    link_and_embed(store)


def run(store: Store) -> None:
    do(store, AttributedStep())


def do(store: Store, step: Step) -> None:
    if step.needed(store):
        step.run(store, lambda done, total: None, lambda: False)


def remove(store: Store, path: str) -> None:
    FileRows(store).remove([FileRows(store).known()[path].id])
    link_and_embed(store)


class Vectors:
    """Gives any text a vector of its own."""

    name, dim = "by hand", 8

    def batches(self, passages: list[EmbeddedChunk]) -> Iterator[dict[int, PassageVectors]]:
        rows = [vector(passage.text()) for passage in passages]
        yield {place: PassageVectors(row, row[None]) for place, row in enumerate(rows)}


def told(request: Request) -> str:
    """A summary that the notes carry."""
    names, _, *notes = request.messages[-1].content.split("\n")
    return f"Around {names.split()[1].rstrip(',')} | {notes[0].partition(': ')[2] or notes[0].removeprefix('- ')}"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "vault", write=True) as opened:
        fill(opened)
        run(opened)
        yield opened


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine(reply=told, strict=True)


def write_all(store: Store, engine: ScriptedEngine) -> None:
    assert enrich(store, plan(Vectors, "arch"), engine, Budget()).is_complete


def said(rows: AttributedRows) -> list[list[tuple[str, str]]]:
    """Titles and texts of the communities, level by level."""
    levels = rows.levels()
    return [
        rows.texts(level.ids.tolist(), leading, level.key_sentences)
        for level, leading in zip(levels, leading_entities(levels), strict=True)
    ]


def communities(store: Store) -> list[int]:
    return [number for level in AttributedRows(store).levels() for number in level.ids.tolist()]


def holding(store: Store, name: str) -> list[int]:
    """The community of an entity, and those above it."""
    return AttributedRows(store).above([GraphRows(store).find(NodeType.ENTITY, [name])[name]])


class TestHierarchy:
    def test_communities_stand_in_levels_over_entities(self, store: Store, engine: ScriptedEngine) -> None:
        write_all(store, engine)
        first, second = AttributedRows(store).levels()[:2]
        entities = set(GraphRows(store).nodes_of(NodeType.ENTITY)[0].tolist())
        assert set(np.concatenate(first.members).tolist()) <= entities
        assert set(np.concatenate(second.members).tolist()) <= set(first.ids.tolist())

    def test_a_title_is_of_names_and_a_text_of_sentences_of_the_notes(self, store: Store) -> None:
        rows = AttributedRows(store)
        sentences = {text for found in map(paragraphs, VILLAGES) for said in found for text in said}
        levels = rows.levels()
        level, leading = levels[0], leading_entities(levels)[0]
        for (title, text), members in zip(
            rows.texts(level.ids.tolist(), leading, level.key_sentences), level.members, strict=True
        ):
            assert set(title.split(", ")) <= set(GraphRows(store).names(members.tolist()))
            assert any(text.startswith(sentence) for sentence in sentences) or "visited" in text

    def test_the_best_sentences_of_each_community_name_its_members(self, store: Store) -> None:
        network = read_network(store)
        (first, *_) = outlined(network)
        for members, told in zip(first.members, first.key_sentences, strict=True):
            assert 0 < len(told) <= MOST_TOLD
            assert (network.named[members][:, told].sum(axis=0) > 0).all()

    def test_nothing_of_it_depends_on_ids(self, store: Store, tmp_path: Path) -> None:
        with Store.open(tmp_path / "other", write=True) as other:
            fill(other, reverse=True)
            run(other)
            keys = [set(GraphRows(one).nodes_of(NodeType.ATTRIBUTED_COMMUNITY)[1]) for one in (store, other)]
            assert keys[0] == keys[1]
            assert digest(store) == digest(other)

    def test_it_is_made_once_and_anew_when_notes_come(self, store: Store) -> None:
        assert not AttributedStep().needed(store)
        add(store, document("/notes/new.md", ["Hiba met Hila."]))
        link_and_embed(store)
        assert AttributedStep().needed(store)
        run(store)
        assert holding(store, "Hiba")

    def test_dropped_it_leaves_nothing(self, store: Store) -> None:
        AttributedStep().drop(store)
        assert communities(store) == []
        assert not GraphRows(store).has_edges(EdgeType.HOLDS)
        assert not GraphRows(store).has_edges(EdgeType.TELLS)
        assert AttributedStep().needed(store)


class TestWriting:
    def test_a_default_plan_leaves_it_alone(self) -> None:
        assert not [part.name for part in plan(Vectors) if part.name.startswith("arch")]
        with pytest.raises(SettingsError, match="noderag, arch"):
            plan(Vectors, "none")

    def test_it_is_estimated_before_it_starts(self, tmp_path: Path, engine: ScriptedEngine) -> None:
        with Store.open(tmp_path / "new", write=True) as store:
            fill(store)
            expected = estimate(store, plan(Vectors, "arch"), engine, Budget())
            (first, *_) = AttributedRows(store).levels()
        assert not engine.history
        assert (expected.stages[0].name, expected.stages[0].items) == ("arch-level-1", len(first.ids))
        assert expected.stages[0].tokens > 0

    def test_every_community_is_asked_about_once_and_embedded(self, store: Store, engine: ScriptedEngine) -> None:
        write_all(store, engine)
        assert len(engine.history) == len(communities(store))
        rows = AttributedRows(store)
        assert all(title.startswith("Around ") for title, _ in rows.written(communities(store)).values())
        assert VectorRows(store).matrix(NodeType.ATTRIBUTED_COMMUNITY)[0].tolist() == sorted(communities(store))
        write_all(store, engine)
        assert len(engine.history) == len(communities(store))
        assert all(finding.ok for finding in integrity(store) if finding.what in ("embeddings", "edges", "references"))

    def test_upper_levels_read_what_was_written_below(self, store: Store, engine: ScriptedEngine) -> None:
        write_all(store, engine)
        first = len(AttributedRows(store).levels()[0].ids)
        assert all("- Around " in request.messages[-1].content for request in engine.history[first:])
        assert not any("- Around " in request.messages[-1].content for request in engine.history[:first])

    def test_what_the_notes_do_not_carry_leaves_names_and_sentences(self, store: Store) -> None:
        engine = ScriptedEngine(reply=lambda _: "Dragons | Purple dragons burnt silver castles during endless winters.")
        levels = AttributedRows(store).levels()
        before = [
            AttributedRows(store).extracts(leading, one.key_sentences)
            for one, leading in zip(levels, leading_entities(levels), strict=True)
        ]
        enrich(store, plan(Vectors, "arch"), engine, Budget())
        rows = AttributedRows(store)
        assert rows.written(communities(store)) == {}
        assert said(rows)[: len(before)] == before
        assert WorkItemRows(store).counts("arch-level-1").failed == len(rows.of_level(1))

    def test_a_summary_that_is_written_anew_takes_those_above_it_back(
        self, store: Store, engine: ScriptedEngine
    ) -> None:
        write_all(store, engine)
        rows = AttributedRows(store)
        community = rows.of_level(1)[0]
        above = rows.above([community])
        rows.write(community, "Other", "Other words.")
        pending = [
            node
            for stage in map(CommunitySummaryStage, (1, 2, 3, 4))
            for node in stage.items(store)
            if node not in WorkItemRows(store).state(stage.name)
        ]
        assert sorted(pending) == above

    def test_a_level_that_is_dropped_says_what_it_said_before(self, store: Store, engine: ScriptedEngine) -> None:
        write_all(store, engine)
        with store.transaction():
            CommunitySummaryStage(1).drop(store)
        rows = AttributedRows(store)
        assert rows.written(rows.of_level(1)) == {}
        assert rows.written(rows.of_level(2))


class TestForgetting:
    def test_nothing_written_of_a_forgotten_note_stays(self, tmp_path: Path, engine: ScriptedEngine) -> None:
        with Store.open(tmp_path / "secret", write=True) as store:
            fill(store, [SECRET])
            write_all(store, engine)
            touched = {*holding(store, "Abma"), *holding(store, "Abla")}
            remove(store, "/notes/more0.md")
            rows = AttributedRows(store)
            assert not set(rows.written(communities(store))) & touched
            assert len(rows.written(communities(store))) == len(communities(store)) - len(touched)
            assert "gold" not in str(said(rows))

    def test_made_anew_it_is_as_if_the_note_had_never_been_there(self, tmp_path: Path, engine: ScriptedEngine) -> None:
        digests = []
        for place, more in enumerate(([SECRET], [])):
            with Store.open(tmp_path / str(place), write=True) as store:
                fill(store, *([more] if more else []))
                if more:
                    write_all(store, engine)
                    remove(store, "/notes/more0.md")
                write_all(store, engine)
                digests.append(digest(store))
        assert digests[0] == digests[1]


def test_only_what_was_written_is_embedded(store: Store) -> None:
    step = AttributedEmbeddingStep(Vectors)
    assert not step.needed(store)
    AttributedRows(store).write(communities(store)[0], "Title", "Text.")
    assert step.needed(store)
    step.run(store, lambda done, total: None, lambda: False)
    assert not step.needed(store)
    (level, *_) = AttributedRows(store).levels()
    written = VectorRows(store).matrix(NodeType.ATTRIBUTED_COMMUNITY)[1][0].astype(np.float32)
    assert np.allclose(level.summary_vectors[0], written)
    step.drop(store)
    assert step.needed(store)


class TestStayingCurrent:
    """What a note that comes, changes or goes costs, and what stays as it was."""

    @pytest.fixture
    def whole(self, store: Store, engine: ScriptedEngine) -> Store:
        write_all(store, engine)
        engine.history.clear()
        return store

    def test_a_new_note_costs_the_summaries_of_the_communities_that_it_joins(
        self, whole: Store, engine: ScriptedEngine
    ) -> None:
        before = AttributedRows(whole).written(communities(whole))
        add(whole, document("/notes/new.md", ["Abba met Zora at the fish market."]))
        link_and_embed(whole)
        write_all(whole, engine)
        touched = holding(whole, "Zora")
        assert touched == holding(whole, "Abba")
        assert len(engine.history) == len(touched) < len(communities(whole))
        after = AttributedRows(whole).written(communities(whole))
        assert before.keys() == after.keys()
        assert all(after[number] == text for number, text in before.items() if number not in touched)

    def test_until_then_the_old_summary_stays(self, whole: Store) -> None:
        before = AttributedRows(whole).written(communities(whole))
        add(whole, document("/notes/new.md", ["Abba met Zora at the fish market."]))
        link_and_embed(whole)
        run(whole)
        assert AttributedRows(whole).written(communities(whole)) == before
        pending = set(CommunitySummaryStage(1).items(whole)) - WorkItemRows(whole).state("arch-level-1").keys()
        assert pending == set(holding(whole, "Zora")) & set(AttributedRows(whole).of_level(1))

    def test_new_people_among_themselves_are_a_community(self, whole: Store, engine: ScriptedEngine) -> None:
        add(
            whole,
            document(
                "/notes/new.md",
                [
                    "Zora met Zeno at the quiet windmill.",
                    "Zeno met Zita at the windmill.",
                    "Zita met Zora there again.",
                ],
            ),
        )
        link_and_embed(whole)
        before = set(communities(whole))
        write_all(whole, engine)
        assert holding(whole, "Zora") == holding(whole, "Zeno")
        assert not set(holding(whole, "Zora")) & before
        assert all("Zora" in request.messages[-1].content for request in engine.history)

    def test_a_changed_note_costs_its_own_communities(self, whole: Store, engine: ScriptedEngine) -> None:
        remove(whole, "/notes/Ab.md")
        add(whole, document("/notes/Ab.md", *paragraphs("Ab"), ["Abna sold Abba a boat."]))
        link_and_embed(whole)
        write_all(whole, engine)
        assert 0 < len(engine.history) < len(communities(whole))
        asked = [request.messages[-1].content for request in engine.history]
        first = str([notes for notes in asked if "- Around" not in notes])
        assert "Abna sold Abba a boat." in first
        assert "Goma" not in first

    def test_a_forgotten_note_costs_what_told_of_it(self, whole: Store, engine: ScriptedEngine) -> None:
        remove(whole, "/notes/Go.md")
        left = AttributedRows(whole).written(communities(whole))
        write_all(whole, engine)
        after = AttributedRows(whole).written(communities(whole))
        assert all(after[number] == text for number, text in left.items() if number in after)
        assert "Goma" not in str([request.messages[-1].content for request in engine.history])
        assert len(engine.history) < len(communities(whole))

    def test_after_much_change_all_communities_are_found_again(self, whole: Store, tmp_path: Path) -> None:
        many = [document(f"/notes/{one}.md", *paragraphs(one)) for one in ("Ha", "Ji", "Ka")]
        add(whole, *many)
        link_and_embed(whole)
        run(whole)
        with Store.open(tmp_path / "other", write=True) as other:
            fill(other)
            add(other, *many)
            link_and_embed(other)
            run(other)
            keys = [set(GraphRows(one).nodes_of(NodeType.ATTRIBUTED_COMMUNITY)[1]) for one in (whole, other)]
            assert keys[0] == keys[1]

    def test_an_upper_level_waits_for_the_summaries_below(self, store: Store, engine: ScriptedEngine) -> None:
        step = UpperLevelStep(2)
        assert not step.needed(store)
        enrich(store, plan(Vectors, "arch"), engine, Budget(share=0.5))
        assert len(AttributedRows(store).levels()) == 1
        write_all(store, engine)
        assert len(AttributedRows(store).levels()) == 2
        with store.transaction():
            step.drop(store)
        assert len(AttributedRows(store).levels()) == 1
        assert step.needed(store)

    def test_where_there_is_no_further_level_none_is_looked_for_again(
        self, store: Store, engine: ScriptedEngine
    ) -> None:
        first, again = (enrich(store, plan(Vectors, "arch"), engine, Budget()) for _ in range(2))
        assert first.is_complete and again.is_complete
        assert again.steps == ()

    def test_summaries_decide_the_level_above(self, store: Store) -> None:
        """Every other village is about boats, in all of its summaries, and the rest about bread."""
        boats = {int(number) for number in AttributedRows(store).of_level(1)[::2]}
        for number in AttributedRows(store).of_level(1):
            AttributedRows(store).write(number, "Boats" if number in boats else "Bread", "Text.")
            WorkItemRows(store).put("arch-level-1", number, WorkItem("model", "1", "hash", Status.DONE, "", 1, 0))
        do(store, AttributedEmbeddingStep(Vectors))
        network = read_network(store)
        levels = outlined(network, AttributedRows(store).levels(), HierarchyOptions(levels=2))
        alike = [levels[0].vectors[rows] @ levels[0].vectors[rows].T for rows in levels[1].members]
        do(store, UpperLevelStep(2))
        assert [len(held) for held in AttributedRows(store).levels()[1].members] == [len(one) for one in alike]
        assert np.allclose(levels[0].vectors[0], levels[0].vectors[2], atol=1e-3)
