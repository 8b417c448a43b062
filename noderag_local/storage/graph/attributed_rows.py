"""Stores the levels of ArchRAG's attributed communities: their nodes, members and sentences.

Until the language model has written about a community, its title consists of the names of its central entities and its text of
its most relevant sentences, both read from their own rows. So nothing stays behind when a note is removed. A text by the model
is removed together with any sentence that mentions one of the community's entities.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.storage.database.spelling import storable
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.edge_letters import BY_TARGET
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.vectors.vectors import VectorRows

EXTRACT_SENTENCES = 3
"""Number of sentences in a text made without a model; about sixty words, as long as a text by the model."""
TITLE_NAMES = 3
TITLE_WORDS = 8
"""Maximal number of words in a title made of names; the first name is always included, however long it is."""

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class StoredLevel:
    """The c communities of one level."""

    ids: Ids
    """(c,) node ids; numbers that no node has for communities that are not stored"""
    members: tuple[Ids, ...]
    """(c,) member ids in the level below, most central first; the members of the first level are entities"""
    key_sentences: tuple[Ids, ...]
    """(c,) ids of the most relevant sentences, best first"""
    summary_vectors: Mapping[int, NDArray[np.float32]] = field(default_factory=dict)
    """row -> (dim,) vector of the model's text, for communities that have one"""


@dataclass(frozen=True, slots=True)
class NewLevel:
    """The c communities of one level, before they are stored."""

    keys: tuple[str, ...]
    """(c,) keys, each computed from the community's members and sentences"""
    members: tuple[Ids, ...]
    """(c,) members, most central first: ids of entities at the first level, rows of the level below at the others"""
    key_sentences: tuple[Ids, ...]
    """(c,) ids of sentences, best first"""
    continues: Ids
    """(c,) id of the stored community that each one continues; 0 for a new one"""


