"""Applies the rules to one document; nothing outside the document counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from noderag_local.extraction.rules.entities import aliases, document_mentions, link_name
from noderag_local.extraction.rules.subject import leading_entity
from noderag_local.storage.database.spelling import storable
from noderag_local.storage.documents.texts import StoredChunk, StoredDocument
from noderag_local.storage.graph.document_counts import Share
from noderag_local.system.printing.mail_names import is_mail_name
from noderag_local.text.identity import entity_key
from noderag_local.text.keywords import keywords, marked_words

_QUALIFIER = re.compile(r"\s*\([^()]*\)$")
"""The part in parentheses that distinguishes equal titles: "Hello Love (song)"."""


@dataclass(slots=True)
class Reading:
    """Entities, keywords and edges of a document; an edge joins a sentence's id and a key."""

    surfaces: dict[str, Counter[str]] = field(default_factory=dict)
    """Count of each surface form, by key of the entity."""
    mentions: list[tuple[int, str]] = field(default_factory=list)
    subjects: set[tuple[int, str]] = field(default_factory=set)
    aliases: set[tuple[str, str]] = field(default_factory=set)
    """Pairs of keys that mean the same entity, the lesser key first."""
    keywords: list[tuple[int, str]] = field(default_factory=list)
    marked: set[str] = field(default_factory=set)
    titles: set[str] = field(default_factory=set)
    """Names by which links may call the document."""
    links: set[str] = field(default_factory=set)
    """Names by which its links call other documents."""

    def entity(self, name: str) -> str:
        """Returns the key of a name and counts the name as a surface form; "" if it names no entity."""
        key = "" if is_mail_name(name) else entity_key(name)
        if key:
            self.surfaces.setdefault(key, Counter())[name] += 1
        return key

    def share(self) -> Share:
        """Returns what the document adds to the counts over all documents."""
        edges = Counter(key for _, key in (*self.mentions, *self.subjects))
        edges.update(key for pair in self.aliases for key in pair)
        words: dict[str, list[int]] = {}
        for sentence, word in self.keywords:
            count = words.setdefault(word, [0, 0])
            count[0] += 1
            count[1] += sentence
        return Share(
            self.surfaces,
            edges,
            words,
            sorted(self.marked),
            [list(p) for p in sorted(self.aliases)],
            sorted(self.titles),
        )


def read_document(document: StoredDocument) -> Reading:
    """Returns the entities, keywords, subjects, aliases and links of a document."""
    reading = Reading()
    named = document_mentions(document.title, document.sentences)
    keys = [[reading.entity(mention.name) for mention in mentions] for mentions in named]
    if keys:
        keys[0] += [reading.entity(name) for name in (*document.tags, *document.aliases)]
    longer = longer_names(key for of_sentence in keys for key in of_sentence)
    for node, sentence, of_sentence in zip(document.sentence_ids, document.sentences, keys, strict=True):
        resolved = dict.fromkeys([*of_sentence, *(longer[key] for key in of_sentence if key in longer)])
        reading.mentions += ((node, key) for key in resolved if key)
        reading.keywords += ((node, word) for word in keywords(sentence.text))
        reading.marked |= marked_words(sentence.text)
        for pair in aliases(sentence.text, sentence.links):
            first, second = sorted((reading.entity(pair.name), reading.entity(pair.alias)))
            if first and first != second:
                reading.aliases.add((first, second))
        reading.links |= {_note_key(link_name(link.target)) for link in sentence.links}
    _read_subjects(document, keys, reading)
    # Obsidian links to files, whatever their headings say.
    file_name = storable(Path(document.path).stem) if document.record == 0 else ""
    reading.titles |= {_note_key(name) for name in (document.title, file_name, *document.aliases) if name}
    return reading


def _read_subjects(document: StoredDocument, keys: list[list[str]], reading: Reading) -> None:
    named = dict(zip(document.sentence_ids, keys, strict=True))
    for chunk in document.chunks:
        for name in _subjects(document, chunk):
            key = reading.entity(name)
            reading.subjects |= {(node, key) for node in chunk.sentence_ids if key and key not in named[node]}


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


def longer_names(keys: Iterable[str]) -> dict[str, str]:
    """Returns, for each key that begins or ends a longer key of the document, the first such longer key.

    Args:
        keys: entity keys in the order in which the document names them. Keys that are numbers are never resolved:
            "1957" is not short for "16 june 1957".
    """
    ordered = list(dict.fromkeys(keys))
    longer: dict[str, str] = {}
    for name in ordered:
        words = name.split(" ")
        for part in {" ".join(words[:count]) for count in range(1, len(words))} | {
            " ".join(words[-count:]) for count in range(1, len(words))
        }:
            longer.setdefault(part, name)
    return {key: longer[key] for key in ordered if key in longer and not any(map(str.isdigit, key))}
