"""The way from a question to what was found for it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from helpers.browsable_notes import node, put_unit, sentence
from helpers.small_documents import add, document

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.domain.passages import Ranked, Retrieval, Source
from noderag_local.extraction.rules.entities import mentions
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.document_rows import DocumentRows
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.vault.browsing.trace import CHOSEN, LINKS, SEEDS, SOURCES, Trace, TraceLayer, trace

REASONS = (("walk", 0.9), ("words", 0.1))
MET, MOVED, LIVES, SCHOOL, REPAIRED = (
    "Marta Oliveira met",
    "Marta Oliveira moved",
    "Jonas Brandt still",
    "The school",
    "Tomasz Nowak",
)


def found_for(
    store: Store, nodes: Sequence[int], seeds: Sequence[str] = (), kind: NodeType = NodeType.SENTENCE
) -> Retrieval:
    """A retrieval that chose sentences, or nodes made of the first of the notes; each is a source of its own."""
    places = nodes if kind is NodeType.SENTENCE else [sentence(store, MET)] * len(nodes)
    numbered = [
        Source(number, one.path, 0, "", (), one.first_line, one.last_line, 0, 1, one.text)
        for number, one in enumerate(TextRows(store).passages(places), 1)
    ]
    ranked = tuple(Ranked(number, kind, place, 1.0, REASONS) for place, number in enumerate(nodes, 1))
    weighed = tuple((name, 1 / (place + 2)) for place, name in enumerate(seeds))
    return Retrieval("noderag", "Who?", 1000, "", 10, tuple(numbered), ranked, weighed, 1.0)


def sentences(store: Store, *starts: str) -> list[int]:
    return [sentence(store, start) for start in starts]


def told(way: Trace) -> list[tuple[str, str, str]]:
    """(start, name of the edge, end), nodes by their first word."""
    first = ["?" if one.layer is TraceLayer.QUESTION else one.name.split()[0] for one in way.nodes]
    return [(first[edge.start], edge.name, first[edge.end]) for edge in way.edges]


def test_a_seed_that_stands_in_a_chosen_sentence_leads_to_it_and_that_to_its_source(store: Store) -> None:
    way = trace(store, found_for(store, sentences(store, REPAIRED), ["Porto"]))
    assert told(way) == [("?", "by its name", "Porto"), ("Porto", "named in", "Tomasz"), ("Tomasz", "stands in", "[1]")]
    assert [one.layer for one in way.nodes] == [
        TraceLayer.QUESTION,
        TraceLayer.SEED,
        TraceLayer.CHOSEN,
        TraceLayer.SOURCE,
    ]
    assert way.nodes[-1].name == "[1] bicycle.md:1"
    assert way.nodes[2].reasons == REASONS


def test_an_entity_links_a_seed_to_a_sentence_that_does_not_name_it(store: Store) -> None:
    way = trace(store, found_for(store, sentences(store, LIVES), ["Marta Oliveira"]))
    links = [one for one in way.nodes if one.layer is TraceLayer.LINK]
    assert [one.name for one in links] == ["Ghent", "Jonas Brandt"]
    assert ("Marta", "named with", "Ghent") in told(way) and ("Ghent", "named in", "Jonas") in told(way)


def test_where_nothing_leads_the_part_of_the_score_says_how_it_was_found(store: Store) -> None:
    way = trace(store, found_for(store, sentences(store, REPAIRED)))
    assert told(way)[0] == ("?", "reached by the walk", "Tomasz")


def test_a_sentence_that_was_a_seed_itself_is_drawn_once(store: Store) -> None:
    text = "Tomasz Nowak repaired the bicycle in Porto."
    way = trace(store, found_for(store, sentences(store, REPAIRED), [text]))
    assert told(way) == [("?", "near in meaning", "Tomasz"), ("Tomasz", "stands in", "[1]")]


def test_a_seed_by_meaning_leads_on_by_semantic_edges_and_can_be_opened(store: Store) -> None:
    start, end = sentence(store, SCHOOL), sentence(store, REPAIRED)
    GraphRows(store).add_edges(EdgeType.SEMANTIC, [start], [end], [0.5])
    way = trace(store, found_for(store, [end], ["The school in Ghent closed in 2014."]))
    assert told(way)[:2] == [("?", "near in meaning", "The"), ("The", "near in meaning", "Tomasz")]
    source = way.nodes[1].source
    assert source is not None and source.path == "/notes/2025-03-05 ghent.md"


def test_seeds_that_lead_nowhere_are_left_out_but_for_the_heaviest_where_none_does(store: Store) -> None:
    chosen = sentences(store, REPAIRED)
    assert [one.name for one in trace(store, found_for(store, chosen, ["2014", "Porto"])).nodes[1:2]] == ["Porto"]
    assert [one.name for one in trace(store, found_for(store, chosen, ["2014"])).nodes[1:2]] == ["2014"]


def test_cited_sources_come_first(store: Store) -> None:
    retrieval = found_for(store, sentences(store, MET, MOVED, LIVES, SCHOOL, REPAIRED))
    assert [one.name[:3] for one in trace(store, retrieval).nodes if one.type is NodeType.DOCUMENT] == [
        "[1]",
        "[2]",
        "[3]",
    ]
    cited = trace(store, retrieval, cited={5, 99})
    assert [one.name[:3] for one in cited.nodes if one.type is NodeType.DOCUMENT] == ["[5]"]


def test_units_are_reached_by_the_names_in_them(store: Store) -> None:
    unit = put_unit(store, "Marta and Jonas met.", [sentence(store, MET)], ["Jonas Brandt"])
    way = trace(store, found_for(store, [unit], ["Jonas Brandt"], NodeType.SEMANTIC_UNIT))
    assert told(way)[1] == ("Jonas", "named in", "Marta")


def test_what_is_gone_meanwhile_is_left_out(store: Store) -> None:
    retrieval = found_for(store, sentences(store, MET, REPAIRED), ["Porto"])
    (of_bicycle,) = store.rows(
        "SELECT d.id FROM documents d JOIN files f ON f.id = d.file_id WHERE path LIKE '%bicycle.md'"
    )[0]
    DocumentRows(store).remove([of_bicycle])
    way = trace(store, retrieval)
    assert [one.name.split()[0] for one in way.nodes if one.layer is TraceLayer.CHOSEN] == ["Marta"]


def test_nothing_found_is_the_question_alone(store: Store) -> None:
    way = trace(store, Retrieval("bm25", "Who?", 10, "", 0, (), (), (), 0.0))
    assert ([one.name for one in way.nodes], way.edges) == (["Who?"], ())


def test_a_crowded_way_stays_small_and_every_edge_leads_onwards(store: Store) -> None:
    texts = [f"Anna{number} Berg and Carl{number} Dorn saw Porto and Ghent." for number in range(30)]
    add(store, document("/notes/crowd.md", texts))
    graph = GraphRows(store)
    for text in texts:
        names = [mention.name for mention in mentions(text)]
        entities = graph.put_nodes(NodeType.ENTITY, [(name.casefold(), name) for name in names])
        graph.add_edges(EdgeType.MENTION, [sentence(store, text)] * len(names), entities, np.ones(len(names)))
    seeds = [f"{name}{number} {last}" for number in range(6) for name, last in (("Anna", "Berg"), ("Carl", "Dorn"))]
    chosen = [sentence(store, text) for text in texts[3:20]]
    way = trace(store, found_for(store, chosen, ["Marta Oliveira", *seeds]))
    assert len(way.nodes) <= 1 + SEEDS + LINKS + CHOSEN + SOURCES
    assert all(way.nodes[edge.start].layer < way.nodes[edge.end].layer for edge in way.edges)
    assert {edge.end for edge in way.edges} == set(range(1, len(way.nodes))), "all but the question is led to"
    assert trace(store, found_for(store, chosen, ["Marta Oliveira", *seeds])) == way


def test_the_page_of_every_entity_of_a_way_can_be_opened(store: Store) -> None:
    way = trace(store, found_for(store, sentences(store, LIVES), ["Marta Oliveira"]))
    assert {one.node for one in way.nodes if one.type is NodeType.ENTITY} == {
        node(store, name) for name in ("Marta Oliveira", "Ghent", "Jonas Brandt")
    }
