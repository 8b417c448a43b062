"""Applies the rules to one document, and finds what each paragraph is about; nothing outside the document counts."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from noderag_local.domain.documents import BlockKind
from noderag_local.extraction.rules.dates import dates
from noderag_local.extraction.rules.entities import aliases, document_mentions, link_name
from noderag_local.extraction.rules.longer_names import longer_names
from noderag_local.extraction.rules.names import name_spans, quoted_titles
from noderag_local.storage.database.spelling import storable
from noderag_local.storage.documents.texts import StoredChunk, StoredDocument
from noderag_local.storage.graph.document_counts import Share
from noderag_local.system.printing.mail_names import is_mail_name
from noderag_local.text.identity import entity_key
from noderag_local.text.keywords import keywords, marked_words
from noderag_local.text.people_pages import is_full_name

MAX_WORDS_BEFORE = 4

_LEAD_IN = re.compile(
    r"(?:in|on|at|during|after|before|by|from|for|with|as|when|while|since|although|though|despite|because|under|"
    r"according to|prior to|following|am|im|nach|vor|bei|seit|dans|en|à|après|avant)\b[^,]{0,160},\s",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|had|have|became|becomes|will|would|can|may|ist|sind|war|waren|hat|wurde|est|sont|était|fut|es|son|fue|era)\b"
)


_DESCRIBED = re.compile(r" (?:(?!(?:of|in|at|by|for|on|to|from|with|or|that|which|who)\b)[a-z-]+ ){0,5}[\"“`]{0,2}\s?")


def leading_entity(text: str, title: str = "") -> str | None:
    """Returns the entity that a chunk or document is about, for its sentences that only say "she" or "it".

    The title where there is one. Else the first name of the first sentence, if it stands where its subject does: a
    few words from the start, an introductory phrase ("In 1957, …") passed over, and before the first verb.

    Args:
        text: the first sentence.
        title: of the document; "" where it has none.
    """
    if title:
        return title
    lead_in = _LEAD_IN.match(text)
    start = lead_in.end() if lead_in else 0
    verb = _VERB.search(text, start)
    subject = text[start : verb.start() if verb else len(text)]
    return _first_name(subject)


def _first_name(subject: str) -> str | None:
    """Returns the first name or quoted title, or the one that it only describes: "Indian astronomer Aryabhata" → "Aryabhata"."""
    closed = [span for span, _ in dates(subject)]
    found = [(start, end, title) for (start, end), title in quoted_titles(subject)]
    closed += ((start, end) for start, end, _ in found)
    for start, end in name_spans(subject):
        if not any(a < end and start < b for a, b in closed):
            found.append((start, end, subject[start:end]))
    found.sort()
    if not found or len(subject[: found[0][0]].split()) > MAX_WORDS_BEFORE:
        return None
    for (_, end, name), (start, _, _) in itertools.pairwise(found):
        if " " in name or not _DESCRIBED.fullmatch(subject, end, start):
            return name
    return found[-1][2]


_QUALIFIER = re.compile(r"(?<!\s)\s*+\([^()]*\)$")
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
    longer = longer_names(keys, reading.surfaces)
    for node, sentence, of_sentence in zip(document.sentence_ids, document.sentences, keys, strict=True):
        resolved = dict.fromkeys([*of_sentence, *(longer[key] for key in of_sentence if key in longer)])
        reading.mentions += ((node, key) for key in resolved if key)
        reading.keywords += ((node, word) for word in keywords(sentence.text))
        reading.marked |= marked_words(sentence.text)
        for pair in aliases(sentence.text, sentence.links):
            first, second = sorted((reading.entity(pair.name), reading.entity(pair.alias)))
            if first and first != second:
                reading.aliases.add((first, second))
        reading.links |= {note_key(link_name(link.target)) for link in sentence.links}
    _read_subjects(document, keys, reading)
    # Obsidian links to files, whatever their headings say.
    file_name = storable(Path(document.path).stem) if document.record == 0 else ""
    reading.titles |= {note_key(name) for name in (document.title, file_name, *document.aliases) if name}
    return reading


def _read_subjects(document: StoredDocument, keys: list[list[str]], reading: Reading) -> None:
    named = dict(zip(document.sentence_ids, keys, strict=True))
    for chunk in document.chunks:
        for node, names in _with_subjects(document, chunk):
            found = (reading.entity(name) for name in names)
            reading.subjects |= {(node, key) for key in found if key and key not in named[node]}


def _with_subjects(document: StoredDocument, chunk: StoredChunk) -> Iterator[tuple[int, list[str]]]:
    """Yields each sentence of a chunk with what it is about.

    That is the title and the innermost heading; without a title, the leading entity of the chunk's first sentence. A person whose
    name begins a paragraph, as in "**Ana Lee.** Lives in Bern.", takes the place of the heading up to the next one.
    """
    first, over = [], chunk.headings[-1:]
    if document.title:
        first = [_QUALIFIER.sub("", document.title)]
    elif leading := leading_entity(chunk.sentences[0].text):
        first = [leading]
    for node, sentence in zip(chunk.sentence_ids, chunk.sentences, strict=True):
        if sentence.kind is BlockKind.HEADING:
            over = (sentence.text,)
        elif name := _person_in_front(sentence.text):
            over = (name,)
        yield node, [*first, *(over if document.title else ())]


def _person_in_front(text: str) -> str:
    """Returns the full name that a sentence consists of or that stands before its colon; "" where none does."""
    name = text.partition(": ")[0].strip(" .*_")
    return name if is_full_name(name) else ""


def note_key(name: str) -> str:
    """Returns a name in the spelling in which links and the names of documents are compared."""
    return " ".join(name.casefold().split())
