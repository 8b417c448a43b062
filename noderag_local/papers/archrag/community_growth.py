"""Brings known communities up to date when nodes have come or gone, without finding all communities again.

Not in the paper, whose hierarchy is made once. One new note changes the result of a clustering far beyond itself: with six more
entities, Leiden finds 294 other communities among the 1,622 of MuSiQue's training set, and each of them costs a call of the
language model. Here 4 change, those that get or lose a member. If a fifth of the entities is new, 494 change instead of 823, and
the quality is nearly that of communities found at once (Calinski-Harabasz 27.1 and 27.7, cosine 0.909 and 0.907); if half is new,
it is not (24.0 and 0.901).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from noderag_local.graph.algorithms.sparse import Rows, symmetric
from noderag_local.papers.archrag.attributed_edges import attributed_edges
from noderag_local.papers.archrag.clustering import CLUSTERINGS, Clustering
from noderag_local.papers.archrag.community_level import FEWEST_MEMBERS, GONE, MOST_MEMBERS, NEW, Level

NOWHERE = -1
"""Stands for the community of a node that is in none."""


def with_leftovers(
    linked: sp.csr_matrix, vectors: NDArray[np.float32], communities: Sequence[Rows], clustering: Clustering
) -> Level:
    """Returns communities that were just found, joined by the nodes that clustering left alone; see `grown`.

    Most of these are leaves of a star that was too large for one community. They join whatever its size is, so that `grown` has
    nothing to change afterwards.
    """
    of_node = np.full(len(vectors), NOWHERE, dtype=np.int64)
    for community, rows in enumerate(communities):
        of_node[rows] = community
    leftovers = np.flatnonzero((np.diff(linked.indptr) > 0) & (of_node == NOWHERE))
    return _level(_Newcomers(linked, vectors, clustering).settled(of_node, leftovers), {})


def grown(
    linked: sp.csr_matrix, vectors: NDArray[np.float32], known: Sequence[Rows], clustering: Clustering = "leiden"
) -> Level:
    """Returns the known communities with the nodes that have come and without those that have gone.

    New nodes are clustered among themselves. A group of them joins the community to which it has more edge weight than within
    itself; another group is a new community. A community that outgrows MOST_MEMBERS is divided in the same way. Only links of
    the notes count here, since near neighbours cost a comparison of all nodes.

    Args:
        linked: (n, n) symmetric, positive where two nodes are linked; a node with links to itself alone counts as linked.
        vectors: (n, dim) unit rows.
        known: rows of the nodes of each known community, GONE for each node that is no longer there.
        clustering: how new nodes are clustered.
    """
    has_links = np.diff(linked.indptr) > 0
    left = [rows[rows != GONE] for rows in known]
    left = [rows[has_links[rows]] for rows in left]
    rows_of_known = sorted(
        (row for row, rows in enumerate(left) if len(rows) >= FEWEST_MEMBERS), key=lambda row: int(left[row].min())
    )
    of_node = np.full(len(vectors), NOWHERE, dtype=np.int64)
    for community, row in enumerate(rows_of_known):
        of_node[left[row]] = community
    newcomers = _Newcomers(linked, vectors, clustering)
    joined = newcomers.settled(of_node, np.flatnonzero(has_links & (of_node == NOWHERE)))
    overgrown = _overgrown(of_node, joined)
    divided = np.isin(joined, overgrown)
    joined = newcomers.settled(np.where(divided, NOWHERE, joined), np.flatnonzero(divided))
    whole = [row if len(left[row]) == len(known[row]) else NEW for row in rows_of_known]
    return _level(joined, dict(enumerate(whole)) | dict.fromkeys(overgrown.tolist(), NEW))


def _overgrown(before: Rows, after: Rows) -> Rows:
    """Returns the communities that have grown beyond MOST_MEMBERS; those that clustering has left larger are not divided."""
    communities = int(after.max(initial=NOWHERE)) + 1
    sizes = [np.bincount(of_node[of_node != NOWHERE], minlength=communities) for of_node in (before, after)]
    return np.flatnonzero((sizes[1] > MOST_MEMBERS) & (sizes[1] > sizes[0]))


class _Newcomers:
    """Finds the communities of nodes that are in none."""

    def __init__(self, linked: sp.csr_matrix, vectors: NDArray[np.float32], clustering: Clustering) -> None:
        self._linked, self._vectors, self._clustering = linked, vectors, clustering

    def settled(self, of_node: Rows, nodes: Rows) -> Rows:
        """Returns the community of each node, (n,), after the given ones have joined communities or founded new ones.

        Groups come before single nodes, which may join them. Nodes that no link leads to a community stay outside.
        """
        if not len(nodes):
            return of_node
        weights = symmetric([attributed_edges(self._linked, self._vectors, augment=False)], len(self._vectors))
        of_node = of_node.copy()
        waiting = sorted(self._groups(nodes), key=lambda rows: (len(rows) < FEWEST_MEMBERS, int(rows[0])))
        while waiting:
            left = [group for group in waiting if not _settle(of_node, group, weights[group])]
            if len(left) == len(waiting):
                break
            waiting = left
        return of_node

    def _groups(self, nodes: Rows) -> list[Rows]:
        among = self._linked[nodes][:, nodes].tocsr()
        edges = attributed_edges(among, self._vectors[nodes], augment=False)
        parts = CLUSTERINGS[self._clustering](len(nodes), *edges, MOST_MEMBERS)
        return [nodes[part] for part in parts]


def _settle(of_node: Rows, group: Rows, edges: sp.csr_matrix) -> bool:
    """Gives a group its community in `of_node`, (n,); returns whether it has found one.

    Args:
        of_node: community of each node; it is changed.
        group: rows of nodes that are in no community.
        edges: (g, n) weights of their edges.
    """
    target = of_node[edges.indices]
    pulls = np.bincount(target[target >= 0], edges.data[target >= 0])
    within = edges.data[np.isin(edges.indices, group)].sum() / 2
    if len(pulls) and pulls.max() > within:
        of_node[group] = int(pulls.argmax())
    elif len(group) >= FEWEST_MEMBERS:
        of_node[group] = int(of_node.max()) + 1
    return bool(of_node[group[0]] != NOWHERE)


def _level(of_node: Rows, known_row: dict[int, int]) -> Level:
    """Returns the level of the communities of all nodes; `known_row` says which known community each one continues."""
    order = np.argsort(of_node, kind="stable")
    order = order[of_node[order] != NOWHERE]
    starts = np.flatnonzero(np.diff(of_node[order], prepend=NOWHERE))
    parts = [rows for rows in np.split(order, starts[1:]) if len(rows) >= FEWEST_MEMBERS]
    members = sorted(parts, key=lambda rows: int(rows[0]))
    continues = [known_row.get(int(of_node[rows[0]]), NEW) for rows in members]
    return Level(tuple(members), np.array(continues, dtype=np.int64))
