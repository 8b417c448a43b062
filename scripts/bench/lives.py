#!/usr/bin/env python3
"""Asks the questions of invented lives as a person does, and counts the right answers.

    .venv/bin/python scripts/bench/lives.py [FOLDER] [--lives ghent lisbon] [--budget 500] [--limit 30] [--answers]
    .venv/bin/python scripts/bench/lives.py [FOLDER] [--lives ghent lisbon] --methods noderag bm25 naive

The notes and questions are in FOLDER, by default tests/data/lives; those in tests/data/tables are about tables. Each life is indexed
into a vault of its own, in a temporary folder. An answer is right where it has all that the question wants, and nothing that makes it
wrong; of what the notes do not tell, only "your notes do not tell" is right. Prints for each life and kind of question how many answers
are right, wrong, or left open, how many of the right and wrong ones are marked as doubtful, and in how many cases the passages had all
that was wanted; then the share of right answers with its 95 % interval, and the time to the first word. With --answers it prints each
question with its answer, too. Nothing else should be running.

With --methods no model is asked, and the other options but --lives play no part. It prints for each method the percentage of answerable
questions whose passages have all that is wanted, with 500, 1,000 and 2,000 tokens, and 95 % intervals over all lives.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

from noderag_local.config import load_settings
from noderag_local.evaluation.bootstrap import mean_interval
from noderag_local.generation.answering import UNSURE, Answer
from noderag_local.generation.citing.markers import MARKER
from noderag_local.vault.vault import Vault

BUDGETS = (500, 1000, 2000)
LIVES = Path(__file__).parents[2] / "tests" / "data" / "lives"


@dataclass(frozen=True)
class LifeQuestion:
    """A question with what its answer must have and must not have."""

    kind: str
    text: str
    wanted: tuple[tuple[str, ...], ...]
    """Parts that must all stand in the answer, each as casefolded texts of which one is enough; () if the notes do not tell."""
    unwanted: tuple[str, ...]
    """Casefolded texts that make an answer wrong."""

    def is_in(self, text: str) -> bool:
        """Returns whether a text has all that is wanted."""
        folded = text.casefold()
        return all(any(stands_in(one, folded) for one in part) for part in self.wanted)

    def mark(self, answer: Answer) -> str:
        """Returns whether an answer is right, wrong, or left open."""
        if answer.abstained:
            return "open" if self.wanted else "right"
        text = MARKER.sub("", answer.text)
        is_wrong = not self.wanted or any(stands_in(one, text.casefold()) for one in self.unwanted)
        return "right" if self.is_in(text) and not is_wrong else "wrong"


def stands_in(wanted: str, text: str) -> bool:
    """Returns whether a text has another in it, but not as a part of a longer number: "6" stands in "6.00", not in "2026"."""
    before, after = (
        (r"(?<!\d)(?<!\d[.,])" if wanted[:1].isdigit() else ""),
        (r"(?!\d|[.,](?!00(?!\d))\d)" if wanted[-1:].isdigit() else ""),
    )
    return re.search(before + re.escape(wanted) + after, text) is not None


def read_questions(path: Path) -> list[LifeQuestion]:
    """Returns the questions of a life."""
    return [
        LifeQuestion(
            one["kind"],
            one["question"],
            tuple(tuple(text.casefold() for text in part) for part in one["answers"]),
            tuple(text.casefold() for text in one["wrong"]),
        )
        for one in json.loads(path.read_text(encoding="utf-8"))
    ]


@dataclass(frozen=True)
class AskedQuestion:
    """A question that was asked."""

    question: LifeQuestion
    mark: str
    is_marked: bool
    """Whether a sentence of the answer is marked as unsupported, or the model was unsure of its words."""
    was_found: bool
    """Whether the passages had all that was wanted."""
    seconds: float
    """Time to the first word."""


def asked(vault: Vault, questions: list[LifeQuestion], budget: int, *, shows: bool) -> list[AskedQuestion]:
    """Asks questions, each alone, and returns how they were answered."""
    done = []
    for one in questions:
        answer = vault.ask(one.text, budget_tokens=budget).finish()
        mark = one.mark(answer)
        was_found = bool(one.wanted) and one.is_in(answer.retrieval.context or answer.text)
        is_unsupported = any(not sentence.supported for sentence in answer.citations)
        is_marked = not answer.abstained and (is_unsupported or UNSURE in answer.note)
        done.append(AskedQuestion(one, mark, is_marked, was_found, answer.first_piece_seconds))
        if shows:
            print(
                f"  {mark:5} {'marked' if is_marked else '':6} {one.text} | {' / '.join(answer.text.splitlines())}",
                flush=True,
            )
    return done


def counts(done: list[AskedQuestion]) -> str:
    """Returns how many answers are right, wrong and open, and in brackets how many of the first two are marked as doubtful."""
    marks = Counter(one.mark for one in done)
    marked = Counter(one.mark for one in done if one.is_marked)
    return (
        f"{marks['right']:3} right ({marked['right']:2} marked) {marks['wrong']:3} wrong ({marked['wrong']:2}) "
        f"{marks['open']:3} open {sum(one.was_found for one in done):3} found"
    )


def show(name: str, done: list[AskedQuestion]) -> None:
    """Prints how the questions of a life were answered."""
    kinds = dict.fromkeys(one.question.kind for one in done)
    for kind in kinds:
        print(f"{name:8} {kind:16} {counts([one for one in done if one.question.kind == kind])}")
    print(f"{name:8} {'all kinds':16} {counts(done)}")
    share = mean_interval([100.0 * (one.mark == "right") for one in done])
    seconds = median(one.seconds for one in done)
    print(
        f"{name:8} right: {share.mean:.0f} % ({share.low:.0f} to {share.high:.0f}); first word after {seconds:.1f} s (median)"
    )


def covered(vault: Vault, questions: list[LifeQuestion], method: str, budget: int) -> list[float]:
    """Returns a number for each question that the notes answer: 100 if the passages of a method have all that is wanted, else 0."""
    asked = (one for one in questions if one.wanted)
    return [100.0 * one.is_in(vault.search(one.text, budget_tokens=budget, method=method).context) for one in asked]


def show_coverage(folder: Path, lives: list[str], methods: list[str]) -> None:
    """Prints the coverage of methods over lives, each and all together."""
    every: dict[tuple[str, int], list[float]] = {}
    for life in lives:
        questions = read_questions(folder / life / "questions.json")
        with tempfile.TemporaryDirectory() as kept, Vault(Path(kept), load_settings(vault=Path(kept))) as vault:
            vault.index([folder / life / "notes"])
            for method in methods:
                shares = {budget: covered(vault, questions, method, budget) for budget in BUDGETS}
                print(f"{life:8} {method:8} {' '.join(f'{mean(share):3.0f}' for share in shares.values())}", flush=True)
                for budget, share in shares.items():
                    every.setdefault((method, budget), []).extend(share)
    for (method, budget), share in every.items():
        found = mean_interval(share)
        print(
            f"all {len(share)} {method:8} {budget:5} tokens: {found.mean:.0f} % ({found.low:.0f} to {found.high:.0f})"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "folder", nargs="?", type=Path, default=LIVES, help="folder of lives; the default is tests/data/lives"
    )
    parser.add_argument("--lives", nargs="+", help="folders in it; the default is all")
    parser.add_argument("--budget", type=int, default=0, help="tokens of the context; the default is the setting")
    parser.add_argument("--limit", type=int, help="questions of each life, evenly spread")
    parser.add_argument("--answers", action="store_true", help="print the answers")
    parser.add_argument(
        "--methods", nargs="+", help="retrieval methods whose passages are looked at; no model is asked"
    )
    arguments = parser.parse_args()
    every: list[AskedQuestion] = []
    lives = arguments.lives or sorted(one.parent.name for one in arguments.folder.glob("*/questions.json"))
    if arguments.methods:
        show_coverage(arguments.folder, lives, arguments.methods)
        return
    for life in lives:
        questions = read_questions(arguments.folder / life / "questions.json")
        step = max(1, len(questions) // arguments.limit) if arguments.limit else 1
        with tempfile.TemporaryDirectory() as folder, Vault(Path(folder), load_settings(vault=Path(folder))) as vault:
            vault.index([arguments.folder / life / "notes"])
            if not vault.open_model():
                sys.exit("no language model is installed: noderag models get")
            done = asked(vault, questions[::step], arguments.budget, shows=arguments.answers)
        show(life, done)
        every += done
    if len(lives) > 1:
        show("all", every)


if __name__ == "__main__":
    main()
