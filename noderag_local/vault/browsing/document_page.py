"""Makes the page of a document, with its text and links to related documents and entities."""

from __future__ import annotations

from dataclasses import dataclass

from noderag_local.domain.errors import NotFound
from noderag_local.domain.graph import EdgeType, EntityKind
from noderag_local.domain.passages import Source
from noderag_local.storage.browsing.atlas_rows import AtlasRows, NamedDocument
from noderag_local.storage.browsing.overview import Overview
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.merged_names import MergedNames
from noderag_local.vault.browsing.catalogue import kind_of
from noderag_local.vault.browsing.entity_page import NearEntity, near_entities

SENTENCES = 500
"""Maximal number of sentences on a page; a whole book is better read in an editor."""
ENTITIES = 30
MOST_NAMED = 100
"""Number of the most frequent entities that ENTITIES are chosen from: many of them are dates and quantities, which seldom lead anywhere."""


@dataclass(frozen=True, slots=True)
class PageSentence:
    """A sentence of a document."""

    source: Source
    is_heading: bool


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """A document with its sentences, entities and linked documents."""

    node: int
    name: str
    """Its title, or the name of its file where it has none."""
    path: str
    tags: tuple[str, ...]
    sentences: tuple[PageSentence, ...]
    """Sentences in the order of the document, at most SENTENCES."""
    all_sentences: int
    entities: tuple[NearEntity, ...]
    """Entities that the sentences mention: names before dates and quantities, the most frequent first."""
    links: tuple[NamedDocument, ...]
    """Documents that it links to."""
    linked_from: tuple[NamedDocument, ...]
    """Documents that link to it."""


def document_page(store: Store, node: int) -> DocumentPage:
    """Returns the page of a document.

    Raises:
        NotFound: there is no such document any more.
    """
    graph = GraphRows(store)
    with store.steady():
        found = AtlasRows(store).documents([node])
        if not found:
            raise NotFound("This document is not in the vault any more. Go back to the list.")
        sentence_ids = Overview(store).sentences_of_document(node)
        shown = sentence_ids[:SENTENCES]
        return DocumentPage(
            node,
            found[0].name,
            found[0].path,
            found[0].tags,
            _sentences(store, shown),
            len(sentence_ids),
            _entities(graph, MergedNames(store), shown),
            _linked(store, [target for _, target, _ in graph.edges_from(EdgeType.LINK, [node])]),
            _linked(store, [source for source, _, _ in graph.edges_to(EdgeType.LINK, [node])]),
        )


def _sentences(store: Store, sentence_ids: list[int]) -> tuple[PageSentence, ...]:
    headings = AtlasRows(store).headings_among(sentence_ids)
    found = zip(sentence_ids, TextRows(store).passages(sentence_ids), strict=True)
    return tuple(PageSentence(source, number in headings) for number, source in found)


def _entities(graph: GraphRows, names: MergedNames, sentence_ids: list[int]) -> tuple[NearEntity, ...]:
    found = near_entities(graph, names, sentence_ids, set(), MOST_NAMED)
    names_first = sorted(found, key=lambda one: kind_of(one.name) is not EntityKind.NAME)
    return tuple(names_first[:ENTITIES])


def _linked(store: Store, nodes: list[int]) -> tuple[NamedDocument, ...]:
    return tuple(sorted(AtlasRows(store).documents(nodes), key=lambda one: (one.name, one.node)))
