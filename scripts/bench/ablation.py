#!/usr/bin/env python3
"""What each part of the graph and of the search is worth: coverage with one of them left out at a time.

    .venv/bin/python scripts/bench/ablation.py VAULT QA.json [--budgets 1000 2000] [--methods noderag noderag-paper]

VAULT is a vault of the questions' corpus, as far as the language model has read it; it is left as it is. QA.json is what `noderag eval`
takes. Each row says in how many of 100 questions the answer stands in the context, in brackets all its supporting documents.
Tokens are counted with the installed language model's own tokenizer.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from noderag_local.config import load_settings
from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.evaluation.metrics import covers, supported
from noderag_local.models.llm.gguf_files.installed import resolve_model
from noderag_local.models.llm.llamacpp.tokenizer import Tokenizer
from noderag_local.papers.noderag import noderag_paper
from noderag_local.retrieval.default.default_method import NodeRag
from noderag_local.retrieval.default.rankers import FITTED, PART_NAMES, Rankers
from noderag_local.retrieval.packing import stated_sentences
from noderag_local.retrieval.retriever import Retriever
from noderag_local.storage.database.connection import FILE_NAME
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.edge_letters import LETTERS
from noderag_local.vault.reader import Reader
from noderag_local.vault.vault import Vault

Edit = Callable[[Path], None]
"""Changes a copy of the vault."""


def nothing(_: Path) -> None:
    """The copy stays as it is."""


def dropped(*stages: str) -> Edit:
    """Without what these stages made."""

    def edit(folder: Path) -> None:
        with Vault(folder, load_settings()) as vault:
            for stage in stages:
                vault.enrichment.drop(stage)

    return edit


def without_edges(kind: EdgeType) -> Edit:
    """Without the edges of one type."""

    def edit(folder: Path) -> None:
        with Store.open(folder, write=True) as store, store.transaction():
            store.run("DELETE FROM edges WHERE type = ?", (LETTERS[kind],))

    return edit


@dataclass(frozen=True)
class Variant:
    """One row of the table."""

    name: str
    edit: Edit = nothing
    rankers: Rankers = FITTED
    whole_share: float = stated_sentences.WHOLE_SHARE
    shares: tuple[NodeType, ...] = tuple(noderag_paper.SHARES)
    """Types that `noderag-paper` may select."""
    searched: tuple[NodeType, ...] = noderag_paper.SEARCHED
    """Types among which `noderag-paper` looks for the nearest."""


def without(kind: NodeType) -> tuple[NodeType, ...]:
    return tuple(one for one in noderag_paper.SHARES if one is not kind)


def without_part(part: str) -> Rankers:
    """The fitted rankers without one signal; the others keep their weights."""
    return tuple(replace(ranker, weights=replace(ranker.weights, **{part: 0.0})) for ranker in FITTED)


ROWS = {
    "noderag": [
        Variant("as it is"),
        Variant("without the language model", dropped("all")),
        Variant("entities of the model left out", without_edges(EdgeType.RECOGNISED)),
        Variant("statements of the model left out", whole_share=1.0),
        *(Variant(f"{ranker.name} ranker alone", rankers=(ranker,)) for ranker in FITTED),
        *(Variant(f"no {part}", rankers=without_part(part)) for part in PART_NAMES),
    ],
    "noderag-paper": [
        Variant("as it is"),
        Variant("without the language model", dropped("all")),
        Variant("no attributes", dropped("attributes")),
        Variant("no high-level elements", dropped("elements")),
        Variant("no attributes, no elements", dropped("elements", "attributes")),
        Variant("no relationships in contexts", shares=without(NodeType.RELATIONSHIP)),
        Variant("no texts in contexts", shares=without(NodeType.TEXT)),
        Variant("no semantic edges", without_edges(EdgeType.SIMILAR)),
        Variant("no dual search: names alone", searched=()),
    ],
}


@contextmanager
def as_said(variant: Variant) -> Iterator[None]:
    """Sets the modules' constants for a while."""
    before = stated_sentences.WHOLE_SHARE, dict(noderag_paper.SHARES), noderag_paper.SEARCHED
    stated_sentences.WHOLE_SHARE, noderag_paper.SEARCHED = variant.whole_share, variant.searched  # type: ignore[assignment]
    total = sum(before[1][kind] for kind in variant.shares)
    noderag_paper.SHARES = {kind: before[1][kind] / total for kind in variant.shares}
    try:
        yield
    finally:
        stated_sentences.WHOLE_SHARE, noderag_paper.SHARES, noderag_paper.SEARCHED = before


def built(method: str, variant: Variant, reader: Reader) -> Retriever:
    retriever = reader.retriever(method)
    return NodeRag(retriever._search_context, variant.rankers) if isinstance(retriever, NodeRag) else retriever


def row(method: str, variant: Variant, vault: Path, questions: list[dict[str, object]], budgets: list[int]) -> str:
    """Coverage and support at each budget."""
    settings = load_settings()
    cells = []
    with tempfile.TemporaryDirectory() as scratch, as_said(variant):
        folder = Path(scratch)
        copied(vault, folder)
        variant.edit(folder)
        with Store.open(folder, write=False) as store:
            reader = Reader(store, settings)
            reader.count_tokens = Tokenizer(resolve_model(settings.model, settings.models_dir)).count_tokens
            retriever = built(method, variant, reader)
            for budget in budgets:
                cells.append(cell(retriever, questions, budget))
    return f"| {variant.name} | " + " | ".join(cells) + " |"


def cell(retriever: Retriever, questions: list[dict[str, object]], budget: int) -> str:
    covered = carried = 0
    for question in questions:
        found = retriever.retrieve(str(question["question"]), budget)
        answers = [str(question["answer"]), *map(str, question.get("aliases", []))]  # type: ignore[call-overload]
        covered += covers(found.context, answers)
        carried += supported([source.title for source in found.sources], question.get("supports", []))  # type: ignore[arg-type]
    return f"{100 * covered / len(questions):.1f} ({100 * carried / len(questions):.1f})"


def copied(vault: Path, folder: Path) -> None:
    with sqlite3.connect(vault / FILE_NAME) as source, sqlite3.connect(folder / FILE_NAME) as target:
        source.backup(target)
    source.close()
    target.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--budgets", type=int, nargs="+", default=[1000, 2000])
    parser.add_argument("--methods", choices=ROWS, nargs="+", default=list(ROWS))
    arguments = parser.parse_args()
    questions = json.loads(arguments.questions.read_text(encoding="utf-8"))
    for method in arguments.methods:
        print(f"\n| {method} | " + " | ".join(f"{budget:,} tokens" for budget in arguments.budgets) + " |")
        print("| --- " * (1 + len(arguments.budgets)) + "|")
        for variant in ROWS[method]:
            print(row(method, variant, arguments.vault, questions, arguments.budgets), flush=True)


if __name__ == "__main__":
    main()
