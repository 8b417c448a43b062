"""Fits the rankers of the default method, and what tells which of them a question is for, to questions with known answers.

Usage: .venv/bin/python scripts/bench/fit_rankers.py VAULT QA.json SHARE KIND [VAULT QA.json SHARE KIND ...]

VAULT is a vault that `noderag eval` or `noderag index` made of the questions' corpus; QA.json as `noderag eval` takes it, or the
questions of a life as scripts/bench/lives.py takes them; SHARE is how much the corpus weighs, and KIND a word for what its notes are.
The rankers come of two fits. A share such as 1/0.5 has the weight in each; a corpus with a weight of 0 has no part in that fit.

A sentence counts as right where it has one of a question's pieces of `evidence`, where it stands in one of its `sources` (names of
files), where it has a part of the answer and stands in one of its `files` (lives), or else where it holds the answer. The candidates
of a question are the sentences with the largest sums of signals. Right sentences are not added to them: these would be the ones with
the smallest signals, and the rankers would learn that small signals are right. The loss of a fit is the negative log likelihood of the
right sentences under the mixture of its rankers (L-BFGS, L2). Then the rankers of both fits are one mixture, in which the two fits are
trusted alike on average, so that what one fit has learned too well counts for half (Breiman 1996).

Prints the weights to put into retrieval/default/rankers.py and, for each corpus, the share of questions with every piece in the
first 6 and 20 sentences, pieces that are no candidates left aside: with the weights that are in use, fitted on all corpora,
and fitted on all but those of the same kind.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from lives import stands_in
from numpy.typing import NDArray

from noderag_local.config import load_settings
from noderag_local.domain.passages import Source
from noderag_local.evaluation.metrics import normalise
from noderag_local.retrieval.default.default_method import NodeRag
from noderag_local.retrieval.default.rankers import FITTED, PART_NAMES, QuestionSigns, Ranker, Rankers, Weights
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.vault.reader import Reader

CANDIDATES = 500
PENALTY, SIGN_PENALTY = 5e-5, 2.5e-4
ROUNDS = 120
HOP = ((5.0, 2, 2, 1, 1, 3, 1, 1, 1, 0, 0, 1, 1, 5), (0.0, 0, 0, 0, 0, 0, 0, 0))
DIRECT = ((2.0, 2, 4, 4, 4, 3, 2, 2, 4, 0, 1, 1, 0, 1), (0.0, 0.5, 0.5, 0, -1, 0, 0, -1))
TITLE = ((1.0, 2, 4, 0, 0, 3, 2, 3, 2, 0, 3, 1, 0, 0), (0.0, 0, 0, 0, 0, 0, 0, 0))
STARTS = ({"hop": HOP, "direct": DIRECT}, {"bridge": HOP, "meaning": DIRECT, "title": TITLE})
"""The rankers of each fit by name, each with the round weights that it starts from: those of the parts, and those of the signs, the bias
first. The weights in use would be no fair start, as they were fitted to the corpora that are left out."""
FEWEST_WORDS = 4
"""Words of a sentence of the evidence that must stand in a context."""

Question = dict[str, Any]
Right = Callable[[Source], bool]


@dataclass(frozen=True)
class Corpus:
    """Questions of a corpus as tensors; q questions, c candidates each, n right pieces of all questions together."""

    ids: tuple[str, ...]
    """Ids of the questions that have a right candidate, in the order of the tensors."""
    values: torch.Tensor
    """(q, c, parts)"""
    missing: torch.Tensor
    """(q, c) −1e9 where there is no candidate, else 0."""
    owners: torch.Tensor
    """(n,) row of the question of each piece, ascending."""
    outside: torch.Tensor
    """(n, c) −1e9 for candidates that do not have the piece, else 0."""
    shares: torch.Tensor
    """(n,) weight of each piece; those of a question add up to 1."""
    signs: torch.Tensor
    """(q, 1 + signs) a one, and the signs of the question."""
    shares_in_fits: tuple[float, ...]
    """How much the corpus weighs in each fit."""

    def likely(self, most: int) -> Corpus:
        """Returns the likeliest candidates alone, without the pieces that none of them has."""
        values, missing, outside = self.values[:, :most], self.missing[:, :most], self.outside[:, :most]
        had = outside.max(dim=1).values == 0
        pieces = {"owners": self.owners[had], "outside": outside[had], "shares": self.shares[had]}
        return replace(self, values=values, missing=missing, **pieces)

    def only(self, rows: Sequence[int]) -> Corpus:
        """Returns the questions in these rows alone; the rows ascend."""
        chosen = torch.tensor(rows, dtype=torch.long)
        place = torch.full((len(self.ids),), -1, dtype=torch.long)
        place[chosen] = torch.arange(len(rows))
        owners = place[self.owners]
        kept = owners >= 0
        pieces = {"owners": owners[kept], "outside": self.outside[kept], "shares": self.shares[kept]}
        of_rows = {name: getattr(self, name)[chosen] for name in ("values", "missing", "signs")}
        return replace(self, ids=tuple(self.ids[row] for row in rows), **of_rows, **pieces)


@dataclass(frozen=True)
class Fitted:
    """Weights of the rankers, and of a question's signs for each of them; r rankers."""

    rankers: torch.Tensor
    """(r, parts)"""
    signs: torch.Tensor
    """(r, 1 + signs), the bias first."""


