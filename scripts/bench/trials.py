#!/usr/bin/env python3
"""Asks the hand-made notes of tests/data/trials and counts the questions that a search answers in its first five passages.

    .venv/bin/python scripts/bench/trials.py [--languages de fr] [--questions questions-check] [--failures]
    NODERAG_MODELS_DIR=FOLDER .venv/bin/python scripts/bench/trials.py --model multilingual-e5-small

Each language's notes are indexed into a vault of their own, in a temporary folder. A question is answered where one of the
first five passages comes from one of its files and holds its answer. Prints a table of languages and methods.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from noderag_local.config import load_settings
from noderag_local.domain.passages import Source
from noderag_local.vault.vault import Vault

TRIALS = Path(__file__).parents[2] / "tests" / "data" / "trials"
METHODS = ("noderag", "naive", "bm25")
FIRST = 5
"""Number of passages that are looked at."""
BUDGET_TOKENS = 1000
"""Tokens of the passages of a question."""


@dataclass(frozen=True)
class TrialQuestion:
    """A question with what must stand in a passage."""

    text: str
    answers: tuple[str, ...]
    """Texts of which one must stand in the passage, casefolded, with single spaces."""
    files: tuple[str, ...]
    """Files of which the passage must be, relative to `notes`."""

    def is_answered_by(self, source: Source) -> bool:
        """Returns whether a passage holds the answer and comes from the right file."""
        text = _plain(source.text)
        return source.path.endswith(self.files) and any(answer in text for answer in self.answers)


def read_questions(path: Path) -> list[TrialQuestion]:
    """Returns the questions of a file of tests/data/trials."""
    return [
        TrialQuestion(
            entry["question"],
            tuple(_plain(answer) for answer in (entry["answer"], *entry.get("aliases", ()))),
            tuple(f"/notes/{file}" for file in entry["files"]),
        )
        for entry in json.loads(path.read_text(encoding="utf-8"))
    ]


def unanswered(vault: Vault, questions: Sequence[TrialQuestion], method: str) -> list[TrialQuestion]:
    """Returns the questions that no passage among the first five answers."""
    return [
        question
        for question in questions
        if not any(
            map(
                question.is_answered_by,
                vault.search(question.text, method=method, budget_tokens=BUDGET_TOKENS).sources[:FIRST],
            )
        )
    ]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def main() -> None:
    languages = sorted(path.name for path in TRIALS.iterdir() if path.is_dir())
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--languages", nargs="+", default=languages, choices=languages)
    parser.add_argument("--questions", default="questions", choices=("questions", "questions-check"))
    parser.add_argument(
        "--model", default="all-MiniLM-L6-v2", help="embedding model, as `noderag models list` names it"
    )
    parser.add_argument("--failures", action="store_true", help="print the default method's unanswered questions")
    arguments = parser.parse_args()

    print(f"| answered in the first {FIRST} passages | questions | {' | '.join(METHODS)} |")
    print(f"| --- | --- |{' --- |' * len(METHODS)}")
    for language in arguments.languages:
        questions = read_questions(TRIALS / language / f"{arguments.questions}.json")
        settings = load_settings(embedding_model=arguments.model)
        with tempfile.TemporaryDirectory() as folder, Vault(Path(folder), settings) as vault:
            vault.index([TRIALS / language / "notes"])
            missed = {method: unanswered(vault, questions, method) for method in METHODS}
        counts = " | ".join(str(len(questions) - len(missed[method])) for method in METHODS)
        print(f"| {language} | {len(questions)} | {counts} |", flush=True)
        if arguments.failures:
            for question in missed[METHODS[0]]:
                print(f"  {question.text} → {question.answers[0]} ({', '.join(question.files)})")


if __name__ == "__main__":
    main()
