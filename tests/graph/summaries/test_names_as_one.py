"""Entities that are read as one, as the language model meets them: one portrait of both names, and none that mixes two up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.changing_notes import index
from helpers.hand_made_graph import Unit, fill
from helpers.small_documents import add, document, link_and_embed

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.extraction.same_names.merging import decide
from noderag_local.graph.summaries.attributes import AttributeStage
from noderag_local.graph.summaries.communities import CommunitiesStep
from noderag_local.graph.summaries.heterograph import read_heterograph
from noderag_local.graph.summaries.high_level import put_elements
from noderag_local.graph.summaries.important import has_describable_name, important_entities
from noderag_local.graph.summaries.summary_lines import ElementLine
from noderag_local.papers.archrag.attributed_build import AttributedStep
from noderag_local.papers.archrag.attributed_summaries import CommunitySummaryStage
from noderag_local.papers.graph_evidence.graph_pieces import GraphPieces
from noderag_local.retrieval.graph_arrays import read_graph_arrays
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.browsing.overview import Overview
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.storage.graph.attributed_rows import AttributedRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.merged_names import NameRows
from noderag_local.storage.graph.work_items import WorkItem, WorkItemRows
from noderag_local.storage.vectors.vector_index import VectorIndex

LONG, SHORT = "European Central Bank", "ECB"
OF_LONG = (
    Unit(
        "European Central Bank fought smallpox in Asia.",
        (LONG, "Smallpox", "Asia"),
        ((LONG, "fought", "Smallpox"),),
    ),
    Unit("European Central Bank met in Geneva.", (LONG, "Geneva"), ((LONG, "met in", "Geneva"),)),
    Unit("Geneva lies on a lake.", ("Geneva",)),
)
OF_SHORT = (
    Unit("ECB fights malaria in Africa.", (SHORT, "Malaria", "Africa"), ((SHORT, "fights", "Malaria"),)),
    Unit("ECB trains nurses in Kenya.", (SHORT, "Kenya"), ((SHORT, "trains nurses in", "Kenya"),)),
    Unit("ECB buys vaccines in India.", (SHORT, "India"), ((SHORT, "buys vaccines in", "India"),)),
)
TOWNS = tuple((Unit(f"Town{letter} has a mill.", (f"Town{letter}",)),) for letter in "abcdefghijkl")
"""Chunks enough for three attributes."""
WRITTEN = "European Central Bank fought smallpox in Asia. ECB trains nurses in Kenya."


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Two notes of one organisation under two names, which nobody has said to be one, and some of towns."""
    with Store.open(tmp_path / "vault", write=True) as opened:
        fill(opened, (OF_LONG, OF_SHORT, *TOWNS))
        yield opened


@pytest.fixture
def one(store: Store) -> Store:
    """The same, read as one."""
    decide(store, LONG, SHORT, True)
    return store


def entity(store: Store, name: str) -> int:
    return GraphRows(store).find(NodeType.ENTITY, [name.lower()])[name.lower()]


def write(store: Store, name: str = LONG, text: str = WRITTEN) -> None:
    """The attribute of an entity, its work item done."""
    with store.transaction():
        AttributeStage().accept(store, entity(store, name), text)
        WorkItemRows(store).put("attributes", entity(store, name), WorkItem("m", "p", "h", "done", "", 1, 0))


def attributes(store: Store) -> dict[str, str]:
    return dict(zip(*GraphRows(store).nodes_of(NodeType.ATTRIBUTE)[1:], strict=True))


def important(store: Store) -> set[str]:
    """Those of the two names that are worth a portrait."""
    graph = read_heterograph(store)
    return {graph.names[row] for row in important_entities(graph)} & {LONG, SHORT}


def pending(store: Store) -> list[int]:
    """The items of the stage that are to do."""
    stage = AttributeStage()
    with store.transaction():
        items = stage.items(store)
        stage.forget_others(store, items)
    known = WorkItemRows(store).state("attributes")
    return [node for node in items if node not in known or stage.is_stale(store, node)]


def test_one_row_stands_for_both_and_has_the_edges_of_both(one: Store) -> None:
    graph = read_heterograph(one)
    assert (LONG.lower() in graph.keys, SHORT.lower() in graph.keys) == (True, False)
    row = graph.row_of[entity(one, LONG)]
    said = {note.text for near in graph.beside(row) for note in graph.notes(int(near))}
    assert {said.text for said in (*OF_LONG[:2], *OF_SHORT)} <= said
    assert graph.all_names(row) == (LONG, SHORT)


def test_without_merges_the_graph_is_what_it_was(store: Store) -> None:
    before = read_heterograph(store)
    decide(store, LONG, SHORT, True)
    assert read_heterograph(store).digest != before.digest
    decide(store, LONG, SHORT, None)
    assert read_heterograph(store).digest == before.digest


def test_what_is_said_under_any_name_makes_an_entity_important(store: Store) -> None:
    assert important(store) == {LONG, SHORT}
    decide(store, LONG, SHORT, True)
    assert important(store) == {LONG}


