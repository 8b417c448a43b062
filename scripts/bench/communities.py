#!/usr/bin/env python3
"""Quality of attributed communities by the way in which they are found, as in ArchRAG's section 4.3.

    .venv/bin/python scripts/bench/communities.py VAULT [--repeat 3]

VAULT is an indexed vault; it is left as it is. A row a way: communities of each level, nodes in those of the first, their
Calinski-Harabasz index and mean cosine with the centre (more is better), and the median of the seconds for all levels.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from statistics import median

from noderag_local.papers.archrag.attributed_build import read_network
from noderag_local.papers.archrag.attributed_communities import HierarchyOptions
from noderag_local.papers.archrag.attributed_network import EntityNetwork
from noderag_local.papers.archrag.attributed_outline import OutlinedLevel, outlined
from noderag_local.papers.archrag.community_level import quality
from noderag_local.storage.database.store import Store

WAYS = {
    "Leiden, augmented": HierarchyOptions(),
    "Leiden": HierarchyOptions(augment=False),
    "spectral, augmented": HierarchyOptions(clustering="spectral"),
    "spectral": HierarchyOptions(clustering="spectral", augment=False),
    "SCAN, augmented": HierarchyOptions(clustering="scan"),
    "SCAN": HierarchyOptions(clustering="scan", augment=False),
}


def made(
    network: EntityNetwork, options: HierarchyOptions, repeat: int
) -> tuple[tuple[OutlinedLevel, ...], float, float]:
    """The levels, and the medians of the seconds on the wall and of the processor."""
    walls, processor = [], []
    for _ in range(repeat):
        started = time.perf_counter(), time.process_time()
        levels = outlined(network, (), options)
        walls.append(time.perf_counter() - started[0])
        processor.append(time.process_time() - started[1])
    return levels, median(walls), median(processor)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    with Store.open(arguments.vault, write=False) as store:
        network = read_network(store)
    links = network.adjacency.nnz // 2
    print(f"{len(network.entities):,} entities, {links:,} links\n")
    print("| | communities by level | entities held | Calinski-Harabasz | cosine | seconds | of processor |")
    print("| --- " * 7 + "|")
    for name, options in WAYS.items():
        levels, seconds, processor = made(network, options, arguments.repeat)
        found = quality(levels[0].members, network.vectors)
        counts = " ".join(f"{len(level.members):,}" for level in levels)
        held = sum(len(members) for members in levels[0].members)
        print(
            f"| {name} | {counts} | {held:,} | {found.calinski_harabasz:.2f} | {found.cosine:.3f}"
            f" | {seconds:.1f} | {processor:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
