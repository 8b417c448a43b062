"""Judges by the notes' own capital letters which entities are names, and which begin with a word that belongs to no name.

The rules take every capitalised word for an entity, as searching profits from it. A list for a person leaves out "Slept", which
never has its capital inside a sentence, and counts "Send Marta Novak" for "Marta Novak". No language's words are needed.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.documents import BlockKind
from noderag_local.extraction.rules.document_reading import note_key
from noderag_local.storage.browsing.naming_texts import NamingTexts
from noderag_local.storage.database.store import Store
from noderag_local.text.capitals import POSSESSIVE
from noderag_local.text.everyday_words import is_everyday_word
from noderag_local.text.identity import entity_key
from noderag_local.vault.browsing.name_evidence import Ends

JUDGED = 5_000
"""Most entities that are judged, those in the most sentences; a list of more is not read to its end."""
SEEN = 20
"""Most sentences of an entity that are looked at; each takes 13 µs."""
LABEL_WORDS = 4
"""Most words before a colon that are a label, as in "Main Venue: the barn"."""
ABBREVIATED = 5
"""Most letters of an abbreviation before a name, as in "dr. Lippens" and "Mevr. Stevens"."""
SHORTEST_PLAIN = 4
"""Letters of a word that has a capital in a heading if every word of the heading has one."""

_GERMAN_ARTICLES = frozenset(
    "der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner im am zum zur vom beim ins ans"
    " mein meine meinen meinem meiner meines sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer unser unsere unseren"
    " unserem unserer dieser diese dieses diesen diesem jeder jede jedes jeden jedem".split()
)
"""Words after which a capital tells nothing: German writes every noun with one, and people's names without an article."""
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_LABEL = re.compile(rf"\W*+(?:\w[\w'’-]*+ ){{0,{LABEL_WORDS - 1}}}\w[\w'’-]*+:(?!\S)")
_OPENING_MARKS = "([\"'“„«‹‘*_"
_JOINING_MARKS = ",;)]&+/>→"
_ABBREVIATION = re.compile(rf"(?<!\w)[^\W\d_]{{1,{ABBREVIATED}}}\.$")
_CELL_ENDS = re.compile(r" \| |; ")
_COLON = ": "


@dataclass(frozen=True, slots=True)
class JudgedNames:
    """The entities that are not shown as names of their own, and those that have a note."""

    no_names: frozenset[int]
    """Words that have their capital from the start of a sentence alone, or are more often written small or with an article."""
    counts_for: Mapping[int, int]
    """Entity that begins with a word that belongs to no name → the entity that the rest names."""
    noted: frozenset[int]
    """Entities that are called like a note or like the target of a link."""


def judged_names(store: Store, entities: Mapping[int, str], naming: Sequence[Ends]) -> JudgedNames:
    """Judges entities by the sentences that name them and by what notes and links are called.

    Args:
        store: the vault.
        entities: node → name of the entities to judge, at most JUDGED.
        naming: edges from sentences to entities.
    """
    rows = NamingTexts(store)
    sources, targets = _first_of_each(naming, np.array(sorted(entities), np.int64))
    called = rows.called({note_key(name) for name in entities.values()})
    return _Judge(_WordUse(rows.texts(set(sources.tolist()))), entities, set(targets.tolist()), called).judged()


def _first_of_each(naming: Sequence[Ends], nodes: NDArray[np.int64]) -> Ends:
    """Returns the edges from the first SEEN sentences of each of some entities, by entity."""
    sources, targets = (np.concatenate([edges[side] for edges in naming]) for side in (0, 1))
    wanted = np.isin(targets, nodes)
    sources, targets = sources[wanted], targets[wanted]
    order = np.lexsort((sources, targets))
    sources, targets = sources[order], targets[order]
    rank = np.arange(len(targets)) - np.searchsorted(targets, targets)
    return sources[rank < SEEN], targets[rank < SEEN]


class _WordUse:
    """Counts how often words have a capital where no rule of writing gives it to them, and how often they have none."""

    def __init__(self, texts: Iterable[tuple[str, BlockKind]]) -> None:
        self.inside: Counter[str] = Counter()
        self.small: Counter[str] = Counter()
        self.with_article: Counter[str] = Counter()
        for text, kind in texts:
            cells = _cells(text) if kind is BlockKind.TABLE_ROW else [text]
            self.inside.update(_capitalised_cells(cells))
            for piece in cells:
                words = list(_WORD.finditer(piece))
                self.small.update(word.group() for word in words if word.group().islower())
                if not _capitals_tell_nothing(piece, kind, words):
                    self._count_inside(piece, words)

    def _count_inside(self, text: str, words: Sequence[re.Match[str]]) -> None:
        for word in _capitalised_inside(text, words):
            before = text[: word.start()].split()
            counted = self.with_article if before[-1].casefold() in _GERMAN_ARTICLES else self.inside
            counted[_folded(word.group())] += 1

    def is_name(self, word: str) -> bool:
        """Returns whether a word is a name wherever it stands."""
        if not word[:1].isupper() or any(sign.isupper() or sign.isdigit() for sign in word[1:]):
            return True
        folded = _folded(word)
        return self.inside[folded] > 0 and self.inside[folded] >= self.small[folded] + self.with_article[folded]

    def is_plain(self, word: str) -> bool:
        """Returns whether a word is also an ordinary one."""
        return self.small[word.casefold()] > 0 or is_everyday_word(word.casefold())


