"""Attributes, communities, elements and matching over a small vault made by hand, with texts as a model would write them."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.hand_made_graph import ADA, BABBAGE, CAKE, Unit, fill
from helpers.small_documents import unit_rows

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.graph.summaries import attributes, important
from noderag_local.graph.summaries.attributes import AttributeStage
from noderag_local.graph.summaries.communities import CommunitiesStep, find_communities
from noderag_local.graph.summaries.elements import ElementStage, usable_lines
from noderag_local.graph.summaries.heterograph import Heterograph, read_heterograph
from noderag_local.graph.summaries.important import important_entities, is_describable, most_attributes
from noderag_local.graph.summaries.matching import MatchingStep, clusters_of
from noderag_local.graph.summaries.model_stage import Stage, Step
from noderag_local.models.llm.engine import Request
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.vectors.vectors import VectorRows

ELEMENTS = (
    "Engines | Charles Babbage designed the Analytical Engine in London with Ada Lovelace.\n"
    "Baking in Porto | Marta bakes chestnut cake in Porto, which lies on the Douro.\n"
    "Dragons | Dragons burnt the silver castle over night."
)


def asked(request: Request | None) -> str:
    assert request is not None
    return request.messages[-1].content


def run(step: Step, store: Store) -> None:
    step.run(store, lambda done, total: None, lambda: False)


def names(store: Store, kind: NodeType) -> list[str]:
    return sorted(GraphRows(store).nodes_of(kind)[2])


def said_in(graph: Heterograph) -> set[tuple[str, ...]]:
    return {tuple(sorted(note.text for note in found.notes)) for found in find_communities(graph)}


def entity(store: Store, key: str) -> int:
    return GraphRows(store).find(NodeType.ENTITY, [key])[key]


@pytest.fixture
def everyone(store: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """As many attributes as there are entities worth one."""
    monkeypatch.setattr(important, "PER_CHUNK", 10.0)
    return store


class TestHeterograph:
    def test_rows_do_not_depend_on_ids(self, store: Store, other_ids: Store) -> None:
        here, there = read_heterograph(store), read_heterograph(other_ids)
        assert here.ids.tolist() != there.ids.tolist()
        assert (here.types, here.keys, here.digest) == (there.types, there.keys, there.digest)

    def test_entities_that_nothing_names_are_left_out(self, store: Store) -> None:
        GraphRows(store).put_nodes(NodeType.ENTITY, [("alone", "Alone")])
        assert "alone" not in read_heterograph(store).keys

    def test_statements_are_told_once_in_words(self, store: Store) -> None:
        graph = read_heterograph(store)
        row = graph.row_of[GraphRows(store).find(NodeType.RELATIONSHIP, ["marta | porto"])["marta | porto"]]
        assert [note.text for note in graph.notes(row)] == ["Marta moved to Porto"]


class TestImportance:
    @pytest.mark.parametrize("name", ["Ada Lovelace", "Porto", "2008 Summer Olympics", "May Day Parade", "日本"])
    def test_names_are_worth_describing(self, name: str) -> None:
        assert is_describable(name)

    @pytest.mark.parametrize("name", ["1815", "10 December 1815", "May", "two hundred", "engine", "12.5 %", "The", "…"])
    def test_dates_numbers_and_common_words_are_not(self, name: str) -> None:
        assert not is_describable(name)

    def test_the_same_entities_under_other_ids(self, store: Store, other_ids: Store) -> None:
        found = [
            [graph.keys[row] for row in important_entities(graph)]
            for graph in map(read_heterograph, (store, other_ids))
        ]
        assert found[0] == found[1]
        assert len(found[0]) <= most_attributes(read_heterograph(store))

    def test_hubs_are_found_and_dates_are_not(self, everyone: Store) -> None:
        graph = read_heterograph(everyone)
        found = {graph.keys[row] for row in important_entities(graph)}
        assert "analytical engine" in found or "ada lovelace" in found
        assert not found & {"1815", "1843", "2019"}


class TestAttributes:
    def test_the_request_tells_what_stands_beside_the_entity_and_nothing_else(self, store: Store) -> None:
        question = asked(AttributeStage().request(store, entity(store, "marta")))
        assert question.startswith("Name: Marta\n")
        assert "- Marta moved to Porto in 2019." in question
        assert "Babbage" not in question

    def test_what_the_notes_carry_becomes_the_attribute(self, store: Store) -> None:
        stage, node = AttributeStage(), entity(store, "marta")
        engine = ScriptedEngine("Marta bakes chestnut cake in Porto. She was born in Paris in 1950.")
        request = stage.request(store, node)
        assert request is not None
        with store.transaction():
            verdict = stage.accept(store, node, "".join(engine.stream(request)))
        assert (verdict.accepted, verdict.rejected, verdict.ok) == (1, 0, True)
        assert names(store, NodeType.ATTRIBUTE) == ["Marta bakes chestnut cake in Porto."]
        (attribute,) = GraphRows(store).nodes_of(NodeType.ATTRIBUTE)[0].tolist()
        assert GraphRows(store).edges_from(EdgeType.DESCRIBES, [attribute]) == [(attribute, node, 1.0)]

    def test_the_notes_themselves_stand_in_for_a_tale(self, store: Store) -> None:
        stage, node = AttributeStage(), entity(store, "marta")
        with store.transaction():
            verdict = stage.accept(store, node, "Marta is a famous violinist from Vienna.")
        assert (verdict.accepted, verdict.rejected) == (0, 1)
        (text,) = names(store, NodeType.ATTRIBUTE)
        assert "Marta moved to Porto in 2019." in text
        assert GraphRows(store).edges(EdgeType.DESCRIBES)[2].tolist() == [attributes.EXTRACTED]

    def test_a_sentence_that_has_lost_its_subject_goes_with_it(self, store: Store) -> None:
        node = entity(store, "marta")
        with store.transaction():
            AttributeStage().accept(
                store, node, "Marta, aged 99, paints. She lives in Porto. Marta bakes chestnut cake."
            )
        assert names(store, NodeType.ATTRIBUTE) == ["Marta bakes chestnut cake."]

    def test_stale_when_a_quarter_more_is_said_and_not_before(self, store: Store) -> None:
        node = entity(store, "marta")
        with store.transaction():
            AttributeStage().accept(store, node, "Marta bakes chestnut cake in Porto.")
        assert not AttributeStage().is_stale(store, node)
        (unit,) = GraphRows(store).put_nodes(NodeType.SEMANTIC_UNIT, [("new", "Marta sings.")]).tolist()
        GraphRows(store).add_edges(EdgeType.NAMES, [unit], [node], [1.0])
        assert AttributeStage().is_stale(store, node)

    def test_stale_when_a_note_that_was_used_is_gone(self, store: Store) -> None:
        node = entity(store, "marta")
        with store.transaction():
            AttributeStage().accept(store, node, "Marta bakes chestnut cake in Porto.")
        gone = [
            row
            for row, text in zip(*GraphRows(store).nodes_of(NodeType.SEMANTIC_UNIT)[::2], strict=True)
            if "2019" in text
        ]
        GraphRows(store).remove_nodes([int(row) for row in gone])
        assert AttributeStage().is_stale(store, node)

    def test_attributes_of_what_is_no_longer_important_go(self, store: Store) -> None:
        node = entity(store, "douro")
        stage = AttributeStage()
        with store.transaction():
            stage.accept(store, node, "The Douro is at Porto.")
            items = stage.items(store)
            assert node not in items
            assert names(store, NodeType.ATTRIBUTE) != []
            stage.forget_others(store, items)
        assert names(store, NodeType.ATTRIBUTE) == []

    def test_dropping_leaves_the_rest_untouched(self, store: Store) -> None:
        before = digest(store)
        stage = AttributeStage()
        with store.transaction():
            stage.accept(store, entity(store, "marta"), "Marta bakes chestnut cake in Porto.")
        assert digest(store) != before
        with store.transaction():
            stage.drop(store)
        assert digest(store) == before
        assert [name for name in store.facts if name.startswith("attribute")] == []


class TestCommunities:
    def test_notes_that_share_names_belong_together_under_any_ids(self, store: Store, other_ids: Store) -> None:
        found = said_in(read_heterograph(store))
        assert found == said_in(read_heterograph(other_ids))
        assert not any("Marta" in " ".join(notes) and "Babbage" in " ".join(notes) for notes in found)

    def test_one_of_few_units_is_none(self, store: Store) -> None:
        graph = read_heterograph(store)
        assert all(community.units >= 3 for community in find_communities(graph))

    def test_needed_until_run_and_again_when_the_graph_moves(self, store: Store) -> None:
        step = CommunitiesStep()
        assert step.needed(store)
        run(step, store)
        assert not step.needed(store)
        assert len(GraphRows(store).nodes_of(NodeType.COMMUNITY)[0]) >= 1
        GraphRows(store).put_nodes(NodeType.SEMANTIC_UNIT, [("new", "Marta sings.")])
        assert step.needed(store)

    def test_one_that_says_the_same_keeps_its_node_and_elements(self, store: Store) -> None:
        run(CommunitiesStep(), store)
        before = dict(zip(*GraphRows(store).nodes_of(NodeType.COMMUNITY)[1::-1], strict=True))
        stage = ElementStage()
        with store.transaction():
            for node in stage.items(store):
                stage.accept(store, node, ELEMENTS)
        elements = names(store, NodeType.HIGH_LEVEL_ELEMENT)
        assert elements
        far = (
            Unit("Oslo has a fjord.", ("Oslo", "Fjord")),
            Unit("Oslo has snow.", ("Oslo",)),
            Unit("Oslo is far.", ("Oslo",)),
        )
        with store.transaction():
            for one in far:
                ids = [GraphRows(store).put_nodes(NodeType.ENTITY, [(name.lower(), name)])[0] for name in one.names]
                (unit,) = GraphRows(store).put_nodes(NodeType.SEMANTIC_UNIT, [(one.text, one.text)]).tolist()
                GraphRows(store).add_edges(EdgeType.NAMES, [unit] * len(ids), ids, [1.0] * len(ids))
        run(CommunitiesStep(), store)
        after = dict(zip(*GraphRows(store).nodes_of(NodeType.COMMUNITY)[1::-1], strict=True))
        assert before.items() <= after.items()
        assert len(after) == len(before) + 1
        assert names(store, NodeType.HIGH_LEVEL_ELEMENT) == elements

    def test_dropping_takes_elements_and_overviews_with_it_and_nothing_else(self, store: Store) -> None:
        before = digest(store)
        run(CommunitiesStep(), store)
        stage = ElementStage()
        with store.transaction():
            for node in stage.items(store):
                stage.accept(store, node, ELEMENTS)
        CommunitiesStep().drop(store)
        assert digest(store) == before
        assert CommunitiesStep().needed(store)


class TestElements:
    @pytest.fixture
    def whole(self, store: Store) -> Store:
        run(CommunitiesStep(), store)
        return store

    def test_lines_that_the_notes_carry_become_elements_with_titles(self, whole: Store) -> None:
        stage = ElementStage()
        accepted = 0
        with whole.transaction():
            for node in stage.items(whole):
                verdict = stage.accept(whole, node, ELEMENTS)
                accepted += verdict.accepted
                assert verdict.accepted + verdict.rejected == 3
                assert verdict.ok == bool(verdict.accepted)
        assert accepted
        assert "Dragons burnt the silver castle over night." not in names(whole, NodeType.HIGH_LEVEL_ELEMENT)
        graph = GraphRows(whole)
        assert set(graph.edges(EdgeType.TITLE)[1]) == set(graph.edges(EdgeType.ELEMENT)[1])
        assert set(graph.edges(EdgeType.TITLE)[1]) == set(graph.nodes_of(NodeType.HIGH_LEVEL_ELEMENT)[0])

    def test_accepting_again_replaces(self, whole: Store) -> None:
        stage = ElementStage()
        with whole.transaction():
            node = stage.items(whole)[0]
            notes = asked(stage.request(whole, node)).splitlines()[1:-1]
            first = f"First title | {notes[0].removeprefix('- ')}"
            stage.accept(whole, node, first)
            once = digest(whole)
            stage.accept(whole, node, "Nothing that the notes know | Dragons burnt silver castles.")
            stage.accept(whole, node, first)
        assert digest(whole) == once

    def test_nothing_usable_is_tried_once_more_with_half_of_the_notes(self, whole: Store) -> None:
        stage = ElementStage()
        with whole.transaction():
            node = stage.items(whole)[0]
            assert not stage.accept(whole, node, "Dragons | Dragons burnt silver castles.").ok
        assert len(asked(stage.retry(whole, node))) < len(asked(stage.request(whole, node)))

    def test_the_request_is_held_to_its_lines(self, whole: Store) -> None:
        request = ElementStage().request(whole, ElementStage().items(whole)[0])
        assert request is not None
        assert request.constraint is not None
        assert request.constraint().allows(b"Title | Something is said here")
        assert not request.constraint().allows(b"* Title")

    def test_of_lines_that_say_the_same_the_first_stays(self) -> None:
        notes = ["Marta bakes chestnut cake in Porto.", "Marta moved to Porto in 2019."]
        text = "Marta in Porto | Marta bakes chestnut cake in Porto.\nmarta in Porto | Marta moved to Porto in 2019.\n"
        assert [line.title for line in usable_lines(text, notes)] == ["Marta in Porto"]

    def test_dropping_leaves_communities(self, whole: Store) -> None:
        before = digest(whole)
        stage = ElementStage()
        with whole.transaction():
            for node in stage.items(whole):
                stage.accept(whole, node, ELEMENTS)
            stage.drop(whole)
        assert digest(whole) == before


class TestMatching:
    def test_few_vectors_make_one_cluster_and_many_the_root_of_their_number(self) -> None:
        assert set(clusters_of(unit_rows(100, 8, 0))) == {0}
        assert len(set(clusters_of(unit_rows(1600, 8, 0)))) == 40

    def test_elements_are_matched_with_their_own_community(self, store: Store) -> None:
        run(CommunitiesStep(), store)
        stage = ElementStage()
        with store.transaction():
            for node in stage.items(store):
                stage.accept(store, node, ELEMENTS)
        graph = GraphRows(store)
        kinds = (NodeType.SEMANTIC_UNIT, NodeType.HIGH_LEVEL_ELEMENT)
        ids = np.concatenate([graph.nodes_of(kind)[0] for kind in kinds])
        VectorRows(store).put(ids.tolist(), unit_rows(len(ids), 8, 0))
        step = MatchingStep()
        assert step.needed(store)
        run(step, store)
        assert not step.needed(store)
        community_of = {
            element: community for community, element, _ in zip(*graph.edges(EdgeType.ELEMENT), strict=True)
        }
        members = {(community, member) for community, member, _ in zip(*graph.edges(EdgeType.MEMBER), strict=True)}
        matched = list(zip(*graph.edges(EdgeType.MATCHED)[:2], strict=True))
        assert matched
        assert all((community_of[element], unit) in members for element, unit in matched)
        step.drop(store)
        assert not len(graph.edges(EdgeType.MATCHED)[0])
        assert step.needed(store)


def test_stages_are_what_the_runner_asks_for() -> None:
    stages: list[Stage] = [AttributeStage(), ElementStage()]
    steps: list[Step] = [CommunitiesStep(), MatchingStep()]
    assert len({one.name for one in (*stages, *steps)}) == 4


def test_the_notes_are_the_same_whatever_the_order_of_the_chunks(tmp_path: object, store: Store) -> None:
    from pathlib import Path

    with Store.open(Path(str(tmp_path)) / "reversed", write=True) as other:
        fill(other, (CAKE, BABBAGE, ADA))
        assert said_in(read_heterograph(other)) == said_in(read_heterograph(store))
