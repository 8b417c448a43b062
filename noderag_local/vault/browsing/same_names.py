"""Lists merged names, and pairs of names that may mean the same, for the user to decide."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from noderag_local.domain.graph import NodeType
from noderag_local.domain.passages import Source
from noderag_local.extraction.same_names.first_names import people_names
from noderag_local.extraction.same_names.name_guesses import Guess, NameContexts, guesses
from noderag_local.extraction.same_names.name_variants import ShortNameEvidence
from noderag_local.retrieval.graph_arrays import GraphArrays
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.document_counts import DocumentCountRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.merged_names import HAS_MERGES, MergedNames, NameRows, merged_ends

BY_PERSON = "your decision"
SENTENCES = 5
"""Number of sentences of each name that the user is shown for comparison."""


@dataclass(frozen=True, slots=True)
class OfferedName:
    """One name of a pair that may mean the same."""

    node: int
    name: str
    sentences: int
    """Number of sentences that mention the name."""


@dataclass(frozen=True, slots=True)
class OfferedPair:
    """Two names that may mean the same."""

    first: OfferedName
    second: OfferedName
    """The name that is mentioned less often."""
    rule: str
    score: float
    """Score from the rule and from shared neighbours, by which offered pairs are sorted."""
    shared: tuple[str, ...]
    """At most three names that occur in sentences with each of the two, the rarest first."""
    closeness: float
    """Cosine between the sentences about the two names."""


@dataclass(frozen=True, slots=True)
class OtherName:
    """A name that is merged into another one."""

    name: str
    why: str
    """The rule that joins the names, or BY_PERSON."""


@dataclass(frozen=True, slots=True)
class MergedName:
    """A name that represents others merged with it."""

    node: int
    name: str
    others: tuple[OtherName, ...]
    """Sorted by name."""


@dataclass(frozen=True, slots=True)
class ApartPair:
    """Two names that the user keeps apart."""

    first: str
    second: str


def offered_pairs(store: Store, arrays: GraphArrays) -> tuple[OfferedPair, ...]:
    """Returns undecided pairs of names that may mean the same, likeliest first; empty for an older vault.

    Compares all names, which takes 2 s for 45,000.

    Args:
        store: the vault to read.
        arrays: the graph of the same state of the vault, or of one shortly before; names that are gone since are left out.
    """
    if not store.value(HAS_MERGES):
        return ()
    with store.steady():
        ids, keys, called = GraphRows(store).nodes_of(NodeType.ENTITY)
        apart = _held_apart(store, arrays.names)
        evidence = ShortNameEvidence(
            DocumentCountRows(store).aliases_among(set(keys)),
            first_names=[(pair.first, pair.full) for pair in people_names(store).first_names],
        )
    there = dict(zip(ids.tolist(), zip(keys, called, strict=True), strict=True))
    entities = arrays.entities.tolist()
    merged = set(arrays.names.merged.tolist())
    left = ["" if node in merged or node not in there else there[node][0] for node in entities]
    counts = arrays.sentences_of.getnnz(axis=1)

    def offered(guess: Guess) -> OfferedPair:
        rows = sorted((guess.first, guess.second), key=lambda row: -int(counts[row]))
        first, second = (OfferedName(entities[row], there[entities[row]][1], int(counts[row])) for row in rows)
        shared = tuple(there[entities[row]][1] for row in guess.shared if entities[row] in there)
        return OfferedPair(first, second, str(guess.rule), guess.score, shared, guess.cosine)

    found = guesses(left, NameContexts(arrays.mentions, arrays.entity_vectors), evidence)
    return tuple(offered(one) for one in found if frozenset((entities[one.first], entities[one.second])) not in apart)


def merged_list(store: Store) -> tuple[MergedName, ...]:
    """Returns the names that represent others, sorted by name."""
    with store.steady():
        merged, why = MergedNames(store), _reasons(store)
        nodes = sorted({*merged.merged.tolist(), *merged.into.tolist()})
        called = dict(zip(nodes, GraphRows(store).names(nodes), strict=True))
    found = []
    for into in sorted(set(merged.into.tolist()), key=lambda node: (called[node], node)):
        others = sorted((called[node], why[node]) for node in merged.all_of(into)[1:])
        found.append(MergedName(into, called[into], tuple(OtherName(*other) for other in others)))
    return tuple(found)


def apart_list(store: Store) -> tuple[ApartPair, ...]:
    """Returns the pairs of names that the user keeps apart."""
    graph = GraphRows(store)
    with store.steady():
        pairs = NameRows(store).decided()[1]
        nodes = graph.find(NodeType.ENTITY, merged_ends(pairs))
        called = dict(zip(nodes, graph.names(list(nodes.values())), strict=True))
    return tuple(ApartPair(called[pair.first], called[pair.second]) for pair in pairs)


def sentences_of(store: Store, node: int) -> tuple[Source, ...]:
    """Returns the first sentences that mention an entity or one that is merged with it."""
    from noderag_local.storage.browsing.overview import Overview

    naming = Overview(store).sentences_naming(MergedNames(store).all_of(node))
    return tuple(TextRows(store).passages(naming[:SENTENCES]))


def _held_apart(store: Store, names: MergedNames) -> set[frozenset[int]]:
    """Returns the pairs of merged entities that the user keeps apart."""
    pairs = NameRows(store).decided()[1]
    nodes = GraphRows(store).find(NodeType.ENTITY, merged_ends(pairs))
    return {frozenset(names.stands_for(nodes[key]) for key in (pair.first, pair.second)) for pair in pairs}


def _reasons(store: Store) -> dict[int, str]:
    """Returns entity -> reason why it is merged; the user's decisions come before the rules."""
    rows = NameRows(store)
    why: defaultdict[str, str] = defaultdict(lambda: BY_PERSON)
    for pair in (*reversed(rows.by_rule()), *rows.decided()[0]):
        why[pair.first] = why[pair.second] = pair.rule or BY_PERSON
    nodes = GraphRows(store).find(NodeType.ENTITY, list(why))
    return {node: why[key] for key, node in nodes.items()}
