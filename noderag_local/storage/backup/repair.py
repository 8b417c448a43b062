"""Repairs the parts of a vault that can be made again from the rest."""

from __future__ import annotations

from noderag_local.storage.database.store import Store
from noderag_local.storage.snapshots.cache_file import remove_caches

REPAIRED = ("full-text indexes", "SQLite's own indexes", "caches")
"""Description of what `repair` rebuilds."""


def repair(store: Store) -> None:
    """Rebuilds the full-text indexes and SQLite's own from the rows, and removes the caches, which the next search makes.

    Raises:
        VaultDamaged: the rows themselves are damaged; nothing has changed then.
    """
    with store.transaction():
        store.touch()
        for index in ("chunk_words", "entity_names"):
            store.run(f"INSERT INTO {index} ({index}) VALUES ('rebuild')")
        store.run("REINDEX")
    remove_caches(store.folder)
    store.checkpoint()