def test_any_name_may_be_the_one_that_is_worth_describing(one: Store) -> None:
    """ "WHO" alone might be any "who"; merged, it may stand for the long form."""
    graph = GraphRows(one)
    (who,) = graph.put_nodes(NodeType.ENTITY, [("who", "WHO")]).tolist()
    units = [unit for unit, _, _ in graph.edges_to(EdgeType.NAMES, [entity(one, SHORT)])]
    graph.add_edges(EdgeType.NAMES, units, [who] * len(units), [1.0] * len(units))
    read = read_heterograph(one)
    assert not has_describable_name(read, read.row_of[who])
    with one.transaction():
        NameRows(one).put_merged({entity(one, LONG): who})
    read = read_heterograph(one)
    assert has_describable_name(read, read.row_of[who])


def test_a_portrait_is_of_both_names(one: Store) -> None:
    request = AttributeStage().request(one, entity(one, LONG))
    assert request is not None
    asked = request.messages[-1].content
    assert asked.startswith(f"Name: {LONG} (also {SHORT})\n")
    assert "- European Central Bank fought smallpox in Asia." in asked
    assert "- ECB trains nurses in Kenya." in asked
    write(one)
    assert attributes(one) == {LONG.lower(): WRITTEN}
    assert GraphRows(one).edges(EdgeType.DESCRIBES)[1].tolist() == sorted([entity(one, LONG), entity(one, SHORT)])


@pytest.mark.parametrize("seed", range(3))
def test_in_a_context_it_stands_under_the_name_that_stands_for_all(tmp_path: Path, seed: int) -> None:
    with Store.open(tmp_path / "vault", write=True) as store:
        fill(store, (OF_LONG, OF_SHORT, *TOWNS), seed)
        decide(store, LONG, SHORT, True)
        write(store)
        kinds = (NodeType.SENTENCE, NodeType.TEXT, NodeType.RELATIONSHIP)
        arrays = read_graph_arrays(store, *(VectorIndex.open(store, kind) for kind in kinds))
        (piece,) = GraphPieces(store, arrays).attributes(GraphRows(store).nodes_of(NodeType.ATTRIBUTE)[0].tolist())
    assert piece.place.title == LONG


def test_a_merge_makes_the_items_of_its_names_stale_and_no_other(store: Store) -> None:
    write(store)
    write(store, SHORT, "ECB trains nurses in Kenya.")
    before = set(pending(store))
    assert not {entity(store, LONG), entity(store, SHORT)} & before
    decide(store, LONG, SHORT, True)
    assert set(pending(store)) - before == {entity(store, LONG)}
    assert set(attributes(store)) == {LONG.lower()}, "the half portrait of the other name is dropped"
    write(store)
    assert set(pending(store)) <= before


def test_a_name_of_which_little_is_said_makes_a_portrait_stale_too(tmp_path: Path) -> None:
    said = [(Unit(f"{LONG} printed note {number}.", (LONG,)),) for number in range(9)]
    with Store.open(tmp_path / "vault", write=True) as store:
        fill(store, (*said, (Unit("ECB moved.", (SHORT,)),)))
        write(store, text=f"{LONG} printed note 1.")
        assert not AttributeStage().is_stale(store, entity(store, LONG))
        decide(store, LONG, SHORT, True)
        assert AttributeStage().is_stale(store, entity(store, LONG))


def test_undone_no_portrait_mixes_them_up_and_both_are_asked_about(one: Store) -> None:
    write(one)
    CommunitiesStep().run(one, lambda done, total: None, lambda: False)
    graph = GraphRows(one)
    communities = {source for source, _, _ in graph.edges_to(EdgeType.MEMBER, graph.nodes_of(NodeType.ATTRIBUTE)[0])}
    with one.transaction():
        for community in communities:
            put_elements(one, community, f"key {community}", [ElementLine("ECB", "ECB trains nurses in Kenya.")])
    assert communities
    decide(one, LONG, SHORT, None)
    assert attributes(one) == {}
    assert not len(graph.nodes_of(NodeType.HIGH_LEVEL_ELEMENT)[0])
    assert not len(graph.nodes_of(NodeType.OVERVIEW)[0])
    assert {entity(one, LONG), entity(one, SHORT)} <= set(pending(one))


def test_a_merge_that_is_undone_leaves_the_vault_as_it_was(store: Store) -> None:
    write(store, SHORT, "ECB trains nurses in Kenya.")
    before = digest(store)
    decide(store, LONG, SHORT, True)
    assert digest(store) != before
    decide(store, LONG, SHORT, None)
    assert digest(store) == before


@pytest.mark.parametrize("note", ["/notes/0.md", "/notes/1.md"])
def test_a_portrait_goes_with_a_note_of_either_name(one: Store, note: str) -> None:
    write(one)
    FileRows(one).remove([FileRows(one).known()[note].id])
    assert attributes(one) == {}
    assert WorkItemRows(one).state("attributes") == {}


