"""Lists nodes that are removed or renamed in a temporary table, which the statements of one change share."""

from __future__ import annotations

from noderag_local.storage.database.store import Parameters, Store


def list_gone(store: Store, select: str, parameters: Parameters = ()) -> int:
    """Fills `temp.gone` (id) with the ids of a query; returns their number. Inside a transaction."""
    store.run("CREATE TEMP TABLE IF NOT EXISTS gone (id INTEGER PRIMARY KEY)")
    store.run("DELETE FROM temp.gone")
    return store.run(f"INSERT INTO temp.gone {select}", parameters)
