"""Removes data that depend on removed nodes and chunks: edges, and results of the language model."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from noderag_local.storage.database.fact_names import READ_BY
from noderag_local.storage.database.store import Parameters, Store
from noderag_local.storage.graph.edge_letters import BY_TARGET, TYPES


def list_gone(store: Store, select: str, parameters: Parameters = ()) -> int:
    """Fills the table `temp.gone` (id) with the ids of a query and returns their number. Must be called inside a transaction."""
    store.run("CREATE TEMP TABLE IF NOT EXISTS gone (id INTEGER PRIMARY KEY)")
    store.run("DELETE FROM temp.gone")
    return store.run(f"INSERT INTO temp.gone (id) {select}", parameters)


_LETTERS = ", ".join(f"'{letter}'" for letter in TYPES)
# Without the plus, SQLite may go over all entities and keywords: 10 ms in place of none for a paragraph of 6,761.
_ENTITIES_AND_KEYWORDS = "SELECT count(*) FROM nodes WHERE id IN temp.gone AND +type IN ('N', 'K')"
_LEAVE_GAPS = f"""
UPDATE semantic_reach SET cosine = NULL WHERE sentence_id IN (
  SELECT target FROM edges WHERE type = 's' AND source IN temp.gone
  UNION SELECT source FROM {BY_TARGET} AND type = 's' AND target IN temp.gone)
"""
"""Marks lists of nearest sentences that have lost a sentence."""
_WITH_PROFILES = f"""
INSERT OR IGNORE INTO temp.gone (id) SELECT source FROM {BY_TARGET} AND type = 'f' AND target IN (SELECT id FROM temp.gone)
"""
FORGET_NAMES = "INSERT INTO entity_names (entity_names, rowid, name) SELECT 'delete', id, name FROM entities"


def remove_edges_of_gone(store: Store, *, named: bool = True) -> None:
    """Removes every edge that starts or ends in `temp.gone`.

    Args:
        store: the vault, open for writing.
        named: whether sentences and aliases may have edges to entities and keywords in `temp.gone`; finding them reads
            all such edges.
    """
    store.run(_LEAVE_GAPS)
    store.run(f"DELETE FROM edges WHERE type IN ({_LETTERS}) AND source IN temp.gone")
    store.run(f"DELETE FROM {BY_TARGET} AND target IN (SELECT id FROM temp.gone)")
    if named and store.value(_ENTITIES_AND_KEYWORDS):
        # These edges have no index by target: it would be larger than all others, and single entities are seldom removed.
        store.run("DELETE FROM edges WHERE type IN ('m', 'k', 'u', 'a') AND target IN temp.gone")


def remove_nodes(store: Store, node_ids: Collection[int], *, named: bool = True) -> None:
    """Removes derived nodes, entities and keywords with their edges, names, vectors, fragments, work items and profiles.

    Must be called inside a transaction. Parts of documents are removed by `DocumentRows.remove`.

    Args:
        store: the vault, open for writing.
        node_ids: ids of the nodes.
        named: as for `remove_edges_of_gone`.
    """
    if list_gone(store, "SELECT DISTINCT value FROM json_each(?)", (json.dumps([int(node) for node in node_ids]),)):
        store.run(_WITH_PROFILES)
        remove_edges_of_gone(store, named=named)
        store.run(f"{FORGET_NAMES} WHERE id IN temp.gone")
        store.run("DELETE FROM nodes WHERE id IN temp.gone")
        store.forget_words()


@dataclass(frozen=True, slots=True)
class Derived:
    """Nodes that were made, at least in part, from some chunks."""

    founded: tuple[int, ...]
    """Nodes with a fragment in one of the chunks; they may have other fragments elsewhere."""
    summaries: tuple[int, ...]
    """Attributes, high-level elements, profiles and written units that were written from such nodes, or from sentences of the chunks, so that
    their texts may repeat the chunks."""
    summarised: tuple[int, ...]
    """Entities, relationships, semantic units and communities that these summaries describe."""


_FOUNDED = "SELECT DISTINCT node_id FROM fragments WHERE chunk_id IN temp.gone"
_FOUNDED_ON = "SELECT DISTINCT node_id FROM fragments WHERE chunk_id IN (SELECT value FROM json_each(?))"
_ENTITIES = "SELECT DISTINCT target FROM edges WHERE type IN ('n', 'e') AND source IN (SELECT value FROM json_each(?))"
_DESCRIBING = f"""
SELECT DISTINCT source FROM {BY_TARGET} AND type IN ('d', 'f') AND target IN (SELECT value FROM json_each(?)) ORDER BY 1
"""
_COMMUNITIES = f"""
SELECT DISTINCT source FROM {BY_TARGET} AND type = 'c' AND target IN (SELECT value FROM json_each(?))
"""
_DESCRIBED = "SELECT DISTINCT target FROM edges WHERE type IN ('d', 'f') AND source IN (SELECT value FROM json_each(?))"
_DRAWN_FROM_GONE = f"SELECT DISTINCT source FROM {BY_TARGET} AND type = 'w' AND target IN temp.gone"
_DRAWN_FROM = f"""
SELECT DISTINCT source FROM {BY_TARGET} AND type = 'w' AND target IN (
  SELECT id FROM sentences WHERE chunk_id IN (SELECT value FROM json_each(?)))
