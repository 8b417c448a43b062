"""Vaults for walking in: notes with entities by the rules, and what a language model would add, by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from helpers.small_documents import add, document
from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.extraction.rules.entities import mentions
from noderag_local.graph.summaries.high_level import put_elements
from noderag_local.graph.summaries.summary_lines import ElementLine
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.text.identity import entity_key

NOTES = {
    "/notes/people/marta.md": (
        "Marta Oliveira met Jonas Brandt in Ghent on 16 June 2014.",
        "Marta Oliveira moved to Porto in 2019.",
    ),
    "/notes/2025-03-05 ghent.md": ("Jonas Brandt still lives in Ghent.", "The school in Ghent closed in 2014."),
    "/notes/bicycle.md": ("Tomasz Nowak repaired the bicycle in Porto.",),
}


def write_notes(store: Store) -> None:
    """The notes, with the entities that the rules find in them."""
    add(store, *(document(path, sentences) for path, sentences in NOTES.items()))
    table = {
        number: sentence.text
        for found in TextRows(store).all_sentences()
        for number, sentence in zip(found.sentence_ids, found.sentences, strict=True)
    }
    graph = GraphRows(store)
    pairs = [(sentence, mention.name) for sentence, text in table.items() for mention in mentions(text)]
    nodes = graph.put_nodes(NodeType.ENTITY, [(entity_key(name), name) for _, name in pairs])
    graph.add_edges(EdgeType.MENTION, [sentence for sentence, _ in pairs], nodes, np.ones(len(pairs)))


def node(store: Store, name: str) -> int:
    """An entity by its name."""
    return GraphRows(store).find(NodeType.ENTITY, [entity_key(name)])[entity_key(name)]


def sentence(store: Store, start: str) -> int:
    """The sentence that begins so."""
    (found,) = [
        number
        for document in TextRows(store).all_sentences()
        for number, one in zip(document.sentence_ids, document.sentences, strict=True)
        if one.text.startswith(start)
    ]
    return found


def put_theme(store: Store, key: str, members: Sequence[int], lines: Sequence[tuple[str, str]] = ()) -> int:
    """A community with elements of (title, description)."""
    graph = GraphRows(store)
    with store.transaction():
        (community,) = graph.put_nodes(NodeType.COMMUNITY, [(key, "")]).tolist()
        graph.add_edges(EdgeType.MEMBER, [community] * len(members), members, np.ones(len(members)))
        put_elements(store, community, key, [ElementLine(*line) for line in lines])
    return int(community)


def put_unit(store: Store, text: str, sentences: Sequence[int], names: Sequence[str]) -> int:
    """A semantic unit made of sentences."""
    graph = GraphRows(store)
    with store.transaction():
        (unit,) = graph.put_nodes(NodeType.SEMANTIC_UNIT, [(text, text)]).tolist()
        graph.add_edges(EdgeType.PART, [unit] * len(sentences), sentences, np.ones(len(sentences)))
        named = [node(store, name) for name in names]
        graph.add_edges(EdgeType.NAMES, [unit] * len(named), named, np.ones(len(named)))
    return int(unit)
