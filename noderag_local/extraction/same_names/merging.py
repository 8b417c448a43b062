"""Merges entities that are surely the same, and keeps the merges up to date as entities come and go.

The sure pairs of a block depend only on the names in it, so a changed note costs only the blocks of its own names. First names
are the exception: they depend on the notes of people, and all are found anew. The merges are a function of the sure pairs, the person's decisions and the counts of the names, in whatever order these came.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import blake2b

from noderag_local.domain.errors import NotFound
from noderag_local.domain.graph import NodeType
from noderag_local.extraction.same_names.first_names import people_names
from noderag_local.extraction.same_names.name_variants import RULES, Rule, ShortNameEvidence, blocks, likenesses
from noderag_local.storage.database.fact_names import MERGED_BY
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.derived import remove_descriptions
from noderag_local.storage.graph.document_counts import DocumentCountRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.kept_decisions import KeptDecisions
from noderag_local.storage.graph.merged_names import MergedNames, NameRows, SamePair, merged_ends
from noderag_local.text.identity import entity_key

_DOTTED = re.compile(r"(?<!\w)[^\W\d_]\.")
_BLOCK_BYTES = 5
"""Bytes of a block's hash; names that share a hash by chance are compared in vain."""


def names_are_current(store: Store) -> bool:
    """Returns whether the present rules made the merged names."""
    return store.facts.get(MERGED_BY) == RULES


def merge_names(store: Store, keys: Collection[str]) -> None:
    """Brings the merged names up to date with the present entities, in one transaction.

    Args:
        store: the vault.
        keys: of the entities that came, went, or are mentioned differently now; others do no harm.
    """
    graph, rows = GraphRows(store), NameRows(store)
    with store.transaction():
        if not names_are_current(store):
            rows.clear()
            keys = graph.nodes_of(NodeType.ENTITY)[1]
            store.facts[MERGED_BY] = RULES
        hashes = {key: {_hash(block) for block in blocks(key)} for key in keys}
        ids = graph.find(NodeType.ENTITY, hashes)
        rows.put_blocks((node, block) for key, node in ids.items() for block in sorted(hashes[key]))
        touched = rows.take_gone().union(*hashes.values())
        rows.put_pairs(touched, _sure_pairs(store, touched))
        rows.put_pairs([_FIRST_NAMES], _sure_first_names(store))
        _bring_back(store, keys)
        join_names(store)


def join_names(store: Store) -> None:
    """Merges entities by what the rules and a person say, in one transaction.

    Removes what the language model wrote about entities that are no longer one, since it mixes them up.
    """
    graph, rows = GraphRows(store), NameRows(store)
    with store.transaction():
        same, apart = rows.decided()
        pairs = [*same, *rows.by_rule()]
        counts = DocumentCountRows(store).edges(merged_ends(pairs))
        ids = graph.find(NodeType.ENTITY, merged_ends(pairs))
        joined = joined_names(pairs, apart, counts)
        if rows.put_merged({ids[key]: ids[into] for key, into in joined.items()}):
            remove_descriptions(store, rows.parted())


def named_entity(store: Store, name: str) -> int:
    """Returns the node of a name, or the node that stands for it.

    Raises:
        NotFound: no entity has this name.
    """
    key = entity_key(name)
    node = GraphRows(store).find(NodeType.ENTITY, [key]).get(key)
    if node is None:
        raise NotFound(
            f"No entity in this vault is called {name!r}. Write the name as the notes do; noderag show finds it."
        )
    return node


def decide(store: Store, one: str, other: str, same: bool | None) -> bool:
    """Stores what a person says about two names and applies it, in one transaction.

    The names are given, and not ids: while a person decides, notes may change, and an id may come to mean another node.

    Args:
        store: the vault.
        one: a name of an entity.
        other: a name of another entity.
        same: True: the same; False: never the same, whatever the rules say; None: the decision is taken back.

    Returns:
        Whether they are one now; they are not if that would join entities that are held apart.

    Raises:
        NotFound: no entity has one of the names, or both are the name of one.
    """
    with store.transaction():
        first, second = named_entity(store, one), named_entity(store, other)
        if first == second:
            raise NotFound(
                f"There is nothing to decide: {one!r} and {other!r} differ in case, dots or an article at most, and are one "
                "entity in every vault."
            )
        NameRows(store).decide(first, second, same)
        KeptDecisions(store).put((entity_key(one), entity_key(other)), same)
        join_names(store)
        merged = MergedNames(store)
        return merged.stands_for(first) == merged.stands_for(second)


