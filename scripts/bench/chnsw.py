#!/usr/bin/env python3
"""C-HNSW against exact search and against one usearch index a level, over ArchRAG's levels.

    .venv/bin/python scripts/bench/chnsw.py VAULT [QA.json] [--k 5] [--links-from 2000]

VAULT was made by `noderag index`. Queries are the questions of QA.json; without it, 200 sentences of the vault. Prints for
each level the recall of the nearest k against exact search and the median milliseconds of one query, and for each way the
seconds that making it takes. A node counts as found where it is as near as the exact k-th: entities that stand in one
sentence alone have the same vector. C-HNSW searches a level on its way down, so the time of a level holds all above it.
Levels of at most --links-from nodes are searched exactly by all three ways.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from noderag_local.config import load_settings
from noderag_local.domain.graph import NodeType
from noderag_local.models.embedding.question_encoder import QuestionEncoder
from noderag_local.papers.archrag.arch_levels import search_levels
from noderag_local.papers.archrag.attributed_communities import ARCHRAG
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.vectors.chnsw import CommunityHnsw
from noderag_local.storage.vectors.vector_index import VectorIndex, best_columns
from noderag_local.vault.reader import Reader

QUERIES = 200
TIE = 1e-5
"""Cosines of float16 and float32 vectors differ by less."""

Search = Callable[[NDArray[np.float32]], NDArray[np.float32]]
"""A query to the cosines of what was found, nearest first."""


def exact(vectors: NDArray[np.float32], k: int) -> Search:
    """Compares with every vector."""
    return lambda query: best_columns((vectors @ query)[None], k)[1][0]


def one_index(vectors: NDArray[np.float32], k: int, exact_up_to: int) -> Search:
    """A usearch index of the level by itself, as other methods search many vectors."""
    if len(vectors) <= exact_up_to:
        return exact(vectors, k)
    from noderag_local.storage.vectors.hnsw import Hnsw
    from noderag_local.storage.vectors.vector_index import SPARE

    index = Hnsw(vectors.astype(np.float16), None)

    def search(query: NDArray[np.float32]) -> NDArray[np.float32]:
        rows = index.candidates(query[None], min(k + SPARE, len(vectors)))[0]
        return np.sort(vectors[rows] @ query)[::-1][:k]

    return search


def measured(search: Search, queries: NDArray[np.float32]) -> tuple[list[NDArray[np.float32]], float]:
    """What each query finds, and the median milliseconds."""
    search(queries[0])
    found, times = [], []
    for query in queries:
        started = time.perf_counter()
        found.append(search(query))
        times.append(1000 * (time.perf_counter() - started))
    return found, median(times)


def recall(found: Sequence[NDArray[np.float32]], best: Sequence[NDArray[np.float32]]) -> float:
    """Share of what was found that is as near as the exact k-th."""
    return float(np.mean([np.mean(one >= nearest[-1] - TIE) for one, nearest in zip(found, best, strict=True)]))


def compare(levels: Sequence[NDArray[np.float32]], queries: NDArray[np.float32], k: int, exact_up_to: int) -> None:
    """Prints the table."""
    print(f"{'level':>5} {'nodes':>7}   {'exact':>8}   {'one index a level':>18}   {'C-HNSW':>18}")
    making = [0.0, 0.0]
    for number, level in enumerate(levels):
        best, exact_ms = measured(exact(level, k), queries)
        started = time.perf_counter()
        alone = one_index(level, k, exact_up_to)
        making[0] += time.perf_counter() - started
        found, alone_ms = measured(alone, queries)
        index = CommunityHnsw(levels[number:], exact_up_to=exact_up_to)
        started = time.perf_counter()
        index.search(queries[0], k)
        making[1] = max(making[1], time.perf_counter() - started)
        walked, walked_ms = measured(lambda query, index=index: index.search(query, k)[0].cosines, queries)
        print(
            f"{number:>5} {len(level):>7,}   {exact_ms:5.2f} ms   {recall(found, best):7.3f} {alone_ms:7.2f} ms"
            f"   {recall(walked, best):7.3f} {walked_ms:7.2f} ms"
        )
    print(f"making one index a level {making[0]:.1f} s, C-HNSW {making[1]:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", type=Path)
    parser.add_argument("questions", type=Path, nargs="?")
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--links-from", type=int, default=2000)
    arguments = parser.parse_args()
    with Store.open(arguments.vault, write=False) as store:
        reader, encoder = Reader(store, load_settings()), QuestionEncoder()
        search_context = SearchContext(
            store,
            lambda: reader.graph_arrays,
            lambda: reader.search_arrays,
            lambda: parser.error("nothing here walks over the full graph"),
            lambda kind: VectorIndex.open(store, kind),
            encoder.encode_all,
            None,
        )
        levels = search_levels(search_context, ARCHRAG)
        if arguments.questions:
            texts = [entry["question"] for entry in json.loads(arguments.questions.read_text(encoding="utf-8"))]
        else:
            sentences = search_context.vector_index(NodeType.SENTENCE).ids
            chosen = np.random.default_rng(0).permutation(sentences)[:QUERIES]
            texts = [place.text for place in TextRows(store).passages(np.sort(chosen).tolist())]
        queries = np.array([encoder.encode(text) for text in texts[:QUERIES]])
    compare(levels, queries, arguments.k, arguments.links_from)


if __name__ == "__main__":
    main()
