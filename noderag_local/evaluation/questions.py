"""Reads files of questions, with known answers or open ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from noderag_local.domain.errors import SourceError

FORM = 'a list of {"id", "question", "answer"} with optional "aliases" and "supports"'
SUITE_FORM = 'a list of {"id", "question"} with "answer", "evidence" or "sources"'
OPEN_FORM = 'a list of {"id", "question"}'


@dataclass(frozen=True, slots=True)
class EvalQuestion:
    """A question and what is known about it."""

    id: str
    question: str
    answers: tuple[str, ...]
    """The answer, then its aliases; empty for an open question."""
    supports: tuple[str, ...] = ()
    """Titles of all paragraphs that the answer needs; empty where nobody noted them."""
    kind: str = ""
    """Kind of question, such as "single" or "two-hop"; "" where nobody noted it."""
    evidence: tuple[str, ...] = ()
    """Passages of the corpus that answer the question; empty where nobody noted them."""
    sources: tuple[str, ...] = ()
    """Files that the answer needs, relative to the corpus; empty where nobody noted them."""


def read_questions(path: Path) -> tuple[EvalQuestion, ...]:
    """Reads the questions of a JSON file, each with its answer.

    Raises:
        SourceError: it cannot be read or is not a list of questions; names the file and the entry.
    """
    return _read(path, FORM, _question)


def read_open_questions(path: Path) -> tuple[EvalQuestion, ...]:
    """Reads only the questions of a JSON file, without answers; errors as for `read_questions`."""
    return _read(path, OPEN_FORM, lambda entry: EvalQuestion(str(entry["id"]), _text(entry["question"]), ()))


def read_suite_questions(path: Path) -> tuple[EvalQuestion, ...]:
    """Reads the questions that can be scored: those with an answer, evidence or sources.

    A question whose answer is empty is left out, because the corpus has nothing that could be found.

    Raises:
        SourceError: as for `read_questions`.
    """
    asked = _read(path, SUITE_FORM, _suite_question)
    return tuple(one for one in asked if one.answers or one.evidence or one.sources)


def _read(path: Path, form: str, made: Callable[[Any], EvalQuestion]) -> tuple[EvalQuestion, ...]:
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}. Name a file of questions.") from error
    except ValueError as error:
        raise SourceError(f"{path} is not JSON in UTF-8: {error}. It should be {form}.") from error
    if not isinstance(entries, list) or not entries:
        raise SourceError(f"{path} holds no list of questions. It should be {form}.")
    questions = []
    for number, entry in enumerate(entries, start=1):
        try:
            questions.append(made(entry))
        except (KeyError, TypeError, AttributeError) as error:
            raise SourceError(
                f"{path}: question {number} is not as it should be ({error!r}). The file is {form}."
            ) from error
    if len({question.id for question in questions}) < len(questions):
        raise SourceError(f"{path} gives the same id to two questions. Every question needs an id of its own.")
    return tuple(questions)


def _question(entry: Any) -> EvalQuestion:
    return EvalQuestion(
        id=str(entry["id"]),
        question=_text(entry["question"]),
        answers=(_text(entry["answer"]), *map(_text, entry.get("aliases", []))),
        supports=tuple(map(_text, entry.get("supports", []))),
    )


def _suite_question(entry: Any) -> EvalQuestion:
    bare = EvalQuestion(str(entry["id"]), _text(entry["question"]), (), kind=_text(entry.get("kind", "")))
    answer = entry.get("answer")
    if answer is not None and not answer:
        return bare
    return replace(
        bare,
        # A list of answers, all of which are wanted, cannot be scored by coverage.
        answers=(answer, *map(_text, entry.get("aliases", []))) if isinstance(answer, str) else (),
        evidence=tuple(map(_text, entry.get("evidence", []))),
        sources=tuple(map(_text, entry.get("sources", []))),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a string")
    return value
