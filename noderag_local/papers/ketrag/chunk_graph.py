"""The nearest neighbour graph of a vault's chunks, and which of them are the core (KET-RAG, section 5.1)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from noderag_local.graph.algorithms.chunk_neighbours import ChunkGraph, build_chunk_graph
from noderag_local.retrieval.retriever import SearchContext

CORE_SHARE = 0.8
"""β of the paper: part of the chunks that the skeleton is made of."""
ALL_CORE_UP_TO = 100
"""Chunks; a vault of so few gains nothing by leaving some out."""


def chunk_graph(search_context: SearchContext) -> ChunkGraph:
    """Builds the graph of a vault's chunks; its rows are the chunks of the graph arrays."""
    arrays = search_context.graph_arrays()
    return build_chunk_graph(arrays.chunk_of, arrays.keyword_edges, arrays.chunk_vectors)


def core_chunks(search_context: SearchContext) -> NDArray[np.bool_]:
    """Returns (c,) the chunks with the highest PageRank."""
    return _first_of(search_context.layer(chunk_graph).central)


def every_chunk(search_context: SearchContext) -> NDArray[np.bool_]:
    """Returns (c,) all chunks, as where nothing is spared (β = 1)."""
    return np.ones(len(search_context.graph_arrays().chunks), dtype=bool)


def uniform_chunks(search_context: SearchContext) -> NDArray[np.bool_]:
    """Returns (c,) as many chunks as the core has, chosen at random; the same ones each time."""
    return _first_of(np.random.default_rng(0).permutation(len(search_context.graph_arrays().chunks)))


def _first_of(order: NDArray[np.int64]) -> NDArray[np.bool_]:
    share = CORE_SHARE if len(order) > ALL_CORE_UP_TO else 1.0
    core = np.zeros(len(order), dtype=bool)
    core[order[: math.ceil(share * len(order))]] = True
    return core