@cache
def flat(text: str) -> str:
    """Lower case, words alone."""
    return " ".join(re.sub(r"[^\w\s]", " ", text.lower()).split())


@cache
def plain(text: str) -> str:
    """Normalised as for coverage, between blanks, so that whole tokens can be looked for."""
    return f" {normalise(text)} "


def pieces(question: Question) -> list[Right]:
    """What is to be found: one test for each piece of evidence, each file, or the answer."""
    if "files" in question:
        return [has_part(part, question["files"]) for part in question["answers"]]
    if question.get("evidence"):
        return [has_evidence(turn) for turn in question["evidence"]]
    if question.get("sources"):
        return [lambda source, name=name: source.path.endswith(f"/{name}") for name in question["sources"]]
    answers = [str(answer) for answer in (question.get("answer", ""), *question.get("aliases", []))]
    words = [normalise(answer) for answer in answers]
    if any(re.search(r"[\u0e00-\u0e7f\u3040-\u9fff]", answer) for answer in answers):
        return [lambda source: any(answer and answer in source.text for answer in answers)]
    return [lambda source: any(word and f" {word} " in plain(source.text) for word in words)]


def has_evidence(turn: str) -> Right:
    """Whether a sentence has one of the turn's sentences in it."""
    said = [flat(part) for part in re.split(r"(?<=[.!?])\s+", turn)]
    wanted = [part for part in said if len(part.split()) >= FEWEST_WORDS] or [flat(turn)]
    return lambda source: any(part in flat(source.text) for part in wanted)


def has_part(part: Sequence[str], files: Sequence[str]) -> Right:
    """Whether a sentence of one of the files has one of the texts that are enough for a part of an answer."""
    wanted = [text.casefold() for text in part]
    return lambda source: (
        source.path.endswith(tuple(files)) and any(stands_in(text, source.text.casefold()) for text in wanted)
    )


def shares_of(text: str) -> tuple[float, ...]:
    """The weights of a corpus in each fit, from "1/0.5", or from "1", which is the same for all."""
    weights = [float(one) for one in text.split("/")]
    return tuple(weights * len(STARTS) if len(weights) == 1 else weights)


def read_corpus(vault: Path, questions: Path, shares_in_fits: tuple[float, ...]) -> Corpus:
    """The candidates of every question in a file that has a right one among them."""
    with Store.open(vault, write=False) as store:
        rows = json.loads(questions.read_text(encoding="utf-8"))
        return _corpus(Reader(store, load_settings()), rows, shares_in_fits)


