"""Reads columns: rows of numbers as arrays, and the column `place`, which older vaults do not have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from noderag_local.storage.database.store import Row, Store


def integer_columns(rows: Sequence[Row], width: int) -> tuple[NDArray[np.int64], ...]:
    """Returns the columns of `rows`, each (n,) int64.

    Args:
        rows: (n, width) integers, as SQLite returns them.
        width: number of values in a row; needed where there are no rows.
    """
    flat = np.fromiter(chain.from_iterable(rows), np.int64, len(rows) * width)
    return tuple(np.ascontiguousarray(column) for column in flat.reshape(-1, width).T)


def integers(rows: Iterable[Row]) -> NDArray[np.int64]:
    """Returns the only column of `rows`, (n,) int64."""
    return np.array([row[0] for row in rows], np.int64)


_HAS_PLACES = "SELECT count(*) FROM pragma_table_info('sentences') WHERE name = 'place'"


def place_column(store: Store, table: str = "") -> str:
    """Returns the column as a query names it; an empty text for a vault that no newer version has written to yet.

    Args:
        store: the vault, open for reading or writing.
        table: alias in the query, with its point; "" where no other table there has such a column.
    """
    # Readers cannot bring a vault up to date, and what was indexed before has no places.
    return f"{table}place" if store.value(_HAS_PLACES) else "''"
