"""Finds what the notes state about an entity's relations: "brother: Rui", "lives in: Porto", each with its sentence.

Only forms that hardly ever mean something else are read: labelled lines and phrases on the entity's own page, phrases such as
"Koen's wife Sofie" anywhere, and rows of tables. Relationships that the language model found are listed separately.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from pathlib import PurePath
from typing import NamedTuple

from noderag_local.aggregation.tables import named_cells
from noderag_local.domain.documents import BlockKind
from noderag_local.domain.graph import EdgeType, EntityKind, NodeType
from noderag_local.domain.passages import Source
from noderag_local.extraction.rules.document_reading import note_key
from noderag_local.storage.browsing.atlas_rows import AtlasRows
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.entry_rows import EntryRows, EntrySentence
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.merged_names import MergedNames
from noderag_local.storage.graph.person_notes import PersonNotes, people_pages
from noderag_local.text.dates.calendar_names import calendar_words
from noderag_local.text.identity import entity_key
from noderag_local.text.people_pages import PeoplePages
from noderag_local.vault.browsing.catalogue import kind_of
from noderag_local.vault.browsing.relation_patterns import NAME, kin_and_name, kin_of, possessive
from noderag_local.vault.browsing.relation_words import OF_OTHERS, OF_THE_PAGE, kin_words, label_words, near_words
from noderag_local.vault.browsing.told_persons import means_another, without_opening, without_possessive

MOST = 24
"""Maximum number of relations that are shown of an entity."""
LOOKED_AT = 1_000
"""Maximum number of sentences that are searched on the entity's own page, and among others that name it."""
LONGEST_VALUE = 60
OF_YOU = "to you"
"""Label of a person's relation to the author of the notes."""
_LABELLED = re.compile(r"(?P<label>[^\W\d_][^\W\d_’' -]*(?:[ -][^\W\d_’']+){0,2})\s?:\s(?P<value>\S.*)", re.DOTALL)
_NAMES = re.compile(rf"{NAME}(?:(?:,| &| and| und| en| y| et| e) {NAME})*")
_VALUE_END = re.compile(
    r"[;(|\n]|\s[-–—>]|->|,\s(?!\d)|(?<!\bDr)(?<!\bDra)(?<!\bProf)(?<!\bSt)(?<!\bSr)(?<!\bFr)\.\s|[.,]$"
)
_SEVERAL = re.compile(r"[+&]|\s(?:and|und|en|y|et|e|i)\s")
MARRIED = "married to"
_PLACES = tuple(
    (re.compile(rf"\b(?i:{phrase})\s(?P<name>{NAME})"), label)
    for phrase, label in (
        (r"(?:live|lives|wohnt|woont|vive|habite)(?:\s(?:in|at|near|en|à|em))?", "lives in"),
        (r"moved\sto|umgezogen\snach|verhuisd\snaar", "moved to"),
        (r"grew\sup\sin|aufgewachsen\sin", "grew up in"),
        (r"comes\sfrom|kommt\saus", "comes from"),
        (r"born\sin|geboren\sin", "born in"),
        (r"works\s(?:at|for)(?:\sthe)?|arbeitet\sbei", "works at"),
        (r"married\sto|verheiratet\smit", MARRIED),
    )
)
_SUBJECT = re.compile(
    r"(?:(?:He|She|They|Er|Sie|Elle|Il|Ella|Él|Hij|Zij|Ze)\s)?(?:now\s|still\s|also\s)?", re.IGNORECASE
)
_FOR_SOMEBODY = re.compile(r"\sfor\s(?!the\s)")
_OF_A_NAME = re.compile(r"\s(?:of|von)\s")
_AUTHORED = frozenset({".md", ".markdown", ".txt", ".text", ".org"})
"""Endings of notes in which "my" means the author of the notes."""
_NAME_COLUMNS = frozenset("name person contact who nom nombre naam nome".split())


@dataclass(frozen=True, slots=True)
class StatedRelation:
    """A relation as a note states it."""

    label: str
    """Word of the note, such as "brother", or name of a phrase, such as "lives in"."""
    value: str
    source: Source


class _Found(NamedTuple):
    label: str
    value: str
    sentence: int


def relations_of(store: Store, node: int) -> tuple[StatedRelation, ...]:
    """Returns the relations of an entity that the notes state, in the order of the notes, its own page first.

    Args:
        store: the vault.
        node: the entity.
    """
    graph, names = GraphRows(store), MergedNames(store)
    with store.steady():
        nodes = names.all_of(node)
        called = graph.names(nodes)
        rows = EntryRows(store)
        pages = {page for name in called if (page := AtlasRows(store).document_called(note_key(name)))}
        of_pages = islice(rows.sentences_of(sorted(pages)), LOOKED_AT)
        own = [one for one in of_pages if not _SEVERAL.search(PurePath(one.path).stem)]
        naming = _naming(store, graph, nodes, {one.id for one in own})
        people = people_pages(PersonNotes(store).labels())
        stated = _Relations(rows, called, [*own, *naming], frozenset(one.id for one in own), people)
        found = list(dict.fromkeys(stated.all()))[:MOST]
        sources = TextRows(store).passages([one.sentence for one in found])
    return tuple(StatedRelation(one.label, one.value, source) for one, source in zip(found, sources, strict=True))


