"""Fits the weights of the default method to questions with known answers.

Usage: scripts/bench/fit_weights.py VAULT QA.json [VAULT QA.json ...]

VAULT is a vault that `noderag eval` or `noderag index` made of the questions' corpus; QA.json as `noderag eval` takes it.
The loss is the negative log likelihood of the sentences that hold the answer, among the candidates, under a softmax of
the score (L-BFGS, L2 of 0.001). Prints the weights for each set alone, for all of them together, and, with three folds
over each set's questions, the share of questions whose best such sentence is among the first 20 and 60.
"""

from __future__ import annotations

import json
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from noderag_local.config import load_settings
from noderag_local.evaluation.metrics import normalise
from noderag_local.models.embedding.question_encoder import QuestionEncoder
from noderag_local.retrieval.default.default_method import NodeRag, Weights, total
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.vault.reader import Reader

PARTS = [field.name for field in fields(Weights)]
CANDIDATES = 2000
PENALTY = 1e-3
FOLDS = 3

Example = tuple[NDArray[np.float32], NDArray[np.bool_]]
"""(CANDIDATES, parts) values, best first by today's weights, and which of them hold the answer."""


def examples(reader: Reader, questions: list[dict[str, object]]) -> list[Example]:
    """One example a question that any candidate answers."""
    method = reader.retriever("noderag")
    assert isinstance(method, NodeRag)
    arrays, encoder = reader.graph_arrays, QuestionEncoder()
    texts = [f" {normalise(text)} " for text in TextRows(reader.store).sentence_texts(arrays.sentences.tolist())]
    found = []
    for question in questions:
        answers = [normalise(str(answer)) for answer in (question["answer"], *question.get("aliases", []))]  # type: ignore[misc]
        asked = str(question["question"])
        parts, _ = method.parts(asked, encoder.encode(asked))
        best = np.argsort(-total(parts, Weights()), kind="stable")[:CANDIDATES]
        holds = np.array([any(answer and f" {answer} " in texts[row] for answer in answers) for row in best])
        if holds.any():
            found.append((np.stack([parts[name][best] for name in PARTS], axis=1), holds))
    return found


def fitted(chosen: list[Example]) -> NDArray[np.float64]:
    """Weights in units of the first part's."""
    values = np.stack([example for example, _ in chosen])
    outside = np.where(np.stack([holds for _, holds in chosen]), 0, -np.inf)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = values @ weights
        everything, logs = softmax(scores)
        answers, answer_logs = softmax(scores + outside)
        slope = np.einsum("qc,qcp->p", everything - answers, values) / len(chosen)
        return float((logs - answer_logs).mean() + PENALTY * (weights**2).sum()), slope + 2 * PENALTY * weights

    best = minimize(loss, np.ones(len(PARTS)), jac=True, method="L-BFGS-B").x
    return np.asarray(best / best[0])


def softmax(scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Shares, and the logarithm of their sum before they were scaled."""
    highest = scores.max(axis=1, keepdims=True)
    powers = np.exp(scores - highest)
    sums = powers.sum(axis=1, keepdims=True)
    return powers / sums, (np.log(sums) + highest)[:, 0]


def ranks(chosen: list[Example], weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Rank of the best sentence with the answer, 0-based."""
    orders = (np.argsort(-(values @ weights), kind="stable") for values, _ in chosen)
    return np.array([int(np.argmax(holds[order])) for order, (_, holds) in zip(orders, chosen, strict=True)])


def told(name: str, weights: NDArray[np.float64]) -> None:
    print(f"{name:24}", "  ".join(f"{part} {weight:.2f}" for part, weight in zip(PARTS, weights, strict=True)))


def main(arguments: list[str]) -> None:
    sets: dict[str, list[Example]] = {}
    for folder, qa in zip(arguments[::2], arguments[1::2], strict=True):
        with Store.open(Path(folder), write=False) as store:
            sets[Path(folder).name] = examples(
                Reader(store, load_settings()), json.loads(Path(qa).read_text(encoding="utf-8"))
            )
    for name, chosen in sets.items():
        told(name, fitted(chosen))
    told("all together", fitted([example for chosen in sets.values() for example in chosen]))
    for name, chosen in sets.items():
        held_out = np.zeros(len(chosen), dtype=np.int64)
        for fold in range(FOLDS):
            rest = [example for at, example in enumerate(chosen) if at % FOLDS != fold]
            others = [example for other, more in sets.items() if other != name for example in more]
            held_out[fold::FOLDS] = ranks(chosen[fold::FOLDS], fitted(rest + others))
        now = ranks(chosen, np.array([getattr(Weights(), part) for part in PARTS]))
        for label, rank in (("held out", held_out), ("today's weights", now)):
            print(
                f"{name} {label}: {len(chosen)} questions, {(rank < 20).mean():.1%} in 20, {(rank < 60).mean():.1%} in 60"
            )


if __name__ == "__main__":
    if len(sys.argv) < 3 or len(sys.argv) % 2 == 0:
        sys.exit(__doc__)
    main(sys.argv[1:])
