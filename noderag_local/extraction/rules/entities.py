"""Finds the entities of a sentence by rule, without a language model or a dictionary of names.

A document is read twice: first for what it tells about its own capitals and repetitions (`NameEvidence`), then sentence
by sentence. Nothing outside the document counts, so the order of documents never matters.

Acronyms are found beside their long form: "International Business Machines (IBM)", "IBM (International Business Machines)".
The test is that of Schwartz and Hearst (2003) on initials: each letter of the acronym starts a word of the long form, in order;
small words may be passed over.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from noderag_local.domain.documents import BlockKind, Sentence, WikiLink
from noderag_local.domain.graph import EntityKind, Mention
from noderag_local.extraction.rules.dates import dates, quantities, years
from noderag_local.extraction.rules.inner_names import inner_names
from noderag_local.extraction.rules.names import (
    capitalised_inside,
    name_spans,
    quoted_titles,
    repeated_runs,
    uncased_names,
)
from noderag_local.text.capitals import POSSESSIVE
from noderag_local.text.identity import entity_key
from noderag_local.text.languages import language_of

MAX_WORDS = 10

_BRACKET = re.compile(r"(?<=[\w.\"”'’])\s?\(\s?([^()\n]{2,100}?)\s?\)")
_ACRONYM = re.compile(r"(?:[^\W\d_]\.?){2,10}\d{0,2}")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SMALL_WORDS = "of the and for in on to a an de la le les du des del der die das und für et y e i da do von"
_PASSED_OVER = frozenset(_SMALL_WORDS.split())


@dataclass(frozen=True, slots=True)
class Alias:
    """Two names of one entity."""

    name: str
    """Long form of the name; the target of a wiki link."""
    alias: str
    """Short form of the name; the label of a wiki link."""


def acronyms(text: str) -> list[Alias]:
    """Returns the pairs of long form and acronym in a sentence."""
    if "(" not in text:
        return []
    return [pair for match in _BRACKET.finditer(text) if (pair := _pair(text, match)) is not None]


def _pair(text: str, match: re.Match[str]) -> Alias | None:
    inside = re.split(r"[,;:]\s|\s(?:or|also|formerly)\s", match.group(1).strip("\"“”'’ "))[0]
    if _is_acronym(inside):
        long_form = _long_form_before(text[: match.start()].rstrip("\"”'’ "), inside)
        return Alias(long_form, inside) if long_form else None
    before = _WORD.findall(text[max(0, match.start() - 12) : match.start()])
    if before and _is_acronym(before[-1]) and _long_form_before(inside, before[-1]) == inside:
        return Alias(inside, before[-1])
    return None


def _is_acronym(word: str) -> bool:
    letters = [character for character in word if character.isalpha()]
    capitals = sum(character.isupper() for character in letters)
    return bool(_ACRONYM.fullmatch(word)) and capitals >= 2 and 2 * capitals >= len(letters)


def _long_form_before(text: str, acronym: str) -> str | None:
    """Returns the shortest run of words at the end of `text` whose initials spell the acronym."""
    wanted = [character.casefold() for character in acronym if character.isupper()]
    words = list(_WORD.finditer(text, max(0, len(text) - 30 * MAX_WORDS)))[-MAX_WORDS:]
    if not words or len(text) > words[-1].end() + 1:
        return None
    for word in reversed(words):
        token = word.group().casefold()
        if token[0] == wanted[-1]:
            wanted.pop()
            if not wanted:
                return POSSESSIVE.sub("", text[word.start() :]) if word.group()[0].isupper() else None
        elif token not in _PASSED_OVER:
            return None
    return None


Span = tuple[int, int]

MAX_HEADING_WORDS = 12
MIN_TITLE_CHARACTERS = 4

_ELIDING = frozenset(("fr", "it", "es", "pt"))
"""Languages that `language_of` gives to texts with "d'Anne"; Catalan counts as Spanish or Portuguese."""
_SAMPLE = 40
"""Sentences by which the language of a document is guessed."""
_LETTERS = re.compile(r"[^\W_]+")
_HAN_OR_KANA = re.compile(r"[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class NameEvidence:
    """Evidence about names that a document itself gives."""

    capitalised: frozenset[str] = frozenset()
    """Casefolded words that the document writes with a capital inside sentences."""
    titles: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Titles of the document and those that it quotes, by how they begin; they are recognised without quotation marks too."""
    repeated: frozenset[str] = frozenset()
    """Runs of words without capitals that the document repeats."""
    elides: bool = False
    """Whether its language writes "d'Anne" and "l'Italie"."""

    def titles_in(self, text: str) -> list[str]:
        """Returns the titles that a text has, longest first. Those that begin otherwise than any words of it are not looked at."""
        words = _LETTERS.findall(text) if self.titles else []
        beginnings = {"", *words, *map(" ".join, pairwise(words))}
        found = {title for one in beginnings for title in self.titles.get(one, ()) if title in text}
        return sorted(found, key=lambda title: (-len(title), title))


