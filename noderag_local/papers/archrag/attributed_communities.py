"""Finds the hierarchy of attributed communities, which are densely linked and similar in meaning (ArchRAG, 3.1.2, Algorithm 1).

Each round augments the graph, weighs its edges and clusters it; then the communities are summarised, and they become the nodes
of the next round. Their vectors are those of their summaries, so what is written about a level decides the level above it. A
level that is known from before is not found again: new nodes join its communities (community_growth.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from noderag_local.graph.algorithms.sparse import Edges, Rows, symmetric
from noderag_local.papers.archrag.attributed_edges import attributed_edges
from noderag_local.papers.archrag.clustering import CLUSTERINGS, Clustering
from noderag_local.papers.archrag.community_growth import grown, with_leftovers
from noderag_local.papers.archrag.community_level import FEWEST_MEMBERS, GONE, MOST_MEMBERS, NEW, Level, membership

FEWEST_TO_CLUSTER = 5
"""Minimum number of communities on a level for another level above it (the released code)."""
MOST_LEVELS = 4
"""Maximum number of levels (the released code; the paper says "usually no greater than 5", appendix A.3)."""


@dataclass(frozen=True, slots=True)
class HierarchyOptions:
    """Options of the hierarchy; other values are the paper's ablations (section 4.3, table 4).

    The defaults are the paper's, but for the number of levels, which it does not give.
    """

    clustering: Clustering = "leiden"
    augment: bool = True
    """Whether similar nodes without a link are connected before clustering."""
    levels: int = MOST_LEVELS
    """Maximum number of levels; 1 gives a single layer."""


ARCHRAG = HierarchyOptions()
"""The options of the stored communities."""

Summarise = Callable[[Level], NDArray[np.float32]]
"""Summarises the communities of a level (line 7 of Algorithm 1) and returns the summaries' vectors, (c, dim) unit rows.

It is called once for each level, from the bottom up.
"""


def hierarchy(
    linked: sp.csr_matrix,
    vectors: NDArray[np.float32],
    summarise: Summarise,
    options: HierarchyOptions = ARCHRAG,
    known: Sequence[Sequence[Rows]] = (),
) -> tuple[Level, ...]:
    """Returns the levels of communities from the bottom up; none if no two nodes are linked.

    The result depends on the order of the nodes, so callers order them by key.

    Args:
        linked: (n, n) symmetric; positive where two nodes are linked. Nodes without links are in no community.
        vectors: (n, dim) unit rows; a row of zeros for a node without text.
        summarise: gives the vectors that the next level is found by.
        options: options of the hierarchy.
        known: communities of the levels that were found before. Their members are rows of the nodes, GONE for a node
            that is no longer there; above the first level, they are rows of the known level below. These levels are brought up to date, and only
            the levels above them are found.
    """
    found: list[Level] = []
    graph = _Graph(linked.tocsr(), vectors, options)
    while len(found) < options.levels:
        if len(found) < len(known):
            held = known[len(found)] if not found else _continued(known[len(found)], found[-1])
            level = grown(graph.linked, graph.vectors, held, options.clustering)
        elif not found or len(graph.vectors) >= FEWEST_TO_CLUSTER:
            level = graph.clustered()
        else:
            break
        if not level.members:
            break
        found.append(level)
        graph.rise(level, summarise(level))
    return tuple(found)


def _continued(known: Sequence[Rows], below: Level) -> list[Rows]:
    """Returns members as rows of the level below as it is now, GONE for a community that none continues."""
    row_of = {row: now for now, row in enumerate(below.continues.tolist()) if row != NEW}
    return [np.array([row_of.get(row, GONE) for row in rows.tolist()], np.int64) for rows in known]


class _Graph:
    """The graph of the current level: of the nodes, then of the communities of one level after the other."""

    def __init__(self, linked: sp.csr_matrix, vectors: NDArray[np.float32], options: HierarchyOptions) -> None:
        self.linked, self.vectors = linked, vectors
        self._options = options
        self._augmented = linked
        """Links of a level at or below the current one; two communities are linked where E' links their members."""
        self._risen: list[tuple[NDArray[np.float32], Level, Edges | None]] = []
        """Vectors, communities and, where it is known, E' of the levels from that one up to the current one."""
        self._edges: Edges | None = None

    def clustered(self) -> Level:
        """Returns the communities of the current level (lines 3 to 6 of Algorithm 1)."""
        self._edges = self._augment(self._links(), self.vectors)
        parts = CLUSTERINGS[self._options.clustering](len(self.vectors), *self._edges, MOST_MEMBERS)
        whole = [rows for rows in parts if len(rows) >= FEWEST_MEMBERS]
        return with_leftovers(self.linked, self.vectors, whole, self._options.clustering)

    def rise(self, level: Level, vectors: NDArray[np.float32]) -> None:
        """Makes communities the nodes (line 9).

        Args:
            level: the communities of the current level.
            vectors: (c, dim) vectors of their summaries.
        """
        self._risen.append((self.vectors, level, self._edges))
        self._edges = None
        held = membership(level.members, len(self.vectors))
        self.linked, self.vectors = (held @ self.linked @ held.T).tocsr(), vectors

    def _links(self) -> sp.csr_matrix:
        """Returns the links of the current level by E', which costs a comparison of all nodes of each level below."""
        for vectors, level, edges in self._risen:
            augmented = symmetric([edges or self._augment(self._augmented, vectors)], len(vectors))
            held = membership(level.members, len(vectors))
            self._augmented = (held @ augmented @ held.T).tocsr()
        self._risen = []
        return self._augmented

    def _augment(self, linked: sp.csr_matrix, vectors: NDArray[np.float32]) -> Edges:
        return attributed_edges(linked, vectors, augment=self._options.augment)
