#!/usr/bin/env python3
"""Finds the paragraphs that answer questions among many other notes, and alone.

    .venv/bin/python scripts/bench/haystack.py FOLDER CORPUS QUESTIONS [--methods noderag hybrid bm25 naive] [--budgets 500 1000 2000]

FOLDER has the vault of made notes that `sizes.py FOLDER CORPUS` has made, and CORPUS is the same text file, with a paragraph in each
line. The made notes are its sentences with other names and numbers, so that they are harder to tell apart than notes about other
things. A copy of the vault gets the paragraphs themselves, which the embedding model reads; a second vault holds nothing else.
QUESTIONS is a JSON list of objects with `question` and `answer`. Prints how many of the contexts hold the answer, word for word.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

from bank_vectors import BankEmbedder, BankModels

from noderag_local.config import Settings, load_settings
from noderag_local.models.embedding.embedder import EmbeddedChunk, PassageVectors
from noderag_local.models.embedding.embedding_model import builtin_model
from noderag_local.models.embedding.opening import open_embedder
from noderag_local.vault.vault import Vault

_BEGINNING = 40
"""Characters by which a paragraph of the corpus is told from a made note."""


class MixedEmbedder(BankEmbedder):
    """Gives the paragraphs of the corpus their own vectors, and all other notes those of the bank."""

    def __init__(self, corpus: Path, saved: Path, settings: Settings) -> None:
        super().__init__(corpus, saved, settings)
        self._model = open_embedder(builtin_model(), settings)
        self._beginnings = {line.strip()[:_BEGINNING] for line in corpus.read_text(encoding="utf-8").splitlines()}

    def batches(self, passages: Sequence[EmbeddedChunk]) -> Iterator[Mapping[int, PassageVectors]]:
        is_own = [passage.sentences[0].strip()[:_BEGINNING] in self._beginnings for passage in passages]
        for own, embed in ((True, self._model.batches), (False, super().batches)):
            places = [place for place, its in enumerate(is_own) if its is own]
            for batch in embed([passages[place] for place in places]) if places else ():
                yield {places[at]: vectors for at, vectors in batch.items()}


def added(vault: Path, corpus: Path, bank: Path, settings: Settings) -> None:
    """Indexes the paragraphs of the corpus, if the vault does not have them."""
    models = BankModels(settings, MixedEmbedder(corpus, bank, settings))
    with Vault(vault, settings) as opened:
        started = time.perf_counter()
        report = opened.index([corpus], models=models, by_lines=True)
        print(f"{vault}: +{report.added} in {time.perf_counter() - started:.0f} s", flush=True)


def asked(vault: Path, questions: Sequence[Mapping[str, str]], arguments: argparse.Namespace) -> None:
    """Prints the share of the contexts that hold the answer, for each method and budget."""
    with Vault(vault, load_settings()) as opened:
        for method in arguments.methods:
            shares, took = [], []
            for budget in arguments.budgets:
                held = 0
                for one in questions:
                    started = time.perf_counter()
                    context = opened.search(one["question"], method=method, budget_tokens=budget).context
                    took.append(time.perf_counter() - started)
                    held += one["answer"].casefold() in context.casefold()
                shares.append(f"{100 * held / len(questions):.1f} at {budget}")
            print(f"  {vault.name:9} {method:9} {', '.join(shares)}; {1000 * median(took):.0f} ms", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--methods", nargs="+", default=["noderag", "hybrid", "bm25", "naive"])
    parser.add_argument("--budgets", nargs="+", type=int, default=[500, 1000, 2000])
    arguments = parser.parse_args()
    folder, bank = arguments.folder, arguments.folder / "bank.npy"
    if not (folder / "haystack").exists():
        shutil.copytree(folder / "vault", folder / "haystack")
    questions = json.loads(arguments.questions.read_text(encoding="utf-8"))
    for vault in (folder / "haystack", folder / "alone"):
        added(vault, arguments.corpus.resolve(), bank, load_settings())
        asked(vault, questions, arguments)


if __name__ == "__main__":
    main()