def _bring_back(store: Store, keys: Collection[str]) -> None:
    """Puts decisions in force again whose names are back; while something is being forgotten, drops all others."""
    rows, kept = NameRows(store), KeptDecisions(store)
    lost = kept.lost(_in_force(rows))
    if kept.concern(lost, keys):
        ids, present, _ = GraphRows(store).nodes_of(NodeType.ENTITY)
        id_of = dict(zip(present, ids.tolist(), strict=True))
        for (one, other), same in kept.named(lost, present):
            rows.decide(id_of[one], id_of[other], same)
    if store.has_traces:
        kept.forget(kept.lost(_in_force(rows)))


def _in_force(rows: NameRows) -> list[tuple[str, str]]:
    return [(pair.first, pair.second) for told in rows.decided() for pair in told]


def joined_names(pairs: Sequence[SamePair], apart: Sequence[SamePair], counts: Mapping[str, int]) -> dict[str, str]:
    """Returns, for each key that another one stands for, that other key.

    A pair that would join what is held apart is left out. The name that the notes use most stands for the others, but no first
    name for a full one; of equal ones the longest, then the last by code points, since accents are left out more often than added.

    Args:
        pairs: entities that are the same, in the order in which they are joined.
        apart: entities that a person says are not the same.
        counts: key → how often the notes have it; 0 where it is not there.
    """
    held_apart: defaultdict[str, set[str]] = defaultdict(set)
    for pair in apart:
        held_apart[pair.first].add(pair.second)
        held_apart[pair.second].add(pair.first)
    stands_back = (Rule.FIRST_NAME, Rule.SURNAME_IN_FRONT)
    # "Haddad, Karim" is the longer one; of two that are equally long the first is the title.
    short = {
        min(pair.first, pair.second, key=lambda key: ("," not in key, len(key)))
        for pair in pairs
        if pair.rule in stands_back
    }
    group_of: dict[str, set[str]] = {}
    for pair in pairs:
        one, other = (group_of.get(key, {key}) for key in (pair.first, pair.second))
        if one is other or any(held_apart[key] & other for key in one):
            continue
        joined = one | other
        group_of |= dict.fromkeys(joined, joined)
    groups = {id(group): group for group in group_of.values()}.values()
    found: dict[str, str] = {}
    for group in groups:
        into = max(group, key=lambda key: (key not in short, counts.get(key, 0), len(key), key))
        found |= dict.fromkeys(group - {into}, into)
    return found


def _sure_pairs(store: Store, touched: Collection[int]) -> Iterator[tuple[int, int, int, str]]:
    """Yields (block, entity, entity, rule) of the sure pairs in some blocks."""
    together: defaultdict[str, dict[str, int]] = defaultdict(dict)
    held = NameRows(store).held(touched)
    lonely = _lonely(number for number, _, _ in held)
    for number, node, key in held:
        if number not in lonely:
            for name in blocks(key):
                together[name][key] = node
    shared = {block: ids for block, ids in together.items() if len(ids) > 1 and _hash(block) in touched}
    evidence = _evidence(store, shared)
    for block, ids in shared.items():
        for one in likenesses(block, list(ids), evidence):
            if one.sure:
                yield _hash(block), ids[one.first], ids[one.second], one.rule


def _sure_first_names(store: Store) -> list[tuple[int, int, int, str]]:
    """Returns (block, entity, entity, rule) of the first names that each mean one person, and of turned titles."""
    people = people_names(store)
    sure = [(pair.first, pair.full, Rule.FIRST_NAME) for pair in people.first_names if pair.sure]
    sure += [(title, name, Rule.SURNAME_IN_FRONT) for title, name in people.turned.items()]
    ids = GraphRows(store).find(NodeType.ENTITY, {key for *keys, _ in sure for key in keys})
    # The name of a file is no entity where the note has another title.
    return [(_FIRST_NAMES, ids[one], ids[other], rule) for one, other, rule in sure if {one, other} <= ids.keys()]


def _lonely(numbers: Iterator[int]) -> set[int]:
    """Returns the numbers that come only once."""
    once: set[int] = set()
    again: set[int] = set()
    for number in numbers:
        (again if number in once else once).add(number)
    return once - again


def _evidence(store: Store, shared: Mapping[str, Collection[str]]) -> ShortNameEvidence:
    """Reads what the notes say about the names of some blocks."""
    acronyms = {key for block, held in shared.items() if block.startswith("a ") for key in held if " " not in key}
    given = {key for block, held in shared.items() if block.startswith("i ") for key in held}
    rows = DocumentCountRows(store)
    forms = rows.names(acronyms | given)
    return ShortNameEvidence(
        pairs=rows.aliases_of(acronyms),
        capitals={key for key in acronyms & forms.keys() if all(map(str.isupper, forms[key]))},
        dotted={key for key in given & forms.keys() if any(map(_DOTTED.search, forms[key]))},
    )


def _hash(block: str) -> int:
    return int.from_bytes(blake2b(block.encode("utf-8", "surrogatepass"), digest_size=_BLOCK_BYTES).digest())


_FIRST_NAMES = _hash("first names")
"""The block of all first names that each mean one person."""