class AttributedRows:
    """Nodes of the type G (attributed communities) with their edges, names and vectors.

    A node's name is the title, a line end, and the text; it is "" until the model has written them.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._graph = GraphRows(store)

    def replace(self, levels: Sequence[NewLevel]) -> None:
        """Replaces the hierarchy.

        A community that continues a stored one, or that has the key of one, is the same node and keeps its title and text. If its
        key has changed, its work item is removed, so that the model writes about it again. Its text is removed if it has lost
        one of its sentences.
        """
        named = [f"{place} {key}" for place, level in enumerate(levels, 1) for key in level.keys]
        continued = [number for level in levels for number in level.continues.tolist()]
        with self._store.transaction():
            changed = self._rekey({number: key for number, key in zip(continued, named, strict=True) if number})
            told = self._ends_of(EdgeType.TELLS)
            ids, keys, _ = self._graph.nodes_of(NodeType.ATTRIBUTED_COMMUNITY)
            kept = frozenset(named)
            self._graph.remove_nodes([int(number) for number, key in zip(ids, keys, strict=True) if key not in kept])
            items = [(key, "") for key in named]
            numbers = self._graph.put_nodes(NodeType.ATTRIBUTED_COMMUNITY, items, rename=False)
            self._link(levels, numbers)
            self._unwrite_untraceable({number: told[number] for number in changed if number in told})

    def _rekey(self, key_of: Mapping[int, str]) -> list[int]:
        """Gives communities their new keys; removes the work items of those that had another one and returns their ids."""
        ids, keys, _ = self._graph.nodes_of(NodeType.ATTRIBUTED_COMMUNITY)
        old = dict(zip(ids.tolist(), keys, strict=True))
        changed = {number: key for number, key in key_of.items() if old[number] != key}
        self._store.run_many("UPDATE nodes SET key = ? WHERE id = ?", ((key, one) for one, key in changed.items()))
        self.forget_items(list(changed))
        return list(changed)

    def _unwrite_untraceable(self, told: Mapping[int, Sequence[int]]) -> None:
        """Removes texts that may tell of a sentence which no longer leads to them, so that forgetting it would not remove them.

        Args:
            told: community -> ids of the sentences that it had before.
        """
        now = self._ends_of(EdgeType.TELLS)
        lost = [community for community, sentences in told.items() if set(sentences) - set(now.get(community, ()))]
        self.unwrite([*lost, *self.above(lost)])

    def _link(self, levels: Sequence[NewLevel], numbers: Ids) -> None:
        """Replaces the edges to members and sentences; `numbers` are the ids of the communities of all levels."""
        held, holding, tells, telling = [], [], [], []
        below: Ids | None = None
        for level in levels:
            own, numbers = numbers[: len(level.keys)], numbers[len(level.keys) :]
            for community, members, key_sentences in zip(own.tolist(), level.members, level.key_sentences, strict=True):
                held += (members if below is None else below[members]).tolist()
                holding += [(community, 1 / (1 + rank)) for rank in range(len(members))]
                tells += key_sentences.tolist()
                telling += [(community, 1 / (1 + rank)) for rank in range(len(key_sentences))]
            below = own
        for kind, from_, to in ((EdgeType.HOLDS, holding, held), (EdgeType.TELLS, telling, tells)):
            self._graph.replace_edges(kind, [one for one, _ in from_], to, [weight for _, weight in from_])

    def levels(self) -> tuple[StoredLevel, ...]:
        """Returns all levels, the lowest first; empty if the layer was not made.

        Communities that have lost all of their members or sentences are left out.
        """
        ids, keys, _ = self._graph.nodes_of(NodeType.ATTRIBUTED_COMMUNITY)
        if not len(ids):
            return ()
        members, key_sentences = self._ends_of(EdgeType.HOLDS), self._ends_of(EdgeType.TELLS)
        numbers = np.array([_place(key) for key in keys])
        found: list[StoredLevel] = []
        vectors = self._summary_vectors()
        for place in range(1, int(numbers.max()) + 1):
            known = None if place == 1 else frozenset(found[-1].ids.tolist())
            inside = {
                community: [one for one in members.get(community, ()) if known is None or one in known]
                for community in ids[numbers == place].tolist()
                if community in key_sentences
            }
            inside = {community: held for community, held in inside.items() if held}
            found.append(_level(inside, [key_sentences[community] for community in inside], vectors))
        while found and not len(found[-1].ids):
            found.pop()
        return tuple(found)

    def texts(self, ids: Sequence[int], leading: Sequence[Ids], key_sentences: Sequence[Ids]) -> list[tuple[str, str]]:
        """Returns the title and text of communities: by the model, or else made of names and sentences.

        Args:
            ids: (c,) ids of the communities; a number that is no node has no text by the model.
            leading: (c,) central entities of each community, from `leading_entities`.
            key_sentences: (c,) sentences of each community, as in `StoredLevel`.
        """
        numbers = [int(number) for number in ids]
        written = self.written(numbers)
        extracts = self.extracts(leading, key_sentences)
        return [written.get(number, extract) for number, extract in zip(numbers, extracts, strict=True)]

    def written(self, ids: Sequence[int]) -> dict[int, tuple[str, str]]:
        """Returns community -> (title, text) by the model; communities without them are left out."""
        rows = self._store.rows(_WRITTEN, (json.dumps([int(number) for number in ids]),))
        return {number: _title_and_text(name) for number, name in rows}

    def write(self, community: int, title: str, text: str) -> None:
        """Stores the model's title and text for a community.

        Also removes the community's vector and the work items of all communities above it, which were made from the old text.
        """
        with self._store.transaction():
            self._rename([community], f"{title}\n{text}")
            self.forget_items(self.above([community]))

    def unwrite(self, communities: Sequence[int]) -> None:
        """Removes the model's texts about communities. Must be called inside a transaction."""
        self._rename(sorted(self.written(communities)), "")

    def forget_items(self, communities: Sequence[int]) -> None:
        """Removes the work items of communities. Must be called inside a transaction."""
        self._store.run(_FORGET_ITEMS, (json.dumps(list(communities)),))

    def keys(self, communities: Collection[int]) -> dict[int, str]:
        """Returns community -> key; a key does not depend on ids."""
        ids, keys, _ = self._graph.nodes_of(NodeType.ATTRIBUTED_COMMUNITY)
        return {int(number): key for number, key in zip(ids, keys, strict=True) if int(number) in communities}

    def of_level(self, level: int) -> list[int]:
        """Returns the ids, ascending, of all communities of a level; levels count from 1."""
        ids, keys, _ = self._graph.nodes_of(NodeType.ATTRIBUTED_COMMUNITY)
        return [int(number) for number, key in zip(ids, keys, strict=True) if key.startswith(f"{level} ")]

    def above(self, communities: Sequence[int]) -> list[int]:
        """Returns the ids, ascending, of all communities that contain the given ones, directly or indirectly."""
        return [number for (number,) in self._store.rows(_ABOVE, (json.dumps(list(communities)),))]

    def remove(self, level: int) -> None:
        """Removes a level and all levels above it; levels count from 1. Must be called inside a transaction."""
        self._graph.remove_nodes([one for above in range(level, self._height() + 1) for one in self.of_level(above)])

    def extracts(self, leading: Sequence[Ids], key_sentences: Sequence[Ids]) -> list[tuple[str, str]]:
        """Returns titles and texts made without a model, from central entities and relevant sentences."""
        entities = sorted({int(number) for found in leading for number in found[:TITLE_NAMES]})
        sentences = sorted({int(number) for found in key_sentences for number in found[:EXTRACT_SENTENCES]})
        names = dict(zip(entities, self._graph.names(entities), strict=True))
        texts = dict(zip(sentences, TextRows(self._store).sentence_texts(sentences), strict=True))
        return [
            (
                title_of([names[int(number)] for number in of_title[:TITLE_NAMES]]),
                " ".join(texts[int(number)] for number in of_text[:EXTRACT_SENTENCES]),
            )
            for of_title, of_text in zip(leading, key_sentences, strict=True)
        ]

    def _rename(self, communities: Sequence[int], name: str) -> None:
        self._store.touch()
        self._store.run_many("UPDATE nodes SET name = ? WHERE id = ?", ((storable(name), one) for one in communities))
        VectorRows(self._store).remove(communities)

    def _height(self) -> int:
        keys = self._graph.nodes_of(NodeType.ATTRIBUTED_COMMUNITY)[1]
        return max((_place(key) for key in keys), default=0)

    def _summary_vectors(self) -> dict[int, NDArray[np.float32]]:
        """Returns community -> (dim,) vector of the model's text, for all communities that have one."""
        ids, vectors = VectorRows(self._store).matrix(NodeType.ATTRIBUTED_COMMUNITY)
        return dict(zip(ids.tolist(), vectors.astype(np.float32), strict=True))

    def _ends_of(self, kind: EdgeType) -> dict[int, list[int]]:
        """Returns community -> targets of its edges, heaviest first."""
        sources, targets, weights = self._graph.edges(kind)
        found: dict[int, list[int]] = {}
        for row in np.lexsort((targets, -weights, sources)).tolist():
            found.setdefault(int(sources[row]), []).append(int(targets[row]))
        return found


