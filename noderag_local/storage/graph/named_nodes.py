"""Lists the nodes of a type in an order that does not depend on their ids."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import NodeType
from noderag_local.storage.database.columns import integers
from noderag_local.storage.database.store import Store


def named_nodes(store: Store, kind: NodeType) -> tuple[NDArray[np.int64], list[str], list[str]]:
    """Every node of a type that no document owns: ids (n,), keys, names, by key.

    The key of a node that has none is its name; of equal keys the lower id comes first.
    """
    rows = store.rows(
        "SELECT id, coalesce(key, name, ''), coalesce(name, '') FROM nodes WHERE type = ? ORDER BY 2, 1", (str(kind),)
    )
    return integers(rows), [row[1] for row in rows], [row[2] for row in rows]
