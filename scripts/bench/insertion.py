#!/usr/bin/env python3
"""Makes an HNSW index of a vault's sentences in the order of their ids and in that of `insertion_order`, twice in turn.

    .venv/bin/python scripts/bench/insertion.py VAULT [--sentences 50000] [--queries 2000]

Takes the vectors of the first sentences. Prints the seconds in which the index is made, those in which the neighbours of all are found
in the same order, and the share of the nearest ten that are found for a sample, against a comparison with all. Nothing else should be
running.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import NodeType
from noderag_local.graph.vectors.insertion_order import insertion_order
from noderag_local.storage.database.store import Store
from noderag_local.storage.vectors.hnsw import Hnsw
from noderag_local.storage.vectors.vectors import VectorRows

NEIGHBOURS = 10
SPARE = 9
"""Candidates beyond these; the sentence itself is one of them."""
AT_ONCE = 512


def run(rows: NDArray[np.float16], order: NDArray[np.int64], sample: NDArray[np.int64], name: str) -> None:
    """Prints the figures of one order."""
    wide, hnsw = rows.astype(np.float32), Hnsw(rows.shape[1])
    started = time.perf_counter()
    for _ in hnsw.add(order, rows[order]):
        pass
    made = time.perf_counter()
    for at in range(0, len(order), AT_ONCE):
        hnsw.candidates(wide[order[at : at + AT_ONCE]], NEIGHBOURS + SPARE)
    found = time.perf_counter()
    near = hnsw.candidates(wide[sample], NEIGHBOURS + SPARE)
    nearest = np.argsort(-(wide[sample] @ wide.T), axis=1)[:, 1 : NEIGHBOURS + 1]
    recall = np.mean([len(np.intersect1d(one, other)) / NEIGHBOURS for one, other in zip(near, nearest, strict=True)])
    print(
        f"{name:16} made in {made - started:6.1f} s, all found in {found - made:6.1f} s, recall {recall:.3f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", type=Path)
    parser.add_argument("--sentences", type=int, default=50_000)
    parser.add_argument("--queries", type=int, default=2_000)
    arguments = parser.parse_args()
    with Store.open(arguments.vault, write=False) as store:
        rows = VectorRows(store).matrix(NodeType.SENTENCE)[1][: arguments.sentences]
    sample = np.random.default_rng(0).choice(len(rows), min(arguments.queries, len(rows)), replace=False)
    for _ in range(2):
        run(rows, np.arange(len(rows)), sample, "by id")
        run(rows, insertion_order(rows), sample, "insertion order")


if __name__ == "__main__":
    main()
