"""The questions of the benchmark, each with a few invented notes that tell the answer, or do not."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from noderag_local.domain.passages import Retrieval, Source
from noderag_local.evaluation.questions import EvalQuestion, question_of


@dataclass(frozen=True, slots=True)
class ReadingQuestion:
    """A question, the notes to answer it from, and its language."""

    asked: EvalQuestion
    language: str
    """ISO 639-1 code of the question and its notes."""
    found: Retrieval
    """The notes as a search would have found them."""


@cache
def reading_questions() -> tuple[ReadingQuestion, ...]:
    """Returns all questions, with kinds and languages spread evenly, so that the first n are a fair sample."""
    text = files(__package__).joinpath("reading.json").read_text(encoding="utf-8")
    return tuple(map(_reading_question, json.loads(text)))


def _reading_question(entry: dict[str, Any]) -> ReadingQuestion:
    notes = tuple(_note(number, **note) for number, note in enumerate(entry["notes"], 1))
    # As contexts are packed: the first source stands last, next to the question.
    context = "\n".join(f"[{note.number}] ({note.title}) {note.text}" for note in reversed(notes))
    asked = question_of(entry)
    return ReadingQuestion(
        asked, entry["language"], Retrieval("given", asked.question, 0, context, 0, notes, (), (), 0.0)
    )


def _note(number: int, title: str, text: str) -> Source:
    return Source(number, f"{title}.md", 0, title, (), 1, 1, 0, len(text.encode()), text)