"""
_ELEMENTS = "SELECT DISTINCT target FROM edges WHERE type = 'h' AND source IN (SELECT value FROM json_each(?))"
_UNFOUNDED = """
SELECT id FROM nodes WHERE id IN (SELECT value FROM json_each(?)) AND type IN ('S', 'R')
  AND id NOT IN (SELECT node_id FROM fragments)
"""
_UNNAMED = f"""
SELECT id FROM nodes WHERE id IN (SELECT value FROM json_each(?)) AND +type = 'N'
  AND key NOT IN (SELECT key FROM said_keys) AND id NOT IN (
    SELECT target FROM {BY_TARGET} AND type IN ('r', 'n', 'e') AND target IN (SELECT value FROM json_each(?1)))
"""
_UNTITLED = """
SELECT id FROM nodes WHERE type = 'O' AND key IS NOT NULL AND id NOT IN (SELECT source FROM edges WHERE type = 'o')
"""


def derived_from_gone(store: Store) -> Derived:
    """Returns the nodes that were made from the chunks in `temp.gone`; must be called before the chunks are removed."""
    return _derived(store, _ids(store, _FOUNDED), _ids(store, _DRAWN_FROM_GONE))


def derived_from_chunks(store: Store, chunk_ids: Collection[int]) -> Derived:
    """Returns the nodes that were made from the given chunks; the store may be open for reading only."""
    chunks = [int(chunk) for chunk in chunk_ids]
    return _derived(store, _ids(store, _FOUNDED_ON, chunks), _ids(store, _DRAWN_FROM, chunks))


def _derived(store: Store, founded: Sequence[int], drawn: Sequence[int]) -> Derived:
    """Returns what was made from the nodes with a fragment in some chunks, and from the sentences of these chunks.

    Args:
        store: the vault.
        founded: nodes with a fragment.
        drawn: profiles that were made from one of the sentences. A chunk that was read again may have lost the fragment.
    """
    entities = _ids(store, _ENTITIES, founded)
    describing = sorted({*drawn, *_ids(store, _DESCRIBING, [*founded, *entities])})
    return _summarising(store, founded, entities, describing)


def _summarising(store: Store, founded: Sequence[int], entities: Sequence[int], describing: Sequence[int]) -> Derived:
    # For merged entities, the attribute may belong to another entity than the one that the chunk mentions.
    described = _ids(store, _DESCRIBED, describing)
    communities = _ids(store, _COMMUNITIES, [*founded, *describing])
    elements = _ids(store, _ELEMENTS, communities)
    return Derived(tuple(founded), (*describing, *elements), (*entities, *described, *communities))


def remove_derived(store: Store, derived: Derived) -> None:
    """Removes derived nodes that lost their last source; called after the chunks are removed, in the same transaction.

    All summaries are removed with their work items, even if most of their sources remain, because they may repeat removed text; the
    next enrichment writes them again. Of the entities, only those that the extraction rules never found are removed here; the rules
    remove the others when they update their counts.
    """
    if not derived.founded and not derived.summaries:
        return
    remove_unfounded(store, derived.founded)
    # A relationship that stays has fewer fragments now, so its vector is outdated.
    founded = json.dumps(derived.founded)
    for table in ("embeddings", "coming_embeddings"):
        store.run(f"DELETE FROM {table} WHERE node_id IN (SELECT value FROM json_each(?))", (founded,))
    # The model was shown removed text, so its answers go, too, also those that were refused, and the notes of its failures.
    store.run("DELETE FROM work_items WHERE node_id IN (SELECT value FROM json_each(?))", (founded,))
    _remove_summaries(store, derived)
    if READ_BY in store.facts:
        remove_nodes(store, _ids(store, _UNNAMED, derived.summarised), named=False)


def remove_descriptions(store: Store, describing: Sequence[int]) -> None:
    """Removes attributes and profiles, and the high-level elements of their communities, which may repeat their texts.

    Must be called inside a transaction. The next enrichment writes them again.
    """
    if describing:
        _remove_summaries(store, _summarising(store, (), (), describing))


def _remove_summaries(store: Store, derived: Derived) -> None:
    remove_nodes(store, derived.summaries)
    remove_nodes(store, _ids(store, _UNTITLED))
    store.run(
        "DELETE FROM work_items WHERE node_id IN (SELECT value FROM json_each(?))", (json.dumps(derived.summarised),)
    )


def remove_unfounded(store: Store, node_ids: Sequence[int]) -> None:
    """Removes semantic units and relationships, among the given nodes, that have no fragment left."""
    remove_nodes(store, _ids(store, _UNFOUNDED, node_ids))


def _ids(store: Store, sql: str, of: Sequence[int] | None = None) -> list[int]:
    return [number for (number,) in store.rows(sql, () if of is None else (json.dumps(list(of)),))]
