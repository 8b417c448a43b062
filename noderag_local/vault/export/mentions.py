"""Where every entity is named, read once for all entities: one query for each would read all mentions each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from noderag_local.domain.graph import EdgeType
from noderag_local.retrieval.document_days import days_of
from noderag_local.storage.browsing.atlas_rows import AtlasRows
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.merged_names import MergedNames
from noderag_local.storage.snapshots.snapshot import Edges, Snapshot
from noderag_local.vault.browsing.catalogue import EntityCatalogue

WIDELY = 2000
"""Sentences that an entity's company is counted in; one that stands in more is everywhere, and so is its company."""


class Mentions:
    """The sentences of every entity, and the entities of every sentence."""

    def __init__(self, store: Store, catalogue: EntityCatalogue) -> None:
        """Reads them; the catalogue is of the same state."""
        self._catalogue = catalogue
        self._sentences: dict[int, set[int]] = {}
        self._entities: dict[int, set[int]] = {}
        self._same: dict[int, set[int]] = {}
        edges = MergedNames(store).edges(Snapshot.open(store).edges)
        for kind in (EdgeType.MENTION, EdgeType.RECOGNISED):
            for sentence, entity in _pairs(edges, kind):
                self._sentences.setdefault(entity, set()).add(sentence)
                self._entities.setdefault(sentence, set()).add(entity)
        for one, other in _pairs(edges, EdgeType.ALIAS):
            self._same.setdefault(one, set()).add(other)
            self._same.setdefault(other, set()).add(one)
        files = AtlasRows(store).files_of(self._entities)
        days = {one.path: days_of(one.path, one.modified_ns)[0].isoformat() for one in files}
        self._places = {one.sentence: (days[one.path], one.path, one.sentence) for one in files}

    def dated(self, entity: int, limit: int) -> list[tuple[str, int]]:
        """Returns (day of the file, sentence): the first `limit` in time, then by path and place in the file."""
        found = sorted(self._places[sentence] for sentence in self._sentences.get(entity, ()))
        return [(day, sentence) for day, _, sentence in found[:limit]]

    def near(self, entity: int, limit: int) -> list[tuple[int, str, int]]:
        """Returns (entity, name, sentences that name both), those with most sentences first, ties by name."""
        naming = sorted(self._sentences.get(entity, ()))[:WIDELY]
        together = Counter(other for sentence in naming for other in self._entities[sentence] if other != entity)
        named = [(other, self._name(other), number) for other, number in together.items()]
        return sorted(named, key=lambda one: (-one[2], one[1], one[0]))[:limit]

    def same(self, entity: int) -> list[tuple[int, str]]:
        """Returns (entity, name) of the entity's other names, by name."""
        return sorted(((other, self._name(other)) for other in self._same.get(entity, ())), key=lambda one: one[::-1])

    def _name(self, entity: int) -> str:
        row = self._catalogue.row_of(entity)
        return "" if row is None else self._catalogue.names[row]


def _pairs(edges: Mapping[EdgeType, Edges], kind: EdgeType) -> Iterator[tuple[int, int]]:
    sources, targets, _ = edges[kind]
    return zip(sources.tolist(), targets.tolist(), strict=True)
