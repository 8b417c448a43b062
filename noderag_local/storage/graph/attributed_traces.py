"""What a language model wrote about attributed communities goes with every sentence that it may tell of."""

from __future__ import annotations

from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.attributed_rows import AttributedRows
from noderag_local.storage.graph.edge_letters import BY_TARGET

# What a model wrote and what was not taken of it, whose work items keep it in the cache of calls.
_ANY_WRITTEN = """
SELECT EXISTS (SELECT 1 FROM nodes WHERE type = 'G' AND key IS NOT NULL AND name <> '')
  OR EXISTS (SELECT 1 FROM nodes JOIN work_items ON node_id = id WHERE type = 'G' AND key IS NOT NULL)
"""
_NAMED = "SELECT target FROM edges WHERE type IN ('m', 'r', 'u') AND source IN temp.gone"
_TOUCHED = f"""
SELECT source FROM {BY_TARGET} AND type = 'g' AND target IN ({_NAMED})
UNION SELECT source FROM {BY_TARGET} AND type = 'q' AND target IN temp.gone
"""


def unwrite_gone(store: Store) -> None:
    """Removes what was written about communities that read a sentence in `temp.gone`, and about all communities above them.

    A community has read the sentences that tell of it and those that name one of its entities. Runs before the edges of
    the sentences go, in the same transaction. Removes the work items, too, so that the next enrichment writes the
    communities anew.
    """
    if not store.value(_ANY_WRITTEN):
        return
    rows = AttributedRows(store)
    own = [number for (number,) in store.rows(_TOUCHED)]
    touched = [*own, *rows.above(own)]
    rows.unwrite(touched)
    rows.forget_items(touched)
