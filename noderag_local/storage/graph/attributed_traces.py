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
    """Takes back what was written about the communities that a sentence in `temp.gone` tells of, or of which it names an
    entity, and about all above them, which read it. Before the edges of the sentences go, in the same transaction.

    Their work items go, too, so that the next enrichment writes them anew.
    """
    if not store.value(_ANY_WRITTEN):
        return
    rows = AttributedRows(store)
    own = [number for (number,) in store.rows(_TOUCHED)]
    touched = [*own, *rows.above(own)]
    rows.unwrite(touched)
    rows.forget_items(touched)
