"""Fits the two rankers of the default method, and what tells which of them a question is for, to questions with known answers.

Usage: .venv/bin/python scripts/bench/fit_rankers.py VAULT QA.json [VAULT QA.json ...]

VAULT is a vault that `noderag eval` or `noderag index` made of the questions' corpus; QA.json as `noderag eval` takes it.
A sentence counts as right where it has one of a question's pieces of `evidence`, where it stands in one of its `sources`
(names of files), or else where it holds the answer. The loss is the negative log likelihood of the right sentences under the
mixture of the rankers (L-BFGS, L2), each corpus weighing the same. Prints the weights to put into retrieval/default/rankers.py
and, for each corpus, the share of questions with every piece in the first 20 and 60 sentences: with the weights that are in use,
fitted on all corpora, and fitted on all but this one.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from noderag_local.config import load_settings
from noderag_local.domain.passages import Source
from noderag_local.evaluation.metrics import normalise
from noderag_local.models.embedding.question_encoder import QuestionEncoder
from noderag_local.retrieval.default.default_method import NodeRag
from noderag_local.retrieval.default.rankers import FITTED, PART_NAMES
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.vault.reader import Reader

CANDIDATES = 500
PENALTY, SIGN_PENALTY = 2e-4, 1e-3
ROUNDS = 150
HOP_START = (5.0, 2, 2, 1, 1, 3, 1, 1, 1, 0, 0, 1, 1, 5)
DIRECT_START = (2.0, 2, 4, 4, 4, 3, 2, 2, 4, 0, 1, 1, 0, 1)
SIGNS_START = (0.0, 0.5, 0.5, 0, -1, 0, 0, -1)
"""Round weights to start from. From the weights in use, a corpus that is left out would have had its say already."""
FEWEST_WORDS = 4
"""Words of a sentence of the evidence that must stand in a context."""

Question = dict[str, Any]
Right = Callable[[Source], bool]


@dataclass(frozen=True)
class Corpus:
    """Questions of a corpus as tensors; q questions, c candidates each, at most u right pieces."""

    values: torch.Tensor
    """(q, c, parts)"""
    missing: torch.Tensor
    """(q, c) −1e9 where there is no candidate, else 0."""
    outside: torch.Tensor
    """(q, u, c) −1e9 for candidates that do not have the piece, else 0."""
    shares: torch.Tensor
    """(q, u) weight of each piece; those of a question add up to 1."""
    signs: torch.Tensor
    """(q, 1 + signs) a one, and the signs of the question."""


@dataclass(frozen=True)
class Fitted:
    """Weights of both rankers, hop first, and of a question's signs."""

    rankers: torch.Tensor
    """(2, parts)"""
    signs: torch.Tensor
    """(1 + signs,), the bias first."""


def flat(text: str) -> str:
    """Lower case, words alone."""
    return " ".join(re.sub(r"[^\w\s]", " ", text.lower()).split())


def pieces(question: Question) -> list[Right]:
    """What is to be found: one test for each piece of evidence, each file, or the answer."""
    if question.get("evidence"):
        return [has_evidence(turn) for turn in question["evidence"]]
    if question.get("sources"):
        return [lambda source, name=name: source.path.endswith(f"/{name}") for name in question["sources"]]
    answers = [str(answer) for answer in (question.get("answer", ""), *question.get("aliases", []))]
    words = [normalise(answer) for answer in answers]
    if any(re.search(r"[\u0e00-\u0e7f\u3040-\u9fff]", answer) for answer in answers):
        return [lambda source: any(answer and answer in source.text for answer in answers)]
    return [lambda source: any(word and f" {word} " in f" {normalise(source.text)} " for word in words)]


def has_evidence(turn: str) -> Right:
    """Whether a sentence has one of the turn's sentences in it."""
    said = [flat(part) for part in re.split(r"(?<=[.!?])\s+", turn)]
    wanted = [part for part in said if len(part.split()) >= FEWEST_WORDS] or [flat(turn)]
    return lambda source: any(part in flat(source.text) for part in wanted)