def evidence_of(sentences: Iterable[str], title: str = "") -> NameEvidence:
    """Returns the evidence of one document.

    Args:
        sentences: its sentences, in any order.
        title: of the document; "" where it has none.
    """
    texts = [title, *sentences]
    capitalised = frozenset().union(*map(capitalised_inside, texts))
    titles = {title} if len(title) > MIN_TITLE_CHARACTERS else set()
    titles |= {quoted for text in texts for _, quoted in quoted_titles(text) if len(quoted) > MIN_TITLE_CHARACTERS}
    repeated = repeated_runs(texts) if not all(map(str.isascii, texts)) else frozenset()
    elides = language_of(" ".join(texts[:_SAMPLE])) in _ELIDING
    by_beginning: defaultdict[str, list[str]] = defaultdict(list)
    for quoted in titles:
        by_beginning[" ".join(_LETTERS.findall(quoted)[:2])].append(quoted)
    return NameEvidence(capitalised, by_beginning, repeated, elides)


def mentions(
    text: str,
    *,
    kind: BlockKind = BlockKind.PARAGRAPH,
    links: Sequence[WikiLink] = (),
    tags: Sequence[str] = (),
    evidence: NameEvidence = NameEvidence(),
) -> list[Mention]:
    """Returns the entities that a sentence names, each key once; code names none.

    Args:
        text: one sentence as `Sentence.text` has it.
        kind: of its block; a heading is an entity as a whole, cells of a table row are read one by one.
        links: wiki links of the sentence.
        tags: tags of the sentence.
        evidence: of its document.
    """
    found = [Mention(name, EntityKind.LINK) for link in links for name in (link_name(link.target), link.label)]
    found += (Mention(tag, EntityKind.TAG) for tag in tags)
    if kind is BlockKind.CODE:
        return list(_each_once(found))
    if kind is BlockKind.HEADING and 0 < len(text.split()) <= MAX_HEADING_WORDS:
        found.append(Mention(text, EntityKind.HEADING))
    for piece in text.split(" | ") if kind is BlockKind.TABLE_ROW else (text,):
        found += _read(piece, evidence)
    return list(_each_once(found))


def document_mentions(title: str, sentences: Sequence[Sentence]) -> list[list[Mention]]:
    """Returns the entities of each sentence of a document, in the order of the sentences.

    Args:
        title: of the document; evidence, and an entity where a sentence names it.
        sentences: all of the document.
    """
    evidence = evidence_of((sentence.text for sentence in sentences if sentence.kind is not BlockKind.CODE), title)
    return [
        mentions(sentence.text, kind=sentence.kind, links=sentence.links, tags=sentence.tags, evidence=evidence)
        for sentence in sentences
    ]


def aliases(text: str, links: Sequence[WikiLink] = ()) -> list[Alias]:
    """Returns names in a sentence that mean the same: acronyms with their long form, link targets with their labels."""
    labels = (Alias(link_name(link.target), link.label) for link in links)
    pairs = [*acronyms(text), *(pair for pair in labels if entity_key(pair.name) != entity_key(pair.alias))]
    return list(dict.fromkeys(pairs))


def link_name(target: str) -> str:
    """Returns the name of the note that a link leads to: its path without folders and suffix."""
    name = target.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    stem, dot, suffix = name.rpartition(".")
    return stem if dot and suffix.lower() in ("md", "markdown", "txt", "text") else name


def _read(text: str, evidence: NameEvidence) -> Iterator[Mention]:
    """Yields everything in the running text, by kind; later rules skip a stretch that an earlier one has taken."""
    taken: list[Span] = []
    for span, title in quoted_titles(text):
        taken.append(span)
        yield Mention(title, EntityKind.TITLE)
    for title in evidence.titles_in(text):
        at = text.find(title)
        if not _overlaps((at, at + len(title)), taken) and _stands_alone(text, at, at + len(title)):
            taken.append((at, at + len(title)))
            yield Mention(title, EntityKind.TITLE)
    for pair in acronyms(text):
        at = text.find(pair.name)
        taken.append((at, at + len(pair.name)))
        yield Mention(pair.name, EntityKind.NAME)
        yield Mention(pair.alias, EntityKind.ACRONYM)
    for rule in (dates, quantities):
        found = [(span, mention) for span, mention in rule(text) if not _overlaps(span, taken)]
        taken += (span for span, _ in found)
        yield from (mention for _, mention in found)
    # Chinese and Japanese put no space around Latin names; a comma for each of their characters keeps the spans.
    parted = text if text.isascii() else _HAN_OR_KANA.sub(",", text)
    for span in name_spans(parted, evidence.capitalised, elides=evidence.elides):
        if _overlaps(span, taken):
            continue
        taken.append(span)
        name = text[slice(*span)]
        yield Mention(name, EntityKind.NAME)
        inner = inner_names(name, text[: span[0]], evidence.capitalised)
        yield from (Mention(part, EntityKind.NAME) for part in inner if not part.isdigit())
    yield from (mention for span, mention in years(text) if not _overlaps(span, taken))
    yield from (Mention(name, EntityKind.NAME) for name in uncased_names(text, evidence.repeated))


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Tells whether a stretch is not the middle of a word or of a longer name."""
    before, after = text[start - 1 : start], text[end : end + 2]
    return not before.isalnum() and not after[:1].isalnum() and not after[1:].isupper()


def _overlaps(span: Span, taken: Sequence[Span]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in taken)


def _each_once(found: Iterable[Mention]) -> Iterator[Mention]:
    seen: set[str] = set()
    for mention in found:
        key = entity_key(mention.name)
        if key and key not in seen:
            seen.add(key)
            yield mention
