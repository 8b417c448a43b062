"""Reads files of questions, with known answers or open ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from noderag_local.domain.errors import SourceError

FORM = (
    'a list of {"id", "question", "answer"} with optional "aliases", "supports", "support_lines", "kind" and "others"'
)
SUITE_FORM = 'a list of {"id", "question"} with "answer", "evidence" or "sources"'
OPEN_FORM = 'a list of {"id", "question"} with optional "answer"'


@dataclass(frozen=True, slots=True)
class EvalQuestion:
    """A question and its known answers and sources."""

    id: str
    question: str
    answers: tuple[str, ...]
    """The answer, followed by its aliases; empty for an open question, and for one without an answer or with a list of them."""
    supports: tuple[str, ...] = ()
    """Titles of all paragraphs that the answer needs; empty if unknown."""
    support_lines: tuple[int, ...] = ()
    """Lines of these paragraphs in the corpus, a file of JSON Lines, from 1; empty if unknown."""
    kind: str = ""
    """Kind of question, such as "single" or "two-hop"; "" if unknown."""
    evidence: tuple[str, ...] = ()
    """Passages of the corpus that answer the question; empty if unknown."""
    sources: tuple[str, ...] = ()
    """Paths, relative to the corpus, of the files that the answer needs; empty if unknown."""
    listed: tuple[str, ...] = ()
    """Names that a complete answer lists; empty for a question with one answer."""
    others: tuple[str, ...] = ()
    """Wrong answers that a reader might give; empty if unknown."""

    @property
    def has_supports(self) -> bool:
        """Whether the paragraphs that the answer needs are known, by their titles or their lines."""
        return bool(self.supports or self.support_lines)

    @property
    def is_unanswerable(self) -> bool:
        """Whether the corpus does not contain the answer."""
        return not self.answers and not self.listed


def read_questions(path: Path) -> tuple[EvalQuestion, ...]:
    """Reads the questions of a JSON file, each with its answer: a text, a list of names, or "" if the corpus has none.

    Raises:
        SourceError: the file cannot be read or is not a list of questions; the message names the file and the entry.
    """
    return _read(path, FORM, question_of)


def read_open_questions(path: Path) -> tuple[EvalQuestion, ...]:
    """Reads the open questions of a JSON file; raises the same errors as `read_questions`.

    An answer that is a text is kept, to compare others with.
    """
    return _read(path, OPEN_FORM, _open_question)


def read_suite_questions(path: Path) -> tuple[EvalQuestion, ...]:
    """Reads the questions that can be scored: those with an answer, evidence or sources.

    Questions with an empty answer are left out, because the corpus does not contain their answer.

    Raises:
        SourceError: as for `read_questions`.
    """
    asked = _read(path, SUITE_FORM, _suite_question)
    return tuple(one for one in asked if one.answers or one.evidence or one.sources)


def _read(path: Path, form: str, made: Callable[[Any], EvalQuestion]) -> tuple[EvalQuestion, ...]:
    try:
        entries = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}. Name a file of questions.") from error
    except ValueError as error:
        raise SourceError(f"{path} is not JSON in UTF-8: {error}. It should be {form}.") from error
    if not isinstance(entries, list) or not entries:
        raise SourceError(f"{path} contains no list of questions. It should be {form}.")
    questions = []
    for number, entry in enumerate(entries, start=1):
        try:
            questions.append(made(entry))
        except (KeyError, TypeError, AttributeError) as error:
            raise SourceError(
                f"{path}: question {number} has a wrong form ({error!r}). The file should be {form}."
            ) from error
    if len({question.id for question in questions}) < len(questions):
        raise SourceError(f"{path} has two questions with the same id. Give every question its own id.")
    return tuple(questions)


def question_of(entry: Any) -> EvalQuestion:
    """Returns the question of an entry of a file; raises KeyError, TypeError or AttributeError for a wrong form."""
    if entry["answer"] is None:
        raise TypeError('the answer is null; "" means that the corpus has none')
    return replace(
        _suite_question(entry),
        supports=_titles(entry.get("supports", [])),
        support_lines=tuple(map(_line, entry.get("support_lines", []))),
    )


def _open_question(entry: Any) -> EvalQuestion:
    answer = entry.get("answer")
    answers = (answer,) if isinstance(answer, str) and answer.strip() else ()
    return EvalQuestion(str(entry["id"]), _text(entry["question"]), answers)


def _suite_question(entry: Any) -> EvalQuestion:
    bare = EvalQuestion(
        str(entry["id"]),
        _text(entry["question"]),
        (),
        kind=_text(entry.get("kind", "")),
        others=_texts(entry.get("others", [])),
    )
    answer = entry.get("answer")
    aliases = _texts(entry.get("aliases", []))
    if answer == "":
        return bare
    found = replace(bare, evidence=_texts(entry.get("evidence", [])), sources=_texts(entry.get("sources", [])))
    if answer is None:
        return found
    if isinstance(answer, list):
        # Answers that are all required cannot be scored by coverage.
        return replace(found, listed=_texts(answer, fewest=1))
    return replace(found, answers=(*_texts([answer]), *aliases))


def _line(value: Any) -> int:
    if not isinstance(value, int) or value < 1:
        raise TypeError(f"{value!r} is not the number of a line")
    return value


def _texts(value: Any, fewest: int = 0) -> tuple[str, ...]:
    """Returns a list of texts; raises TypeError if it is none, has fewer, or has one without a letter or sign."""
    if (
        not isinstance(value, list)
        or len(value) < fewest
        or not all(isinstance(one, str) and one.strip() for one in value)
    ):
        raise TypeError(f"{value!r} is not a list of texts that say something")
    return tuple(value)


def _titles(value: Any) -> tuple[str, ...]:
    """Returns a list of titles; a paragraph may have an empty one."""
    if not isinstance(value, list):
        raise TypeError(f"{value!r} is not a list of titles")
    return tuple(map(_text, value))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a string")
    return value