def _capitals_tell_nothing(text: str, kind: BlockKind, words: Sequence[re.Match[str]]) -> bool:
    """Returns whether a text is all in capitals, or a heading with a capital at each longer word."""
    if text.isupper():
        return True
    plain = (word.group() for word in words if word.group().islower())
    return kind is BlockKind.HEADING and not any(len(word) >= SHORTEST_PLAIN for word in plain)


def _capitalised_inside(text: str, words: Iterable[re.Match[str]]) -> Iterator[re.Match[str]]:
    """Yields words with a capital that neither open a sentence or line nor stand in a label."""
    label = _LABEL.match(text)
    start = label.end() if label and not any(map(str.islower, _WORD.findall(label.group()))) else 0
    for word in words:
        if word.start() >= start and word.group()[0].isupper() and _goes_on(text[: word.start()]):
            yield word


def _goes_on(before: str) -> bool:
    """Returns whether a sentence goes on after a text; an abbreviation's dot does not end it."""
    before = before.rstrip(_OPENING_MARKS)
    if not before[-1:].isspace():
        return False
    before = before.rstrip()
    return before[-1:].isalnum() or before.endswith(tuple(_JOINING_MARKS)) or bool(_ABBREVIATION.search(before))


def _cells(row: str) -> list[str]:
    """Returns the cells of a table's row without the names of their columns."""
    return [cell.rpartition(_COLON)[2] for cell in _CELL_ENDS.split(row)]


def _capitalised_cells(cells: Sequence[str]) -> Iterator[str]:
    """Yields the first words of cells with a capital, casefolded, if cells beside them begin with a small letter."""
    first = [word.group() for cell in cells if (word := _WORD.match(cell))]
    if any(word[0].islower() for word in first):
        yield from (_folded(word) for word in first if word[0].isupper())


def _folded(word: str) -> str:
    return POSSESSIVE.sub("", word).casefold()


class _Judge:
    def __init__(self, use: _WordUse, entities: Mapping[int, str], seen: set[int], called: set[str]) -> None:
        self._use = use
        self._seen = seen
        self._entities = dict(sorted(entities.items(), key=lambda one: (len(one[1].split()), one[0])))
        self._keys = {node: entity_key(name) for node, name in self._entities.items()}
        self._node_of = {key: node for node, key in self._keys.items()}
        self._noted = frozenset(node for node, name in self._entities.items() if note_key(name) in called)

    def judged(self) -> JudgedNames:
        """Judges shorter names first, since longer ones may count for them."""
        no_names = frozenset(node for node, name in self._entities.items() if self._is_no_name(node, name))
        counts_for: dict[int, int] = {}
        for node, into in (*self._with_first_words(no_names), *self._with_remarks(no_names)):
            if node not in counts_for and node != into:
                counts_for[node] = counts_for.get(into, into)
        return JudgedNames(no_names, counts_for, self._noted)

    def _is_no_name(self, node: int, name: str) -> bool:
        first, _, rest = name.partition(" ")
        word = rest if first.casefold() in _GERMAN_ARTICLES else name
        if not word or " " in word or node in self._noted or node not in self._seen:
            return False
        return not self._use.is_name(word)

    def _with_first_words(self, no_names: frozenset[int]) -> Iterator[tuple[int, int]]:
        """Yields names that a word opens which is no name, with the known name behind it: "Met Marta Novak"."""
        for node, name in self._entities.items():
            first, _, rest = name.partition(" ")
            known = self._node_of.get(entity_key(rest), 0) if rest else 0
            if not known or known in no_names or node in self._noted or self._use.is_name(first):
                continue
            # One word behind a plain one may be part of a name that was met just here: "Nova Scotia".
            if " " in rest or self._use.is_plain(first):
                yield node, known

    def _with_remarks(self, no_names: frozenset[int]) -> Iterator[tuple[int, int]]:
        """Yields several names that begin alike up to a colon, with the name before it: "Basalt: minutes of May"."""
        heads: defaultdict[str, list[int]] = defaultdict(list)
        for node, name in self._entities.items():
            head, colon, _ = name.partition(_COLON)
            if colon:
                heads[entity_key(head)].append(node)
        noted = self._noted_by_ends()
        for head, nodes in heads.items():
            known = self._called_by(head, noted, no_names) if len(nodes) > 1 else 0
            if known:
                yield from ((node, known) for node in nodes)

    def _noted_by_ends(self) -> Mapping[str, set[int]]:
        """Returns the entities with a note, by every run of words that begins or ends their names; names with a colon are left out."""
        found: defaultdict[str, set[int]] = defaultdict(set)
        for node in self._noted:
            if _COLON not in self._entities[node]:
                words = self._keys[node].split(" ")
                for at in range(1, len(words)):
                    found[" ".join(words[:at])].add(node)
                    found[" ".join(words[at:])].add(node)
        return found

    def _called_by(self, head: str, noted: Mapping[str, set[int]], no_names: frozenset[int]) -> int:
        """Returns the one entity with a note whose name begins or ends with a word, else the word's own entity; 0 for none."""
        found = noted.get(head, set())
        own = self._node_of.get(head, 0)
        return next(iter(found)) if len(found) == 1 else (0 if own in no_names else own)