def _corpus(reader: Reader, questions: Sequence[Question], shares_in_fits: tuple[float, ...]) -> Corpus:
    method = reader.retriever("noderag")
    assert isinstance(method, NodeRag)
    encode = method._search_context.encode
    sources = TextRows(reader.store).passages(reader.graph_arrays.sentences.tolist())
    ids, rows = [], []
    for question in questions:
        asked = str(question["question"])
        signals = method.signals(asked, encode(asked))
        values = np.stack([signals.parts[name] for name in PART_NAMES], axis=1)
        chosen = np.argsort(-values.sum(axis=1), kind="stable")[:CANDIDATES]
        likely = signals.candidates[chosen]
        right = [np.array([is_right(sources[row]) for row in likely]) for is_right in pieces(question)]
        held = [of_piece for of_piece in right if of_piece.any()]
        if held:
            ids.append(str(question["id"]))
            rows.append((values[chosen], held, [1.0, *astuple(signals.signs)]))
    return stacked(ids, rows, shares_in_fits)


def stacked(
    ids: list[str],
    rows: list[tuple[NDArray[np.float32], list[NDArray[np.bool_]], list[float]]],
    shares_in_fits: tuple[float, ...],
) -> Corpus:
    """Fills up every question to the same number of candidates."""
    values = np.zeros((len(rows), CANDIDATES, len(PART_NAMES)), np.float32)
    missing = np.full((len(rows), CANDIDATES), -1e9, np.float32)
    pieces = [(at, having, len(held)) for at, (_, held, _) in enumerate(rows) for having in held]
    outside = np.full((len(pieces), CANDIDATES), -1e9, np.float32)
    for at, (of_one, _, _) in enumerate(rows):
        values[at, : len(of_one)], missing[at, : len(of_one)] = of_one, 0
    for piece, (_, having, _) in enumerate(pieces):
        outside[piece, np.flatnonzero(having)] = 0
    owners = np.array([at for at, _, _ in pieces], np.int64)
    shares = np.array([1 / count for _, _, count in pieces], np.float32)
    signs = np.array([signs for _, _, signs in rows], np.float32)
    tensors = map(torch.from_numpy, (values, missing, owners, outside, shares, signs))
    return Corpus(tuple(ids), *tensors, shares_in_fits)


def log_probabilities(fitted: Fitted, of: Corpus) -> torch.Tensor:
    """(q, c) logarithm of each candidate's probability, as `rankers.ranked` has it."""
    sums = of.values @ fitted.rankers.T + of.missing[:, :, None]
    trust = torch.log_softmax(of.signs @ fitted.signs.T, dim=1)
    return torch.logsumexp(torch.log_softmax(sums, dim=1) + trust[:, None], dim=2)


def log_likelihood(fitted: Fitted, of: Corpus) -> torch.Tensor:
    """() mean over the questions of the logarithm of the probability that their right pieces have."""
    logs = log_probabilities(fitted, of)
    right = torch.logsumexp(logs[of.owners] + of.outside, dim=1)
    return (right * of.shares).sum() / len(of.values)


def in_use() -> Fitted:
    """The weights of the default method."""
    return Fitted(
        torch.tensor([astuple(ranker.weights) for ranker in FITTED]),
        torch.tensor([[ranker.bias, *astuple(ranker.signs)] for ranker in FITTED]),
    )


def fit(corpora: Sequence[Corpus], penalty_scale: float = 1.0, rounds: int = ROUNDS) -> Fitted:
    """The rankers of both fits; both penalties are multiplied by `penalty_scale`."""
    fits = [_centred(_fit(number, corpora, penalty_scale, rounds), corpora) for number in range(len(STARTS))]
    return Fitted(torch.cat([one.rankers for one in fits]), torch.cat([one.signs for one in fits]))


