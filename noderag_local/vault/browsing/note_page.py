"""Makes the page of a document: its text, what links to it or names it, and the entities that it names."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from noderag_local.domain.errors import DocumentError, NotFound
from noderag_local.domain.graph import EdgeType, EntityKind, NodeType
from noderag_local.domain.passages import Source
from noderag_local.extraction.rules.document_reading import note_key
from noderag_local.extraction.rules.entities import link_name
from noderag_local.storage.browsing.atlas_rows import AtlasRows, NamedDocument
from noderag_local.storage.browsing.overview import Overview
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.merged_names import MergedNames
from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.text.identity import entity_key
from noderag_local.vault.browsing.catalogue import kind_of
from noderag_local.vault.browsing.entity_page import NearEntity, near_entities
from noderag_local.vault.browsing.judged_names import judged_names
from noderag_local.vault.browsing.name_evidence import is_like_name
from noderag_local.vault.browsing.note_text import NoteText, file_text, is_shown_from_file, stored_text
from noderag_local.vault.browsing.relations import StatedRelation, relations_of_note

ENTITIES = 30
MOST_NAMED = 100
"""Number of the most frequent entities that ENTITIES are chosen from: many of them are dates and quantities, which seldom lead anywhere."""
NAMED_FROM = 2_000
"""Number of sentences, the first ones, whose entities are counted."""
MENTIONS = 30
"""Maximal number of documents that name the document without a link."""
LOOKED_AT = 400
"""Number of sentences with the name that are looked at for them."""

_NAMING = (EdgeType.MENTION, EdgeType.RECOGNISED)


@dataclass(frozen=True, slots=True)
class NotePage:
    """A document with its text, the documents around it, and its entities."""

    node: int
    name: str
    """Its title, or the name of its file where it has none."""
    path: str
    record: int
    tags: tuple[str, ...]
    text: NoteText
    entities: tuple[NearEntity, ...]
    """Names that the sentences mention, the most frequent first, then dates and quantities; words that are no names are left out."""
    relations: tuple[StatedRelation, ...]
    """Relations that the notes state, of the person or thing that the note is about."""
    links: tuple[NamedDocument, ...]
    """Documents that it links to."""
    linked_from: tuple[NamedDocument, ...]
    """Documents that link to it."""
    mentioned: tuple[Source, ...]
    """Sentences that name it without a link: the first one of each other document that has one."""


def note_page(store: Store, node: int) -> NotePage:
    """Returns the page of a document.

    Raises:
        NotFound: there is no such document any more.
    """
    graph, rows = GraphRows(store), AtlasRows(store)
    with store.steady():
        found = rows.documents([node])
        if not found:
            raise NotFound("This document is not in the vault any more. Go back to the list.")
        document = found[0]
        sentence_ids = Overview(store).sentences_of_document(node)
        links = [target for _, target, _ in graph.edges_from(EdgeType.LINK, [node])]
        linked_from = _linked(store, [source for source, _, _ in graph.edges_to(EdgeType.LINK, [node])])
        return NotePage(
            node,
            document.name,
            document.path,
            document.record,
            document.tags,
            _text(store, document, sentence_ids),
            _entities(store, sentence_ids[:NAMED_FROM]),
            relations_of_note(store, _names_of(document)),
            _linked(store, links),
            linked_from,
            _mentions(store, document, linked_from),
        )


def passage_alone(source: Source) -> NotePage:
    """Returns a page of a passage whose document is not in the vault any more: nothing but its text."""
    remark = f"{source.path} is not in the vault any more. Below is what was indexed."
    text = stored_text([source], frozenset(), remark)
    name = source.title or os.path.basename(source.path)
    return NotePage(0, name, source.path, source.record, (), text, (), (), (), (), ())


def linked_note(store: Store, target: str, path: str) -> int:
    """Returns the node of the document that a link leads to, by its path where it names one, else by its name; 0 for none.

    Args:
        store: the vault.
        target: what the link names: "people/Marta.md", "Marta".
        path: path of the file that has the link.
    """
    rows = AtlasRows(store)
    beside = os.path.normpath(os.path.join(os.path.dirname(path), target))
    return rows.document_at(beside, 0) or rows.document_called(note_key(link_name(target)))


def _names_of(document: NamedDocument) -> list[str]:
    """Returns the names of a note: its title, its aliases and the name of its file; only the title if its file has several documents."""
    file = os.path.splitext(os.path.basename(document.path))[0]
    return [document.title, *document.aliases, *([] if document.record else [file])]


def _text(store: Store, document: NamedDocument, sentence_ids: Sequence[int]) -> NoteText:
    remark = ""
    if is_shown_from_file(document.path) and not AtlasRows(store).is_one_of_several(document.node):
        try:
            return file_text(document.path)
        except DocumentError as error:
            remark = str(error)
    passages = TextRows(store).passages(sentence_ids)
    headings = AtlasRows(store).headings_among(sentence_ids)
    places = frozenset(place for place, number in enumerate(sentence_ids) if number in headings)
    return stored_text(passages, places, remark)


def _entities(store: Store, sentence_ids: Sequence[int]) -> tuple[NearEntity, ...]:
    graph, merged, edges = GraphRows(store), MergedNames(store), Snapshot.open(store).edges
    frequent = near_entities(graph, merged.stands_for, sentence_ids, set(), MOST_NAMED)
    judged = judged_names(store, {one.node: one.name for one in frequent}, [edges[kind][:2] for kind in _NAMING])

    def stands_for(entity: int) -> int:
        into = merged.stands_for(entity)
        return judged.counts_for.get(into, into)

    found = near_entities(graph, stands_for, sentence_ids, set(judged.no_names), MOST_NAMED)
    dated = [one for one in found if kind_of(one.name) is not EntityKind.NAME]
    names = [one for one in found if one not in dated and (is_like_name(one.name) or one.node in judged.noted)]
    return tuple([*names, *dated][:ENTITIES])


def _linked(store: Store, nodes: Sequence[int]) -> tuple[NamedDocument, ...]:
    return tuple(sorted(AtlasRows(store).documents(nodes), key=lambda one: (one.name, one.node)))


def _mentions(store: Store, document: NamedDocument, linked_from: Collection[NamedDocument]) -> tuple[Source, ...]:
    """Returns the first sentence of each document that names this one, without a link to it, by its title or another name."""
    graph = GraphRows(store)
    keys = [key for name in (document.title, *document.aliases) if (key := entity_key(name))]
    named = MergedNames(store)
    entities = {same for node in graph.find(NodeType.ENTITY, keys).values() for same in named.all_of(node)}
    naming = sorted({source for kind in _NAMING for source, _, _ in graph.edges_to(kind, entities)})
    left_out = {(one.path, one.record) for one in (document, *linked_from)}
    first: dict[tuple[str, int], Source] = {}
    for source in TextRows(store).passages(naming[:LOOKED_AT]):
        if (source.path, source.record) not in left_out:
            first.setdefault((source.path, source.record), source)
    return tuple(first.values())[:MENTIONS]
