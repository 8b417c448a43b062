"""Finds the nodes of the full graph that a scope allows in a context.

The rule is that of forgetting: a summary is left out where it would go if what lies outside were forgotten, for a word of
that may stand in it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType
from noderag_local.retrieval.full_graph import FullGraph
from noderag_local.retrieval.graph_arrays import GraphArrays
from noderag_local.retrieval.scope import Inside
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.derived import derived_from_chunks
from noderag_local.storage.snapshots.snapshot import Snapshot


def nodes_inside(store: Store, graph: FullGraph, arrays: GraphArrays, inside: Inside) -> NDArray[np.bool_]:
    """(m,) over the rows of the graph: texts, sentences, entities, units and relationships of which a part is inside;
    attributes and high-level elements that were made of what is inside alone; the titles of such elements."""
    edges = Snapshot.open(store).edges
    chunks, sentences = arrays.chunks[inside.chunks], arrays.sentences[inside.sentences]
    units = _targets(edges[EdgeType.INSERTED][:2], chunks)
    relationships = _sources(edges[EdgeType.STATED][:2], sentences)
    summaries = summaries_inside(store, arrays, inside)
    titles = _sources(edges[EdgeType.TITLE][:2], summaries)
    entities = arrays.entities[inside.entities]
    return np.isin(graph.ids, np.concatenate([chunks, sentences, entities, units, relationships, summaries, titles]))


def summaries_inside(store: Store, arrays: GraphArrays, inside: Inside) -> NDArray[np.int64]:
    """Returns the nodes, ascending, of the attributes and high-level elements that were made of what is inside alone."""
    within = derived_from_chunks(store, arrays.chunks[inside.chunks].tolist()).summaries
    without = derived_from_chunks(store, arrays.chunks[~inside.chunks].tolist()).summaries
    return np.array(sorted({*within} - {*without}), dtype=np.int64)


def _targets(ends: tuple[NDArray[np.int64], NDArray[np.int64]], sources: NDArray[np.int64]) -> NDArray[np.int64]:
    return ends[1][np.isin(ends[0], sources)]


def _sources(ends: tuple[NDArray[np.int64], NDArray[np.int64]], targets: NDArray[np.int64]) -> NDArray[np.int64]:
    return ends[0][np.isin(ends[1], targets)]
