#!/usr/bin/env python3
"""Coverage of the default method on questions that it was not fitted to, by nested cross-validation.

    .venv/bin/python scripts/bench/nested_folds.py --held VAULT QA.json SHARE --beside VAULT QA.json SHARE … --work DIR
        [--budgets 1000 2000]

The questions of the `--held` corpora are divided into outer folds. For each fold the weights are fitted, as fit_rankers.py
fits them, on the other folds and on all of the `--beside` corpora. The strength of the penalty is chosen by inner folds over
these same questions. The questions of the fold are then searched with these weights by the default method itself: its
candidates, its packing, exact counts of tokens. Questions of MuSiQue that share a sub-question stay in one fold.

Prints coverage in percent with its 95 % interval (bootstrap over the questions): of the held-out folds, of weights fitted in
the same way on all questions (in sample), and of the weights in use. DIR keeps the signals, the weights of each fold and a
dump of the runs of each corpus; a second run with the same arguments resumes. SHARE is how much a corpus weighs, such as 1, or
1/0.5 where it weighs otherwise in the second fit.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import torch
from fit_rankers import Corpus, Fitted, as_rankers, fit, log_likelihood, read_corpus, shares_of
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from noderag_local.config import load_settings
from noderag_local.evaluation.bootstrap import mean_interval
from noderag_local.evaluation.dump import Dump
from noderag_local.evaluation.metrics import covers
from noderag_local.evaluation.questions import EvalQuestion, read_questions
from noderag_local.evaluation.ranking import ranked_documents
from noderag_local.evaluation.runs import Run
from noderag_local.interfaces.cli.questions.corpus import provenance_of
from noderag_local.models.llm.gguf_files.installed import resolve_model
from noderag_local.models.llm.llamacpp.tokenizer import Tokenizer
from noderag_local.retrieval.default.default_method import NodeRag, Signals
from noderag_local.retrieval.default.rankers import FITTED, Rankers
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.storage.database.store import Store
from noderag_local.system.disk.private_files import make_private_folder, write_private
from noderag_local.vault.reader import Reader
from noderag_local.vault.vault import Vault

BUDGETS = (1000, 2000, 6000, 12000)
OUTER, INNER = 5, 3
SEED = 20
PENALTY_SCALES = (0.1, 1.0)
"""Factors for both penalties of fit_rankers.py, to choose from."""
INNER_CANDIDATES, INNER_ROUNDS = 200, 60
"""Candidates of each question and rounds of each fit that choose the penalty; the fit itself has all, and goes on for longer."""
MUSIQUE = re.compile(r"\dhop\d?__")
"""Begins an id of MuSiQue; the numbers of its sub-questions follow."""
HELD_OUT, IN_SAMPLE, IN_USE = "noderag-held-out", "noderag-in-sample", "noderag"


@dataclass(frozen=True)
class Asked:
    """A vault and the questions about it."""

    name: str
    vault: Path
    questions: Path
    shares_in_fits: tuple[float, ...]
    """How much the corpus weighs in each fit."""


def linked(ids: Sequence[str]) -> list[int]:
    """Returns the group of each question; those of MuSiQue that share a sub-question, directly or through others, are one."""
    steps = [
        one.partition("__")[2].split("_") if MUSIQUE.match(one) else [f"question {number}"]
        for number, one in enumerate(ids)
    ]
    column = {step: len(ids) + at for at, step in enumerate(dict.fromkeys(chain.from_iterable(steps)))}
    rows, columns = zip(*((row, column[step]) for row, of_one in enumerate(steps) for step in of_one), strict=True)
    size = len(ids) + len(column)
    graph = coo_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(size, size))
    of_all: list[int] = connected_components(graph, directed=False)[1].tolist()
    return of_all[: len(ids)]


def folds(ids: Sequence[str], number: int) -> list[int]:
    """Returns the fold of each question, from 0; groups stay together, folds are about equally large."""
    of = linked(ids)
    names = sorted(set(of))
    random.Random(SEED).shuffle(names)
    sizes = [0] * number
    fold_of: dict[int, int] = {}
    for group in sorted(names, key=lambda group: -of.count(group)):
        fold_of[group] = sizes.index(min(sizes))
        sizes[fold_of[group]] += of.count(group)
    return [fold_of[group] for group in of]


def parted(corpora: Sequence[Corpus], number: int) -> Iterator[tuple[list[Corpus], list[Corpus]]]:
    """Yields (corpora without a fold, the fold of these corpora) for each of so many folds."""
    of = folds([one for each in corpora for one in each.ids], number)
    starts = [sum(len(each.ids) for each in corpora[:at]) for at in range(len(corpora))]
    for fold in range(number):
        inside = [
            [row for row in range(len(c.ids)) if of[s + row] == fold] for c, s in zip(corpora, starts, strict=True)
        ]
        kept = [
            c.only([row for row in range(len(c.ids)) if row not in set(rows)])
            for c, rows in zip(corpora, inside, strict=True)
        ]
        yield kept, [c.only(rows) for c, rows in zip(corpora, inside, strict=True)]


def chosen(corpora: Sequence[Corpus]) -> Fitted:
    """Returns weights fitted with the penalty under which questions of inner folds are likeliest, each corpus weighing the same."""
    found = dict.fromkeys(PENALTY_SCALES, 0.0)
    for kept, left_out in parted([one.likely(INNER_CANDIDATES) for one in corpora], INNER):
        for scale in PENALTY_SCALES:
            fitted = fit(kept, scale, INNER_ROUNDS)
            found[scale] += sum(float(log_likelihood(fitted, one)) for one in left_out) / len(left_out) / INNER
    best = max(found, key=lambda scale: found[scale])
    told = ", ".join(f"{scale:g}: {value:.4f}" for scale, value in found.items())
    print(f"penalties × scale, log likelihood of inner folds: {told}; {best:g} is chosen", flush=True)
    return fit(corpora, best)


def signals_of(asked: Asked, work: Path) -> Corpus:
    """Returns the candidates of every question with their signals; made once and kept in the folder of the work."""
    kept = work / f"{asked.name}.pt"
    if not kept.exists():
        torch.save(vars(read_corpus(asked.vault, asked.questions, asked.shares_in_fits)), kept)
        print(f"{asked.name}: signals are made", flush=True)
    return Corpus(**torch.load(kept) | {"shares_in_fits": asked.shares_in_fits})


def weights_of(name: str, corpora: Sequence[Corpus], work: Path) -> Fitted:
    """Returns the weights fitted on these questions; fitted once and kept in the folder of the work."""
    kept = work / f"weights-{name}.json"
    if not kept.exists():
        print(f"{name}: ", end="")
        made = chosen(corpora)
        write_private(kept, json.dumps({"rankers": made.rankers.tolist(), "signs": made.signs.tolist()}))
    read = json.loads(kept.read_text(encoding="utf-8"))
    return Fitted(torch.tensor(read["rankers"]), torch.tensor(read["signs"]))


def outer_weights(
    held: Sequence[Corpus], beside: Sequence[Corpus], work: Path
) -> tuple[list[dict[str, Rankers]], Rankers]:
    """Returns for each held corpus the weights for each question, not fitted to it, and the weights fitted on all questions."""
    for_question: list[dict[str, Rankers]] = [{} for _ in held]
    for number, (kept, left_out) in enumerate(parted(held, OUTER), 1):
        rankers = as_rankers(weights_of(f"fold-{number}", [*kept, *beside], work))
        for found, one in zip(for_question, left_out, strict=True):
            found.update(dict.fromkeys(one.ids, rankers))
    return for_question, as_rankers(weights_of("all", [*held, *beside], work))


class SearchedAgain(NodeRag):
    """The default method for several weights and budgets; the signals of a question, which depend on neither, are made once."""

    def __init__(self, search_context: SearchContext, rankers: Rankers, made: dict[str, Signals]) -> None:
        super().__init__(search_context, rankers)
        self._made = made

    def signals(self, question: str, vector: NDArray[np.float32]) -> Signals:
        """Returns the signals of a question; see `NodeRag.signals`."""
        if question not in self._made:
            self._made.clear()
            self._made[question] = super().signals(question, vector)
        return self._made[question]


def search_all(
    asked: Asked, held_out: Mapping[str, Rankers], in_sample: Rankers, budgets: Sequence[int], work: Path
) -> list[Run]:
    """Runs the default method on every question with each kind of weights; finished runs of the dump are not repeated."""
    settings, questions = load_settings(), read_questions(asked.questions)
    # No sentence holds the answer to the few questions that nothing can be fitted to; any weights are held out for them.
    fallback = next(iter(held_out.values()))
    with Vault(asked.vault, settings) as vault:
        provenance = provenance_of(vault, "")
    with (
        Store.open(asked.vault, write=False) as store,
        Dump(work / f"{asked.name}.jsonl", provenance, questions) as dump,
    ):
        reader = Reader(store, settings)
        reader.count_tokens = Tokenizer(resolve_model(settings.model, settings.models_dir)).count_tokens
        method = reader.retriever("noderag")
        assert isinstance(method, NodeRag)
        context, made = method._search_context, dict[str, Signals]()
        for question in questions:
            kinds = {HELD_OUT: held_out.get(question.id, fallback), IN_SAMPLE: in_sample, IN_USE: FITTED}
            for name, rankers in kinds.items():
                for budget in budgets:
                    if not dump.has(question, name, budget, None):
                        dump.keep(run_of(SearchedAgain(context, rankers, made), name, question, budget))
        return dump.of((HELD_OUT, IN_SAMPLE, IN_USE), budgets)


def run_of(method: NodeRag, name: str, question: EvalQuestion, budget: int) -> Run:
    """Searches for a question; the run has the name of the kind of weights as its method."""
    started = time.perf_counter()
    found = method.retrieve(question.question, budget)
    return Run(
        question,
        name,
        budget,
        found.context,
        found.tokens,
        found.elapsed_ms,
        tuple(dict.fromkeys(source.title for source in found.sources)),
        seconds=time.perf_counter() - started,
        lines=tuple(dict.fromkeys(source.first_line for source in found.sources)),
        ranking=ranked_documents(found) if question.has_supports else None,
    )


def told(name: str, runs: Sequence[Run], budgets: Sequence[int]) -> None:
    """Prints a row of coverage for each kind of weights, and by how much the weights in use are above those held out."""
    print(f"\n{name}, {len({run.question.id for run in runs})} questions")
    hits: dict[tuple[str, int], list[float]] = {}
    for run in runs:
        hits.setdefault((run.method, run.budget_tokens), []).append(100.0 * covers(run.context, run.question.answers))
    for kind in (HELD_OUT, IN_SAMPLE, IN_USE):
        print(f"| {kind} | " + " | ".join(shown(hits[kind, budget]) for budget in budgets) + " |")
    for kind in (IN_SAMPLE, IN_USE):
        gaps = [np.subtract(hits[kind, budget], hits[HELD_OUT, budget]).tolist() for budget in budgets]
        print(f"| {kind} − held out | " + " | ".join(map(shown, gaps)) + " |")


def shown(values: Sequence[float]) -> str:
    """Returns a mean with its interval."""
    interval = mean_interval(values)
    return f"{interval.mean:.1f} ({interval.low:.1f} to {interval.high:.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option, meaning in (
        ("--held", "corpus whose questions are divided into folds"),
        ("--beside", "corpus to fit on"),
    ):
        parser.add_argument(
            option,
            nargs=3,
            action="append",
            default=[],
            required=option == "--held",
            metavar=("VAULT", "QA.json", "SHARE"),
            help=meaning,
        )
    parser.add_argument("--work", type=Path, required=True, help="folder of what is done")
    parser.add_argument("--budgets", type=int, nargs="+", default=list(BUDGETS))
    arguments = parser.parse_args()
    make_private_folder(arguments.work)
    held, beside = (
        [
            Asked(f"{Path(vault).name}-{Path(qa).stem}", Path(vault), Path(qa), shares_of(share))
            for vault, qa, share in given
        ]
        for given in (arguments.held, arguments.beside)
    )
    tensors = [signals_of(one, arguments.work) for one in (*held, *beside)]
    for_question, everything = outer_weights(tensors[: len(held)], tensors[len(held) :], arguments.work)
    for one, held_out in zip(held, for_question, strict=True):
        told(one.name, search_all(one, held_out, everything, arguments.budgets, arguments.work), arguments.budgets)


if __name__ == "__main__":
    main()