@pytest.mark.parametrize("note", ["/notes/0.md", "/notes/1.md"])
def test_a_portrait_goes_with_a_note_of_either_name_even_when_they_were_parted_since(one: Store, note: str) -> None:
    write(one)
    decide(one, LONG, SHORT, False)
    FileRows(one).remove([FileRows(one).known()[note].id])
    assert attributes(one) == {}


class TestAttributedCommunities:
    @pytest.fixture
    def spelled(self, tmp_path: Path) -> Iterator[Store]:
        """Notes that spell a name in two ways, in other company each time."""
        notes = tmp_path / "notes"
        notes.mkdir()
        (notes / "a.md").write_text(
            "Søren Nygård met Anna Costa.\n\nAnna Costa met Ben Weiss.\n\nSøren Nygård met Ben Weiss.\n", "utf-8"
        )
        (notes / "b.md").write_text(
            "Soren Nygard met Cleo Marsh.\n\nCleo Marsh met Dora Lindt.\n\nSoren Nygard met Dora Lindt.\n", "utf-8"
        )
        with Store.open(tmp_path / "vault", write=True) as opened:
            index(opened, notes)
            yield opened

    def run(self, store: Store) -> AttributedRows:
        AttributedStep().run(store, lambda done, total: None, lambda: False)
        return AttributedRows(store)

    def test_one_stands_for_both_and_is_in_one_community(self, spelled: Store) -> None:
        (first, *_) = self.run(spelled).levels()
        members = [int(node) for held in first.members for node in held]
        assert len(members) == len(set(members))
        names = GraphRows(spelled).names(members)
        assert ("Søren Nygård" in names) != ("Soren Nygard" in names)

    def test_held_apart_they_are_clustered_anew(self, spelled: Store) -> None:
        self.run(spelled)
        assert not AttributedStep().needed(spelled)
        decide(spelled, "Søren Nygård", "Soren Nygard", False)
        assert AttributedStep().needed(spelled)

    @pytest.mark.parametrize("note", ["a.md", "b.md"])
    @pytest.mark.parametrize("parted", ["", "parted", "parted and brought up to date"])
    def test_what_was_written_goes_with_a_note_that_it_was_made_of(
        self, spelled: Store, note: str, parted: str
    ) -> None:
        rows = self.run(spelled)
        (first, *_) = rows.levels()
        texts = {
            int(community): " ".join(GraphRows(spelled).names(told.tolist()))
            for community, told in zip(first.ids, first.key_sentences, strict=True)
        }
        for community, text in texts.items():
            rows.write(community, "Title", text)
        if parted:
            decide(spelled, "Søren Nygård", "Soren Nygard", False)
        if parted.endswith("up to date"):
            self.run(spelled)
        (path,) = [path for path in FileRows(spelled).known() if path.endswith(note)]
        gone = sentences_of(spelled, path)
        FileRows(spelled).remove([FileRows(spelled).known()[path].id])
        left = str(rows.written(list(texts)))
        assert not [sentence for sentence in gone if sentence in left]

    def test_the_community_that_is_named_most_under_any_name_is_asked_about_first(self, tmp_path: Path) -> None:
        with Store.open(tmp_path / "words", write=True) as store:
            add(store, document("/notes/a.md", ["Abba met Abla."], ["Boba met Bola."], ["Boba saw Bola."]))
            add(store, document("/notes/b.md", ["Zed keeps bees."], ["Zed is well."], ["Zed has gone."]))
            link_and_embed(store)
            nodes = GraphRows(store).find(NodeType.ENTITY, ["Abba", "Abla", "Zed"])
            with store.transaction():
                NameRows(store).put_merged({nodes["Zed"]: nodes["Abba"]})
            self.run(store)
            (first, _) = CommunitySummaryStage(1).items(store)
            assert first in [source for source, _, _ in GraphRows(store).edges_to(EdgeType.HOLDS, [nodes["Abla"]])]

    def test_what_was_written_goes_with_a_sentence_that_has_the_other_name_alone(self, tmp_path: Path) -> None:
        with Store.open(tmp_path / "words", write=True) as store:
            met = ["Abba met Abla and Abma.", "Abla met Abma."]
            add(store, document("/notes/met.md", met), document("/notes/bees.md", ["Zed keeps bees."]))
            link_and_embed(store)
            nodes = GraphRows(store).find(NodeType.ENTITY, ["Abba", "Zed"])
            with store.transaction():
                NameRows(store).put_merged({nodes["Zed"]: nodes["Abba"]})
            rows = self.run(store)
            (community,) = rows.of_level(1)
            rows.write(community, "Abba", "Abba keeps bees.")
            FileRows(store).remove([FileRows(store).known()["/notes/bees.md"].id])
            assert rows.written([community]) == {}


def sentences_of(store: Store, path: str) -> list[str]:
    found = Overview(store).find_document(path)
    assert found is not None
    return GraphRows(store).names(Overview(store).sentences_of_document(found.id))
