#!/usr/bin/env python3
"""Counts what is computed for questions by rules alone, and after their meaning was put into usual words.

    .venv/bin/python scripts/bench/meanings.py VAULT QUESTIONS.json

No language model is asked. An answer is right if it gets the whole mark of `noderag eval --full-answers`; one to a question that the
notes do not answer is wrong. Prints both counts, and the median time to find the usual words.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from pathlib import Path

from noderag_local.aggregation.spoken import as_meant
from noderag_local.config import load_settings
from noderag_local.domain.passages import EVERYTHING
from noderag_local.evaluation.answer_marks import answer_mark
from noderag_local.evaluation.questions import read_questions
from noderag_local.vault.vault import Vault


def main() -> None:
    """Runs the questions of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", type=Path)
    parser.add_argument("questions", type=Path)
    given = parser.parse_args()
    questions = read_questions(given.questions)
    counts: dict[str, Counter[str]] = {"rules": Counter(), "with meanings": Counter()}
    seconds: list[float] = []
    with Vault(given.vault, load_settings()) as vault:
        asking = vault._asking("noderag", 500, EVERYTHING, False, False, lambda _: None, lambda: False)
        for question in questions:
            asked = asking.with_told_months(question.question)
            by_rules = asking.compute(asked)
            found = asking.compute(as_meant(asked))
            if found is None:
                started = time.perf_counter()
                plain = asking.in_usual_form(as_meant(asked))
                seconds.append(time.perf_counter() - started)
                found = asking.compute(plain) if plain else None
            for way, answer in (("rules", by_rules), ("with meanings", found)):
                right = answer is not None and answer_mark(question, answer.text, False) == 1
                counts[way]["not computed" if answer is None else "right" if right else "wrong"] += 1
    open_ones = sum(question.is_unanswerable for question in questions)
    print(f"{len(questions)} questions, {open_ones} of them without an answer in the notes")
    for way, count in counts.items():
        print(f"{way:14} right {count['right']:4}  wrong {count['wrong']:4}  not computed {count['not computed']:4}")
    if seconds:
        print(f"usual words found in {1000 * statistics.median(seconds):.0f} ms, median of {len(seconds)}")


if __name__ == "__main__":
    main()
