"""An excerpt of MuSiQue: eight questions of two hops and more, their paragraphs, and sixty that have nothing to do with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from noderag_local.domain.graph import Layer
from noderag_local.retrieval.retriever import asks_model, method_class, method_names

FOLDER = Path(__file__).parents[1] / "data" / "suite" / "musique"
CORPUS = FOLDER / "corpus.jsonl"
SILENT_METHODS = tuple(name for name in method_names() if method_class(name).layers and not asks_model(name))
"""Methods that search the notes without asking a language model."""
INSTANT_METHODS = tuple(name for name in SILENT_METHODS if Layer.SUMMARIES not in method_class(name).layers)
"""Those of them that need nothing that one has written."""


def questions() -> list[dict[str, Any]]:
    """Each with id, question, answer, aliases, supports."""
    found: list[dict[str, Any]] = json.loads((FOLDER / "qa.json").read_text(encoding="utf-8"))
    return found


def records() -> list[dict[str, str]]:
    """Each with title and text, in the order of the file."""
    return [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]


def answers() -> list[dict[str, str]]:
    """What the default model wrote about the excerpt: prompt, input_hash and output of each call (scripts/record.py)."""
    return [json.loads(line) for line in (FOLDER / "answers.jsonl").read_text(encoding="utf-8").splitlines()]
