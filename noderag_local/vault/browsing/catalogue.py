"""Lists every entity by weight, for search as you type."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType, EntityKind, NodeType
from noderag_local.extraction.rules.dates import dates, quantities
from noderag_local.storage.database.distinct import distinct
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.merged_names import MergedNames
from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.text.dates.date_names import when
from noderag_local.text.folding import folded
from noderag_local.vault.browsing.judged_names import JUDGED, JudgedNames, judged_names
from noderag_local.vault.browsing.name_evidence import Ends, documents_naming, is_like_name
from noderag_local.vault.browsing.name_search import NameSearch

_NAMING = (EdgeType.MENTION, EdgeType.RECOGNISED)
_TOLD = (EdgeType.NAMES, EdgeType.RELATES)


@dataclass(frozen=True, slots=True)
class ListedEntity:
    """An entity as a list shows it."""

    node: int
    name: str
    kind: EntityKind
    """DATE, QUANTITY or NAME, judged by the name itself, since the vault does not store which rule found it."""
    mentions: int
    """Number of sentences that mention the entity."""
    relations: int
    """Number of semantic units and relationships about the entity; 0 before the language model has found any."""


class EntityCatalogue:
    """All entities of one state of a vault; it never changes.

    Rows are sorted: what looks like a name first, then by documents that name it, mentions, relations and name.
    """

    def __init__(
        self,
        ids: NDArray[np.int64],
        names: Sequence[str],
        mentions: NDArray[np.int64],
        relations: NDArray[np.int64],
        other_names: Mapping[int, Mapping[int, str]] = MappingProxyType({}),
        documents: NDArray[np.int64] | None = None,
        no_names: Collection[int] = (),
        noted: Collection[int] = (),
    ) -> None:
        """Sorts the entities.

        Args:
            ids: (n,) int64, node ids of the entities in any order.
            names: their n names.
            mentions: (n,) int64, number of sentences that name each.
            relations: (n,) int64, number of semantic units and relationships about each.
            documents: (n,) int64, number of documents that name each, as `documents_naming` counts; None where that was not counted.
            other_names: node of an entity → the nodes that it stands for, with their names.
            no_names: nodes that are words and no names, whatever they look like.
            noted: nodes that have a note of their own or that links lead to.
        """
        by_name = np.empty(len(names), np.int64)
        by_name[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
        evidence = mentions if documents is None else documents
        is_name = np.fromiter(map(is_like_name, names), bool, len(names)) & ~np.isin(ids, list(no_names))
        order = np.lexsort((by_name, -relations, -mentions, -evidence, ~is_name | (evidence == 0))).tolist()
        self.ids = ids[order]
        self.names = [names[row] for row in order]
        self.mentions = mentions[order]
        self._relations = relations[order]
        self._is_name = is_name[order]
        self._noted = frozenset(noted)
        self.search = NameSearch(
            (name, *other_names.get(number, {}).values())
            for number, name in zip(self.ids.tolist(), self.names, strict=True)
        )
        self._by_id = np.argsort(self.ids)
        self._others = other_names
        self._stands_for = {node: into for into, others in other_names.items() for node in others}

    def __len__(self) -> int:
        return len(self.names)

    def entity(self, row: int) -> ListedEntity:
        """Returns the entity of a row."""
        name = self.names[row]
        return ListedEntity(int(self.ids[row]), name, kind_of(name), int(self.mentions[row]), int(self._relations[row]))

    def is_name(self, row: int) -> bool:
        """Returns whether the entity of a row is a name that a person looks for, and not a word, tag, date or amount."""
        return bool(self._is_name[row])

    def is_noted(self, row: int) -> bool:
        """Returns whether a note or the target of a link is called like the entity of a row."""
        return int(self.ids[row]) in self._noted

    def counted_for(self, node: int) -> frozenset[int]:
        """Returns the nodes that an entity stands for: merged ones, and those that count for it, as "Met Ann Lee" for "Ann Lee"."""
        return frozenset(self._others.get(node, ()))

    def row_of(self, node: int) -> int | None:
        """Returns the row of a node or of the entity that it is merged into; None if it is not in the catalogue."""
        node = self._stands_for.get(node, node)
        place = int(np.searchsorted(self.ids, node, sorter=self._by_id))
        row = int(self._by_id[place]) if place < len(self) else -1
        return row if row >= 0 and int(self.ids[row]) == node else None

    def matching(self, query: str) -> Sequence[int]:
        """Returns the rows with a name that has every word of a query, whatever its case and accents; 19 ms for 100,000 names.

        The name that was typed comes first, then names that begin with it, then those with a word that does, then all
        others; each by weight. An empty query finds everything.
        """
        if not folded(query).split():
            return range(len(self))
        return [row for rows in self.search.matching(query) for row in rows]


def read_catalogue_within(store: Store, sentences: NDArray[np.int64]) -> EntityCatalogue:
    """Reads the catalogue of the entities that some sentences name, each by its own name.

    Merged entities stay apart and nothing of the model is counted, since both may rest on other sentences.

    Args:
        store: the vault.
        sentences: (n,) int64, ids of the sentences.
    """
    with store.steady():
        ids, names = GraphRows(store).named(NodeType.ENTITY)
        edges = Snapshot.open(store).edges
    inside = [np.isin(edges[kind][0], sentences) for kind in _NAMING]
    first, second = ((edges[kind][0][one], edges[kind][1][one]) for kind, one in zip(_NAMING, inside, strict=True))
    mentions = _count(ids, first, second)
    shown = np.flatnonzero(mentions)
    return EntityCatalogue(
        ids[shown], [names[row] for row in shown.tolist()], mentions[shown], np.zeros(len(shown), np.int64)
    )


def read_catalogue(store: Store) -> EntityCatalogue:
    """Reads the catalogue of a vault as it is now; entities that are one name appear once, under the one that stands for all."""
    with store.steady():
        ids, names = GraphRows(store).named(NodeType.ENTITY)
        merged = MergedNames(store)
        edges = merged.edges(Snapshot.open(store).edges)
        naming = [edges[kind][:2] for kind in _NAMING]
        judged = _judged(store, ids, names, naming, merged.merged)
    naming = [_counted_for(judged.counts_for, ends) for ends in naming]
    mentions = _count(ids, naming[0], naming[1])
    relations = _count(ids, *(edges[kind][:2] for kind in _TOLD))
    name_of = dict(zip(ids.tolist(), names, strict=True))
    stands_for = {node: merged.stands_for(node) for node in merged.merged.tolist()}
    stands_for = {node: judged.counts_for.get(into, into) for node, into in {**stands_for, **judged.counts_for}.items()}
    others: defaultdict[int, dict[int, str]] = defaultdict(dict)
    for node, into in stands_for.items():
        if node in name_of:
            others[into][node] = name_of[node]
    shown = np.flatnonzero(~np.isin(ids, list(stands_for)))
    return EntityCatalogue(
        ids[shown],
        [names[row] for row in shown.tolist()],
        mentions[shown],
        relations[shown],
        others,
        documents_naming(store, ids, naming)[shown],
        judged.no_names,
        judged.noted,
    )


def _judged(
    store: Store, ids: NDArray[np.int64], names: Sequence[str], naming: Sequence[Ends], merged: NDArray[np.int64]
) -> JudgedNames:
    """Judges the JUDGED entities in the most sentences that look like names, without those that others stand for."""
    counts = _count(ids, naming[0], naming[1])
    by_weight = np.lexsort((ids, -counts))
    by_weight = by_weight[~np.isin(ids[by_weight], merged)]
    chosen = (row for row in by_weight.tolist() if is_like_name(names[row]))
    return judged_names(store, {int(ids[row]): names[row] for row in islice(chosen, JUDGED)}, naming)


def _counted_for(counts_for: Mapping[int, int], ends: Ends) -> Ends:
    """Returns edges with the entities that count for others replaced by those, each pair once."""
    if not counts_for:
        return ends
    sources, targets = ends
    moved = np.fromiter((counts_for.get(node, node) for node in targets.tolist()), np.int64, len(targets))
    # A pair as one number; ids are far below 2**31.
    pairs = distinct(sources << 32 | moved)
    return pairs >> 32, pairs & 0xFFFFFFFF


def kind_of(name: str) -> EntityKind:
    """Returns DATE or QUANTITY when the whole name is one, else NAME."""
    if not any(map(str.isdigit, name)):
        return EntityKind.NAME
    whole = (0, len(name))
    if when(name) or any(span == whole for span, _ in dates(name)):
        return EntityKind.DATE
    return EntityKind.QUANTITY if any(span == whole for span, _ in quantities(name)) else EntityKind.NAME


def _count(ids: NDArray[np.int64], first: Ends, second: Ends) -> NDArray[np.int64]:
    """Counts the sources of each of `ids`, (n,); a source of both types of edges counts once. `ids` ascend."""
    counts = _ends(ids, first[1])
    if len(second[0]):
        # A pair as one number, which compares ten times faster than a row of two; ids are far below 2**31.
        pairs = [targets << 32 | sources for sources, targets in (first, second)]
        counts += _ends(ids, second[1][~np.isin(pairs[1], pairs[0])])
    return counts


def _ends(ids: NDArray[np.int64], targets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Counts how often each of `ids` is a target, (n,); other targets are ignored."""
    places = np.searchsorted(ids, targets)
    places[places == len(ids)] = 0
    known = places[ids[places] == targets] if len(ids) else places[:0]
    return np.bincount(known, minlength=len(ids)).astype(np.int64)