def relations_of_note(store: Store, names: Sequence[str]) -> tuple[StatedRelation, ...]:
    """Returns the relations of the entity that a note is about.

    Args:
        store: the vault.
        names: title and aliases of the note.
    """
    keys = [key for name in names if (key := entity_key(name))]
    found = GraphRows(store).find(NodeType.ENTITY, keys)
    node = next((found[key] for key in keys if key in found), None)
    return relations_of(store, MergedNames(store).stands_for(node)) if node is not None else ()


def _naming(store: Store, graph: GraphRows, nodes: Sequence[int], left_out: set[int]) -> list[EntrySentence]:
    kinds = (EdgeType.MENTION, EdgeType.RECOGNISED)
    ids = sorted({source for kind in kinds for source, _, _ in graph.edges_to(kind, nodes)} - left_out)
    return EntryRows(store).sentences(ids[:LOOKED_AT])


class _Relations:
    """The sentences about one entity."""

    def __init__(
        self,
        rows: EntryRows,
        called: Sequence[str],
        sentences: Sequence[EntrySentence],
        own: frozenset[int],
        people: PeoplePages,
    ) -> None:
        self._called = {entity_key(name) for name in called}
        self._first_words = {name.split()[0].casefold() for name in called if name.split()}
        self._own_words = {word.casefold() for name in called for word in name.split()}
        self._sentences, self._own, self._people = sentences, own, people
        self._before = {one.id: before for before, one in pairwise(sentences) if before.document_id == one.document_id}
        self._lines = rows.lines_of(own)
        # Filled by `_of_place`. Sentences are read in the order of the page, so that the one before is always known.
        self._tells_of_self = set[int]()
        self._names: defaultdict[int, set[str]] = defaultdict(set)
        for sentence, name in rows.names_in(one.id for one in sentences):
            if kind_of(name) is EntityKind.NAME:
                self._names[sentence].update(word.casefold() for word in name.split())

    def all(self) -> Iterator[_Found]:
        """Yields the relations of each sentence, those of the entity's own page first."""
        for one in self._sentences:
            if one.kind is BlockKind.TABLE_ROW:
                found: Iterable[_Found] = self._of_row(one)
            elif one.id in self._own:
                found = chain(self._of_title(one), self._of_label(one), self._of_phrase(one), self._of_place(one))
            else:
                found = self._of_place(one)
            yield from found
            yield from self._between_two(one)

    def _of_title(self, one: EntrySentence) -> Iterator[_Found]:
        """Yields "sister" of the title "Isla (sister)"."""
        match = re.search(r"\(([^\W\d_-]+)\)\s*$", one.text) if one.kind is BlockKind.HEADING else None
        if match and match[1].casefold() in kin_words() | near_words():
            yield _Found(OF_YOU, match[1].casefold(), one.id)

    def _of_label(self, one: EntrySentence) -> Iterator[_Found]:
        match = _LABELLED.match(one.text)
        if match is None or one.kind is BlockKind.HEADING:
            return
        words = match["label"].casefold().split()
        label, last = " ".join(words[words[0] in OF_THE_PAGE :]), words[-1]
        if words[0] in OF_OTHERS - OF_THE_PAGE:
            return
        value = _several(match["value"]) if last in kin_words() | near_words() else ""
        value = value or _short(match["value"])
        if last in label_words() and self._people.has(one.path):
            is_stated = bool(value)
        else:
            # "Mama: the pendant works" is a remark, not a relation.
            is_relation = last in kin_words() | near_words() | label_words() or self._people.has(one.path)
            is_stated = is_relation and bool(_NAMES.fullmatch(value)) and self._is_named(one, value)
        if is_stated and not self._is_self(label):
            yield _Found(label, value, one.id)

    def _of_phrase(self, one: EntrySentence) -> Iterator[_Found]:
        """Yields "husband: Wim" of "Husband Wim, a joiner" on the page of a person."""
        if not self._people.has(one.path) or one.kind is BlockKind.HEADING:
            return
        for match in kin_and_name().finditer(one.text):
            before = one.text[: match.start()].rstrip().split(" ")[-1].casefold()
            is_of_other = before.endswith(("'s", "’s", "s'", "s’")) or before in OF_OTHERS
            is_of_other = is_of_other or bool(_OF_A_NAME.match(one.text, match.end()))
            name = without_possessive(match["name"])
            if not is_of_other and self._is_named(one, name) and not self._is_self(name):
                yield _Found(match["kin"].casefold(), name, one.id)

    def _of_place(self, one: EntrySentence) -> Iterator[_Found]:
        """Yields "lives in: Porto", if the subject is the entity."""
        for pattern, label in _PLACES:
            for match in pattern.finditer(one.text):
                name, is_subject = match["name"], self._is_subject(one, one.text[: match.start()])
                if is_subject and self._is_named(one, name) and not self._is_self(name):
                    self._tells_of_self.add(one.id)
                    yield _Found(label, name, one.id)

    def _between_two(self, one: EntrySentence) -> Iterator[_Found]:
        """Yields the relations in "Koen's wife Sofie", "my sister Isla" and "Lou, friend of Stan", for both persons."""
        for match in possessive().finditer(one.text):
            kin, name = match["kin"].casefold(), without_possessive(match["name"])
            owner = self._name_in(one, match["owner"] or "")
            if name.casefold() in calendar_words():
                continue
            if owner and self._is_self(owner) and not self._is_self(name):
                yield _Found(kin, name, one.id)
            elif owner and self._is_self(name):
                yield _Found(f"{kin} of", owner, one.id)
            elif not owner and self._is_self(name) and PurePath(one.path).suffix.lower() in _AUTHORED:
                yield _Found(OF_YOU, kin, one.id)
        for match in kin_of().finditer(one.text):
            kin, second = match["kin"].casefold(), without_possessive(match["second"])
            first = self._name_in(one, match["first"])
            if self._is_self(second) and self._is_named(one, first):
                yield _Found(kin, first, one.id)
            elif self._is_self(first) and self._is_named(one, second):
                yield _Found(f"{kin} of", second, one.id)

    def _of_row(self, one: EntrySentence) -> Iterator[_Found]:
        """Yields the cells of the entity's own row in a table of people."""
        cells = named_cells(one.text.rstrip("."))
        if not cells or cells[0][0].casefold() not in _NAME_COLUMNS or entity_key(cells[0][1]) not in self._called:
            return
        known = kin_words() | near_words() | label_words() | {"relation", "relationship", "beziehung"}
        for column, value in cells[1:]:
            label, stated = column.casefold(), _short(value)
            if stated and label.rpartition(" ")[2] in known:
                yield _Found(label, stated, one.id)

    def _is_subject(self, one: EntrySentence, before: str) -> bool:
        """Returns whether the text before a verb is the entity's name, or just a pronoun on its own page."""
        clause = re.split(r"[.;,:(]\s*", before)[-1].strip()
        if not clause or _SUBJECT.fullmatch(f"{clause} "):
            is_on_own_page = one.id in self._own and self._people.has(one.path)
            return is_on_own_page and not self._may_mean_another(
                one, before.rstrip().removesuffix(clause), bool(clause)
            )
        bare = re.sub(r"^(?:and|und|et|y|en)\s|\s(?:now|still|also)$", "", clause)
        return self._is_self(bare)

    def _may_mean_another(self, one: EntrySentence, before: str, is_pronoun: bool) -> bool:
        """Returns whether the subject that is left out, or a pronoun, may be somebody named before it in the paragraph."""
        if means_another(_without_places(before, is_pronoun), self._names[one.id], self._own_words):
            return True
        last = self._before.get(one.id)
        if last is None or last.kind is BlockKind.HEADING:
            return False
        most_lines = 1 if is_pronoun and one.kind is BlockKind.PARAGRAPH else 0
        is_in_paragraph = self._lines[one.id][0] - self._lines[last.id][1] <= most_lines
        # "He works at Bosch" behind "lunch with Karl" tells of Karl, and so does what follows it.
        text = _without_places(last.text, is_pronoun) if last.id in self._tells_of_self else last.text
        return is_in_paragraph and means_another(text, self._names[last.id], self._own_words)

    def _is_self(self, name: str) -> bool:
        key = entity_key(name)
        return bool(key) and (key in self._called or (len(name.split()) == 1 and name.casefold() in self._first_words))

    def _name_in(self, one: EntrySentence, run: str) -> str:
        return run if self._is_self(run) else without_opening(run, self._names[one.id])

    def _is_named(self, one: EntrySentence, name: str) -> bool:
        return any(without_possessive(word.casefold()) in self._names[one.id] for word in name.split())


def _without_places(text: str, is_pronoun: bool) -> str:
    """Returns a text without what it says of homes and employers, such as "works at Bosch", because none of these is a "he".

    "She works for Karl. He lives in Oslo." may mean Karl, but "works for Karl, lives in Oslo" does not.
    """
    for pattern, label in _PLACES:
        if label != MARRIED:
            text = pattern.sub(lambda one: one[0] if is_pronoun and _FOR_SOMEBODY.search(one[0]) else " ", text)
    return text


def _short(value: str) -> str:
    end = _VALUE_END.search(value)
    cut = " ".join(value[: end.start() if end else None].split())
    return cut if len(cut) <= LONGEST_VALUE else ""


def _several(value: str) -> str:
    """Returns a value that is one or several names and nothing else, such as "Lena, Max and Tim"; else ""."""
    names = " ".join(value.split()).rstrip(".")
    return names if len(names) <= LONGEST_VALUE and _NAMES.fullmatch(names) else ""
