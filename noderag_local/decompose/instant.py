"""The instant tier of the graph: entities, keywords and their edges from every sentence, by rule.

The stage reads the whole vault and replaces what it made before. That costs 6 seconds on 24,000 sentences, a twelfth of
what it takes to embed them, and makes the graph a function of the texts alone, in whatever order they came.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from noderag_local.decompose.entities import aliases, document_mentions, link_name
from noderag_local.decompose.resolve import longer_names
from noderag_local.decompose.subject import leading_entity
from noderag_local.records import EdgeType, NodeType
from noderag_local.store.database import Store
from noderag_local.store.graph import GraphRows
from noderag_local.store.texts import StoredChunk, StoredDocument, TextRows
from noderag_local.words import display_name, document_frequencies, entity_key, is_kept, keywords, marked_words

_QUALIFIER = re.compile(r"\s*\([^()]*\)$")
"""What tells titles apart: "Hello Love (song)"."""


@dataclass(slots=True)
class _Gathered:
    """What the sentences read so far name; ends of edges are a sentence's id and a key."""

    surfaces: dict[str, Counter[str]] = field(default_factory=dict)
    mentions: list[tuple[int, str]] = field(default_factory=list)
    subjects: list[tuple[int, str]] = field(default_factory=list)
    aliases: dict[tuple[str, str], None] = field(default_factory=dict)
    keywords: list[tuple[int, list[str]]] = field(default_factory=list)
    marked: set[str] = field(default_factory=set)
    names_of_documents: dict[str, int] = field(default_factory=dict)
    links: list[tuple[int, str]] = field(default_factory=list)

    def entity(self, name: str) -> str:
        """The key of a name, which is counted as one of its surface forms."""
        key = entity_key(name)
        if key:
            self.surfaces.setdefault(key, Counter())[name] += 1
        return key


def build_instant_graph(store: Store, advanced: Callable[[int], None]) -> None:
    """Replaces all entities, keywords and their edges by those of the present sentences, in one transaction.

    Args:
        advanced: told now and then how many sentences are read.
    """
    gathered, read = _Gathered(), 0
    for document in TextRows(store).all_sentences():
        _gather(document, gathered)
        read += len(document.sentences)
        advanced(read)
    with store.transaction():
        _write_entities(GraphRows(store), gathered)
        _write_keywords(GraphRows(store), gathered)
        _write_links(GraphRows(store), gathered)
        GraphRows(store).drop_orphans([NodeType.ENTITY, NodeType.KEYWORD])


def _gather(document: StoredDocument, gathered: _Gathered) -> None:
    named = document_mentions(document.title, document.sentences)
    keys = [[gathered.entity(mention.name) for mention in mentions] for mentions in named]
    if keys:
        keys[0] += [gathered.entity(name) for name in (*document.tags, *document.aliases)]
    longer = longer_names(key for of_sentence in keys for key in of_sentence)
    for node, sentence, of_sentence in zip(document.sentence_ids, document.sentences, keys, strict=True):
        resolved = dict.fromkeys([*of_sentence, *(longer[key] for key in of_sentence if key in longer)])
        gathered.mentions += ((node, key) for key in resolved if key)
        gathered.keywords.append((node, keywords(sentence.text)))
        gathered.marked |= marked_words(sentence.text)
        for pair in aliases(sentence.text, sentence.links):
            gathered.aliases[gathered.entity(pair.name), gathered.entity(pair.alias)] = None
        gathered.links += ((document.id, _note_key(link_name(link.target))) for link in sentence.links)
    _gather_subjects(document, keys, gathered)
    for name in (document.title, *document.aliases):
        if name:
            gathered.names_of_documents.setdefault(_note_key(name), document.id)


def _gather_subjects(document: StoredDocument, keys: list[list[str]], gathered: _Gathered) -> None:
    named = dict(zip(document.sentence_ids, keys, strict=True))
    for chunk in document.chunks:
        for name in _subjects(document, chunk):
            key = gathered.entity(name)
            gathered.subjects += ((node, key) for node in chunk.sentence_ids if key and key not in named[node])


def _subjects(document: StoredDocument, chunk: StoredChunk) -> Iterator[str]:
    """What a chunk is about: title and innermost heading, else the leading entity of its first sentence."""
    if document.title:
        yield _QUALIFIER.sub("", document.title)
        yield from chunk.headings[-1:]
        return
    leading = leading_entity(chunk.sentences[0].text)
    if leading:
        yield leading


def _note_key(name: str) -> str:
    return " ".join(name.casefold().split())


def _write_entities(graph: GraphRows, gathered: _Gathered) -> None:
    keys = sorted(gathered.surfaces)
    ids = graph.put_nodes(NodeType.ENTITY, [(key, display_name(gathered.surfaces[key])) for key in keys])
    id_of = dict(zip(keys, ids.tolist(), strict=True))
    _replace(graph, EdgeType.MENTION, ((node, id_of[key]) for node, key in gathered.mentions))
    _replace(graph, EdgeType.SUBJECT, ((node, id_of[key]) for node, key in gathered.subjects))
    pairs = ((id_of[name], id_of[alias]) for name, alias in gathered.aliases if name and alias and name != alias)
    _replace(graph, EdgeType.ALIAS, ((min(pair), max(pair)) for pair in pairs))


def _write_keywords(graph: GraphRows, gathered: _Gathered) -> None:
    frequencies = document_frequencies(words for _, words in gathered.keywords)
    kept = sorted(word for word, count in frequencies.items() if is_kept(word, count, word in gathered.marked))
    ids = graph.put_nodes(NodeType.KEYWORD, [(word, word) for word in kept])
    id_of = dict(zip(kept, ids.tolist(), strict=True))
    edges = ((node, id_of[word]) for node, words in gathered.keywords for word in words if word in id_of)
    _replace(graph, EdgeType.KEYWORD, edges)


def _write_links(graph: GraphRows, gathered: _Gathered) -> None:
    found = ((document, gathered.names_of_documents.get(name)) for document, name in gathered.links)
    _replace(graph, EdgeType.LINK, ((source, target) for source, target in found if target and target != source))


def _replace(graph: GraphRows, kind: EdgeType, pairs: Iterable[tuple[int, int]]) -> None:
    """Edges of weight 1, each pair once."""
    ends = np.array(sorted(set(pairs)), dtype=np.int64).reshape(-1, 2)
    graph.replace_edges(kind, ends[:, 0], ends[:, 1], np.ones(len(ends), dtype=np.float32))