def _fit(number: int, corpora: Sequence[Corpus], penalty_scale: float, rounds: int) -> Fitted:
    """The likeliest weights of one fit after so many rounds."""
    shares = [of.shares_in_fits[number] for of in corpora]
    whole = sum(shares)
    rankers, signs = (torch.tensor(rows).requires_grad_() for rows in zip(*STARTS[number].values(), strict=True))
    optimizer = torch.optim.LBFGS([rankers, signs], max_iter=rounds, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        total = penalty_scale * (PENALTY * (rankers**2).sum() + SIGN_PENALTY * (signs[:, 1:] ** 2).sum())
        for of, share in zip(corpora, shares, strict=True):
            if share:
                total = total - share / whole * log_likelihood(Fitted(rankers, signs), of)
        total.backward()
        return total

    optimizer.step(loss)
    return Fitted(rankers.detach(), signs.detach())


def _centred(fitted: Fitted, corpora: Sequence[Corpus]) -> Fitted:
    """Shifts the biases so that every fit is trusted alike, on the average of all corpora, whatever their shares."""
    sums = torch.stack([torch.logsumexp(of.signs @ fitted.signs.T, dim=1).mean() for of in corpora])
    biases = fitted.signs[:, :1] - sums.mean()
    return Fitted(fitted.rankers, torch.cat([biases, fitted.signs[:, 1:]], dim=1))


def all_within(fitted: Fitted, of: Corpus, first: int) -> float:
    """Share of questions with every piece among the first so many sentences."""
    order = torch.argsort(log_probabilities(fitted, of), dim=1, descending=True, stable=True)[:, :first]
    kept = torch.full(of.missing.shape, -1e9).scatter(1, order, 0)
    found = (of.outside + kept[of.owners]).max(dim=1).values > -1
    lacking = torch.zeros(len(of.ids)).index_add(0, of.owners, (~found).float())
    return float((lacking == 0).float().mean())


def as_rankers(fitted: Fitted) -> Rankers:
    """Weights as the default method takes them, rounded to one decimal as in rankers.py."""
    names = [name for starts in STARTS for name in starts]
    rows = zip(names, fitted.rankers.tolist(), fitted.signs.tolist(), strict=True)
    return tuple(
        Ranker(
            name,
            Weights(*(round(one, 1) for one in weights)),
            round(bias, 1),
            QuestionSigns(*(round(one, 1) for one in signs)),
        )
        for name, weights, (bias, *signs) in rows
    )


def told(fitted: Fitted) -> None:
    """Prints weights as they stand in rankers.py."""
    for ranker in as_rankers(fitted):
        weights, signs = (", ".join(f"{one:.1f}" for one in astuple(part)) for part in (ranker.weights, ranker.signs))
        print(f'Ranker("{ranker.name}", Weights({weights}), {ranker.bias:.1f}, QuestionSigns({signs})),')


def read_corpora(arguments: Sequence[str]) -> dict[str, list[tuple[str, Corpus]]]:
    """The corpora that the command names, each with its name, by their kind."""
    by_kind: dict[str, list[tuple[str, Corpus]]] = {}
    for folder, qa, share, kind in zip(*(arguments[at::4] for at in range(4)), strict=True):
        of = read_corpus(Path(folder), Path(qa), shares_of(share))
        by_kind.setdefault(kind, []).append((f"{Path(folder).name} {Path(qa).stem}", of))
    return by_kind


def main(arguments: list[str]) -> None:
    by_kind = read_corpora(arguments)
    everything = fit([of for kind in by_kind.values() for _, of in kind])
    told(everything)
    print(f"{'every piece in the first 6 / 20, %':36}{'in use':>14}{'on all':>14}{'without it':>14}")
    for left_out, named in by_kind.items():
        others = [of for kind, ones in by_kind.items() for _, of in ones if kind != left_out]
        fits = (in_use(), everything, *([fit(others)] if others else []))
        for name, of in named:
            cells = (f"{100 * all_within(one, of, 6):.1f} / {100 * all_within(one, of, 20):.1f}" for one in fits)
            print(f"{name:36}" + "".join(f"{cell:>14}" for cell in cells), flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 5 or len(sys.argv) % 4 != 1:
        sys.exit(__doc__)
    main(sys.argv[1:])
