#!/usr/bin/env python3
"""Indexing from nothing against plain naive RAG, on the same machine in the same run.

    .venv/bin/python scripts/bench/index.py CORPUS [--lines] [--repeat 3]

CORPUS is a text file with a document a line (--lines) or a JSON Lines file of {title, text}. Each round runs both, one
after the other, in processes of their own, imports and model loading included:

    naive    every document through SentenceTransformer(MODEL).encode at its defaults, added to a usearch index, saved
    noderag  `noderag index CORPUS` into an empty vault

Prints seconds, peak memory and size on disk of each, and the ratio of the medians. Nothing else should be running.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from statistics import median

from measured import Measured, measured

from noderag_local.system.disk.private_files import make_private_folder, write_private


def naive(corpus: Path, target: Path) -> None:
    """What a small script without this project would do; runs in a process of its own."""
    import numpy as np
    from sentence_transformers import SentenceTransformer
    from usearch.index import Index

    from noderag_local.models.embedding.model_files import model_folder

    lines = corpus.read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["text"] if corpus.suffix == ".jsonl" else line for line in lines if line.strip()]
    model = SentenceTransformer(str(model_folder()))
    vectors = model.encode(texts)
    index = Index(ndim=vectors.shape[1], metric="cos")
    index.add(np.arange(len(texts)), vectors)
    index.save(target / "index.usearch")
    write_private(target / "texts.json", json.dumps(texts))


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def one_round(corpus: Path, by_lines: bool) -> dict[str, tuple[Measured, int]]:
    results = {}
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("naive", "noderag"):
            folder = Path(scratch) / name
            make_private_folder(folder)
            command = [sys.executable, __file__, str(corpus), "--naive", str(folder)]
            if name == "noderag":
                command = [sys.executable, "-m", "noderag_local", "index", str(corpus), "--vault", str(folder)]
                command += ["--lines"] * by_lines
            results[name] = measured(command, HF_HUB_OFFLINE="1"), size_of(folder)
            cost, size = results[name]
            print(
                f"{name:8} {cost.seconds:7.1f} s  {cost.peak_rss_bytes / 1e6:7.0f} MB peak  {size / 1e6:6.1f} MB on disk"
            )
            sys.stdout.flush()
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--lines", action="store_true")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--naive", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.naive:
        naive(arguments.corpus, arguments.naive)
        return
    rounds = [one_round(arguments.corpus, arguments.lines) for _ in range(arguments.repeat)]
    ours, theirs = (median(one[name][0].seconds for one in rounds) for name in ("noderag", "naive"))
    print(f"noderag / naive = {ours:.1f} s / {theirs:.1f} s = {ours / theirs:.2f}")


if __name__ == "__main__":
    main()