def corpus(reader: Reader, questions: Sequence[Question]) -> Corpus:
    """The candidates of every question that has a right one among them."""
    method, encoder = reader.retriever("noderag"), QuestionEncoder()
    assert isinstance(method, NodeRag)
    sources = TextRows(reader.store).passages(reader.graph_arrays.sentences.tolist())
    rows = []
    for question in questions:
        asked = str(question["question"])
        signals = method.signals(asked, encoder.encode(asked))
        values = np.stack([signals.parts[name][signals.candidates] for name in PART_NAMES], axis=1)
        best = np.argsort(-values.sum(axis=1), kind="stable")
        # All of the likely ones, and whatever is right.
        right = [np.array([is_right(sources[row]) for row in signals.candidates]) for is_right in pieces(question)]
        found = np.flatnonzero(np.any(right, axis=0))[: CANDIDATES // 2]
        chosen = np.concatenate([found, best[~np.isin(best, found)]])[:CANDIDATES]
        held = [of_piece[chosen] for of_piece in right if of_piece[chosen].any()]
        if held:
            rows.append((values[chosen], held, [1.0, *astuple(signals.signs)]))
    return stacked(rows)


def stacked(rows: list[tuple[NDArray[np.float32], list[NDArray[np.bool_]], list[float]]]) -> Corpus:
    """Fills up every question to the same number of candidates and pieces."""
    most = max(len(held) for _, held, _ in rows)
    values = np.zeros((len(rows), CANDIDATES, len(PART_NAMES)), np.float32)
    missing = np.full((len(rows), CANDIDATES), -1e9, np.float32)
    outside = np.full((len(rows), most, CANDIDATES), -1e9, np.float32)
    shares = np.zeros((len(rows), most), np.float32)
    for at, (of_one, held, _) in enumerate(rows):
        values[at, : len(of_one)], missing[at, : len(of_one)] = of_one, 0
        for piece, having in enumerate(held):
            outside[at, piece, np.flatnonzero(having)] = 0
            shares[at, piece] = 1 / len(held)
    signs = np.array([signs for _, _, signs in rows], np.float32)
    return Corpus(*map(torch.from_numpy, (values, missing, outside, shares, signs)))


def log_probabilities(fitted: Fitted, of: Corpus) -> torch.Tensor:
    """(q, c) logarithm of each candidate's probability, as `rankers.ranked` has it."""
    sums = torch.einsum("qcp,kp->qkc", of.values, fitted.rankers) + of.missing[:, None]
    odds = of.signs @ fitted.signs
    shares = torch.nn.functional.logsigmoid(torch.stack([-odds, odds], dim=1))
    return torch.logsumexp(torch.log_softmax(sums, dim=2) + shares[:, :, None], dim=1)


def in_use() -> Fitted:
    """The weights of the default method."""
    return Fitted(
        torch.tensor([astuple(FITTED.hop), astuple(FITTED.direct)]),
        torch.tensor([FITTED.bias, *astuple(FITTED.signs)]),
    )


def fit(corpora: Sequence[Corpus]) -> Fitted:
    """The likeliest weights."""
    start = Fitted(torch.tensor([HOP_START, DIRECT_START]), torch.tensor(SIGNS_START))
    rankers, signs = start.rankers.clone().requires_grad_(), start.signs.clone().requires_grad_()
    optimizer = torch.optim.LBFGS([rankers, signs], max_iter=ROUNDS, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        total = PENALTY * (rankers**2).sum() + SIGN_PENALTY * (signs[1:] ** 2).sum()
        for of in corpora:
            logs = log_probabilities(Fitted(rankers, signs), of)
            right = torch.logsumexp(logs[:, None, :] + of.outside, dim=2)
            total = total - (right * of.shares).sum() / len(of.values) / len(corpora)
        total.backward()
        return total

    optimizer.step(loss)
    return Fitted(rankers.detach(), signs.detach())


def all_within(fitted: Fitted, of: Corpus, first: int) -> float:
    """Share of questions with every piece among the first so many sentences."""
    order = torch.argsort(log_probabilities(fitted, of), dim=1, descending=True, stable=True)[:, :first]
    kept = torch.full(of.missing.shape, -1e9).scatter(1, order, 0)
    found = ((of.outside + kept[:, None]).max(dim=2).values > -1) | (of.shares == 0)
    return float(found.all(dim=1).float().mean())


def told(fitted: Fitted) -> None:
    """Prints weights as they stand in rankers.py."""
    for name, weights in zip(("hop", "direct"), fitted.rankers.tolist(), strict=True):
        print(f"{name}=Weights({', '.join(f'{weight:.1f}' for weight in weights)}),")
    bias, *signs = fitted.signs.tolist()
    print(f"bias={bias:.1f},\nsigns=QuestionSigns({', '.join(f'{sign:.1f}' for sign in signs)}),")


def main(arguments: list[str]) -> None:
    corpora: dict[str, Corpus] = {}
    for folder, qa in zip(arguments[::2], arguments[1::2], strict=True):
        with Store.open(Path(folder), write=False) as store:
            questions = json.loads(Path(qa).read_text(encoding="utf-8"))
            corpora[f"{Path(folder).name} {Path(qa).stem}"] = corpus(Reader(store, load_settings()), questions)
    everything = fit(list(corpora.values()))
    told(everything)
    print(f"{'every piece in the first 20 / 60, %':36}{'in use':>14}{'on all':>14}{'without it':>14}")
    for name, of in corpora.items():
        rest = fit([other for other_name, other in corpora.items() if other_name != name]) if len(corpora) > 1 else None
        cells = (
            f"{100 * all_within(one, of, 20):.1f} / {100 * all_within(one, of, 60):.1f}" if one else "–"
            for one in (in_use(), everything, rest)
        )
        print(f"{name:36}" + "".join(f"{cell:>14}" for cell in cells), flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3 or len(sys.argv) % 2 == 0:
        sys.exit(__doc__)
    main(sys.argv[1:])