def leading_entities(levels: Sequence[StoredLevel]) -> tuple[tuple[Ids, ...], ...]:
    """Returns, for each level, the central entities of each community (c,), most central first; some appear in its title.

    At the first level these are the community's central members; above, the first entity of each central member.
    """
    found: list[tuple[Ids, ...]] = []
    first_of: dict[int, int] = {}
    for level in levels:
        own = [
            list(dict.fromkeys(first_of.get(one, one) for one in held.tolist()))[:TITLE_NAMES] for held in level.members
        ]
        first_of = {number: entities[0] for number, entities in zip(level.ids.tolist(), own, strict=True)}
        found.append(tuple(np.array(entities, np.int64) for entities in own))
    return tuple(found)


def title_of(names: Sequence[str]) -> str:
    """Joins names to a title, as many as fit."""
    taken: list[str] = []
    for name in names:
        if taken and sum(len(one.split()) for one in (*taken, name)) > TITLE_WORDS:
            break
        taken.append(name)
    return ", ".join(taken)


def _level(
    members: Mapping[int, Sequence[int]],
    key_sentences: Sequence[Sequence[int]],
    summary_vectors: Mapping[int, NDArray[np.float32]],
) -> StoredLevel:
    return StoredLevel(
        ids=np.array(list(members), np.int64),
        members=tuple(np.array(held, np.int64) for held in members.values()),
        key_sentences=tuple(np.array(found, np.int64) for found in key_sentences),
        summary_vectors={
            row: summary_vectors[number] for row, number in enumerate(members) if number in summary_vectors
        },
    )


def _place(key: str) -> int:
    """Returns the level that a stored key begins with."""
    return int(key.partition(" ")[0])


def _title_and_text(name: str) -> tuple[str, str]:
    title, _, text = name.partition("\n")
    return title, text


_WRITTEN = """
SELECT id, name FROM nodes WHERE type = 'G' AND name <> '' AND id IN (SELECT value FROM json_each(?)) ORDER BY id
"""
_ABOVE = f"""
WITH RECURSIVE above (id) AS (
  SELECT source FROM {BY_TARGET} AND type = 'g' AND target IN (SELECT value FROM json_each(?))
  UNION SELECT source FROM above, edges INDEXED BY edges_by_target
    WHERE edges.type NOT IN ('m', 'k', 'u', 'a') AND edges.type = 'g' AND target = above.id
)
SELECT id FROM above ORDER BY id
"""
_FORGET_ITEMS = "DELETE FROM work_items WHERE node_id IN (SELECT value FROM json_each(?))"
