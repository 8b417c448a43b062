"""Reads columns of numbers as arrays, and the columns `place` and `day`, which older vaults do not have."""

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
    """Returns the SQL expression for the column `place`; for a vault without this column, an expression for an empty text.

    Args:
        store: the vault, open for reading or writing.
        table: alias of the table with a final dot, such as "s."; "" if the query has no other table with such a column.
    """
    # Readers cannot migrate a vault, and older vaults have no places.
    return f"{table}place" if store.value(_HAS_PLACES) else "''"


_HAS_DAYS = "SELECT count(*) FROM pragma_table_info('documents') WHERE name = 'day'"


def day_column(store: Store) -> str:
    """Returns the SQL expression for the column `day` of documents `d`; for a vault without this column, that of an empty text.

    Args:
        store: the vault, open for reading or writing.
    """
    # Readers cannot migrate a vault, and the documents of older ones have no days.
    return "d.day" if store.value(_HAS_DAYS) else "''"
