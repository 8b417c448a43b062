"""The hand-made notes of tests/data/trials: what a search answers in its first five passages, with the embedding model for English."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from noderag_local.models.embedding.embedding_model import builtin_model

BENCH = Path(__file__).parents[2] / "scripts" / "bench"
LEAST = {"en": 17, "zh": 12}
"""Questions of twenty that were answered when this was written."""


def test_notes_and_questions_of_a_person() -> None:
    """In English, and in a script that the embedding model cannot read, where the questions' words must lead."""
    command = [sys.executable, "trials.py", "--languages", *LEAST]
    done = subprocess.run(command, cwd=BENCH, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    answered = {row[1]: int(row[2]) for row in re.finditer(r"^\| (\w\w) \| 20 \| (\d+) ", done.stdout, re.MULTILINE)}
    assert answered.keys() == LEAST.keys()
    assert all(answered[language] >= least for language, least in LEAST.items()), answered


@pytest.mark.parametrize(
    ("question", "reads", "knows"),
    [
        ("Who lent us the tent?", True, True),
        ("¿Dónde está la llave de la casa?", True, False),
        ("Где ключ от дома?", False, False),
        ("钥匙在哪里？", False, False),
    ],
)
def test_a_model_for_english_reads_latin_letters_and_knows_one_language(
    question: str, reads: bool, knows: bool
) -> None:
    assert builtin_model().can_read(question) == reads
    assert builtin_model().knows_language(question) == knows
