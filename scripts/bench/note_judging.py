#!/usr/bin/env python3
"""How well a model says which notes fit: `.venv/bin/python scripts/bench/note_judging.py [--model NAME]`.

The notes, questions and labels are in tests/data/judging: 24 questions about 16 notes each, which no word of the notes answers.
Prints for each question how many notes were rightly chosen, wrongly chosen and missed, and for all of them the mean F1 with its
interval, beside that of choosing every note for which "yes" is likelier than "no", and the seconds for a note.
"""

from __future__ import annotations

import argparse
import sys
import time
import tomllib
from pathlib import Path

from noderag_local.config import load_settings
from noderag_local.evaluation.bootstrap import mean_interval
from noderag_local.generation.semantic_filter import fitting, judged_notes
from noderag_local.models.language_model import LanguageModel

FILE = Path(__file__).parents[2] / "tests" / "data" / "judging" / "kinds.toml"


def f1(chosen: set[str], wanted: set[str]) -> float:
    """F1 of a choice; 1 if nothing was to be chosen and nothing was."""
    return 2 * len(chosen & wanted) / (len(chosen) + len(wanted)) if chosen or wanted else 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="a GGUF, as for the setting `model`")
    model = LanguageModel(load_settings(model=parser.parse_args().model))
    engine = model.engine()
    if engine is None:
        sys.exit("no language model is installed: noderag models get")
    marks, plain, seconds, judged = list[float](), list[float](), 0.0, 0
    for kind in tomllib.loads(FILE.read_text(encoding="utf-8")).values():
        titles = list(kind["notes"])
        texts = [f"{title}\n{text.strip()}" for title, text in kind["notes"].items()]
        for question, wanted in kind["questions"].items():
            started = time.perf_counter()
            scores = judged_notes(engine, texts, question).scores
            seconds, judged = seconds + time.perf_counter() - started, judged + len(texts)
            chosen = {title for title, fits in zip(titles, fitting(scores), strict=True) if fits}
            marks.append(f1(chosen, set(wanted)))
            plain.append(f1({title for title, one in zip(titles, scores, strict=True) if one > 0}, set(wanted)))
            right = len(chosen & set(wanted))
            print(
                f"{right:3} right {len(chosen) - right:3} wrong {len(wanted) - right:3} missed  {question}", flush=True
            )
    for name, values in (("fitting notes", marks), ("likelier yes than no", plain)):
        mean = mean_interval([100 * value for value in values])
        print(f"{name}: F1 {mean.mean:.0f} ({mean.low:.0f} to {mean.high:.0f})")
    print(f"{seconds / judged:.2f} s a note, {engine.name}")
    model.close()


if __name__ == "__main__":
    main()
