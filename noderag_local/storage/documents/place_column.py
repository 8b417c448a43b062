"""The column `place` of chunks and sentences, which older vaults do not have."""

from __future__ import annotations

from noderag_local.storage.database.store import Store

_HAS_PLACES = "SELECT count(*) FROM pragma_table_info('sentences') WHERE name = 'place'"


def place_column(store: Store, table: str = "") -> str:
    """Returns the column as a query names it; an empty text for a vault that no newer version has written to yet.

    Args:
        store: the vault, open for reading or writing.
        table: alias in the query, with its point; "" where no other table there has such a column.
    """
    # Readers cannot bring a vault up to date, and what was indexed before has no places.
    return f"{table}place" if store.value(_HAS_PLACES) else "''"
