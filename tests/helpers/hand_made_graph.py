"""A small vault whose semantic units, entities and relationships are made by hand, in any order of their ids."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from helpers.small_documents import add, document
from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.fragments import FragmentRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.text.identity import entity_key


@dataclass(frozen=True)
class Unit:
    """A sentence that is a semantic unit."""

    text: str
    names: tuple[str, ...]
    statements: tuple[tuple[str, str, str], ...] = ()


ADA = (
    Unit(
        "Ada Lovelace was born in London in 1815.",
        ("Ada Lovelace", "London", "1815"),
        (("Ada Lovelace", "born in", "London"),),
    ),
    Unit(
        "Ada Lovelace worked with Charles Babbage on the Analytical Engine.",
        ("Ada Lovelace", "Charles Babbage", "Analytical Engine"),
        (("Ada Lovelace", "worked with", "Charles Babbage"),),
    ),
    Unit("Ada Lovelace wrote the first program in 1843.", ("Ada Lovelace", "1843")),
)
BABBAGE = (
    Unit(
        "Charles Babbage designed the Analytical Engine in London.",
        ("Charles Babbage", "Analytical Engine", "London"),
        (("Charles Babbage", "designed", "Analytical Engine"),),
    ),
    Unit("The Analytical Engine was never finished.", ("Analytical Engine",)),
)
CAKE = (
    Unit("Chestnut cake needs three eggs.", ("Chestnut cake",)),
    Unit(
        "Marta bakes chestnut cake in Porto.",
        ("Marta", "Chestnut cake", "Porto"),
        (("Marta", "bakes", "Chestnut cake"),),
    ),
    Unit("Marta moved to Porto in 2019.", ("Marta", "Porto", "2019"), (("Marta", "moved to", "Porto"),)),
    Unit("Porto lies on the Douro.", ("Porto", "Douro")),
)
CHUNKS = (ADA, BABBAGE, CAKE)


def fill(store: Store, chunks: Sequence[Sequence[Unit]] = CHUNKS, seed: int = 0) -> None:
    """Documents of one chunk each, and their heterograph; the seed shuffles the ids of nodes."""
    add(store, *(document(f"/notes/{place}.md", [one.text for one in chunk]) for place, chunk in enumerate(chunks)))
    shuffled = random.Random(seed)
    said = [one for chunk in chunks for one in chunk]
    with store.transaction():
        entities = _put(
            store, NodeType.ENTITY, {entity_key(name): name for one in said for name in one.names}, shuffled
        )
        units = _put(store, NodeType.SEMANTIC_UNIT, {_key(one.text): one.text for one in said}, shuffled)
        pairs = {_pair(statement) for one in said for statement in one.statements}
        relationships = _put(store, NodeType.RELATIONSHIP, {pair: pair for pair in pairs}, shuffled)
        _fragments(store, chunks, units, relationships)
        _edges(
            store,
            EdgeType.NAMES,
            {(units[_key(one.text)], entities[entity_key(name)]) for one in said for name in one.names},
        )
        ends = {(relationships[pair], entities[end]) for pair in pairs for end in pair.split(" | ")}
        _edges(store, EdgeType.RELATES, ends)


def _fragments(
    store: Store, chunks: Sequence[Sequence[Unit]], units: dict[str, int], relationships: dict[str, int]
) -> None:
    table = TextRows(store).sentence_table()
    stored = [int(number) for number in TextRows(store).chunk_table().ids]
    inserted, parts = set(), set()
    for number, chunk in zip(stored, chunks, strict=True):
        sentences = table.ids[table.chunk_ids == number].tolist()
        own = [units[_key(one.text)] for one in chunk]
        said = [
            (relationships[_pair(statement)], " | ".join(statement)) for one in chunk for statement in one.statements
        ]
        FragmentRows(store).replace(number, NodeType.SEMANTIC_UNIT, [(unit, "") for unit in own])
        FragmentRows(store).replace(number, NodeType.RELATIONSHIP, said)
        inserted |= {(number, unit) for unit in own}
        parts |= set(zip(own, sentences, strict=True))
    _edges(store, EdgeType.INSERTED, inserted)
    _edges(store, EdgeType.PART, parts)


def _put(store: Store, kind: NodeType, items: dict[str, str], shuffled: random.Random) -> dict[str, int]:
    order = sorted(items)
    shuffled.shuffle(order)
    ids = GraphRows(store).put_nodes(kind, [(key, items[key]) for key in order])
    return dict(zip(order, ids.tolist(), strict=True))


def _edges(store: Store, kind: EdgeType, pairs: set[tuple[int, int]]) -> None:
    ordered = sorted(pairs)
    GraphRows(store).add_edges(kind, [a for a, _ in ordered], [b for _, b in ordered], [1.0] * len(ordered))


def _pair(statement: tuple[str, str, str]) -> str:
    return " | ".join(sorted((entity_key(statement[0]), entity_key(statement[2]))))


def _key(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:32]
