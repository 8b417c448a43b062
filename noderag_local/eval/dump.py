"""Runs in a file: one JSON object a line, to go on from after a stop, to score elsewhere and to compare later.

The first line tells what the runs were made of; the others are one question, method and budget each.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

from noderag_local.errors import SourceError
from noderag_local.eval.questions import EvalQuestion
from noderag_local.eval.runs import Run

REMEDY = "Name another file for --dump, or delete this one."


@dataclass(frozen=True, slots=True)
class Making:
    """What the runs of a dump were made of."""

    name: str
    """Of the vault, as a report calls it."""
    state: str
    """Of the vault: contexts of another state are others."""
    model: str
    """That answered; "" where none did."""
    documents: int
    corpus_tokens: int
    size_bytes: int
    """Of the vault on disk."""
    stage_tokens: Mapping[str, int]
    """Stage of enriching -> tokens that the language model read and wrote for what is there."""


Key = tuple[str, str, int]
"""Question, method, budget."""


class Dump:
    """Runs that are done, kept in a file where one is named. A context manager."""

    def __init__(self, path: Path | None, making: Making, questions: Sequence[EvalQuestion]) -> None:
        """Takes up what the file has already.

        Args:
            path: None: nothing is kept.
            questions: those that are asked; rows about others are left as they are and not used.

        Raises:
            SourceError: the file cannot be read or written, or was made of something else.
        """
        self._questions = questions
        self._done: dict[Key, Run] = {}
        self._lines: TextIO | None = None
        if path is None:
            return
        try:
            if path.exists() and path.stat().st_size:
                earlier, runs = read_dump(path, questions)
                _refuse_other(path, earlier, making)
                self._done = {key_of(run): run for run in runs}
                _cut_off_unfinished(path)
                self._lines = path.open("a", encoding="utf-8")
            else:
                self._lines = path.open("w", encoding="utf-8")
                self._write({"id": None, "made_of": asdict(making)})
        except OSError as error:
            raise SourceError(f"{path} cannot be written: {error.strerror}. {REMEDY}") from error

    def has(self, question: EvalQuestion, method: str, budget_tokens: int, *, answered: bool) -> bool:
        """Whether this was run already, with an answer where one is wanted."""
        run = self._done.get((question.id, method, budget_tokens))
        return run is not None and (run.answer is not None or not answered)

    def keep(self, run: Run) -> None:
        """Writes a run, at once."""
        self._done[key_of(run)] = run
        self._write(run.row())

    def of(self, methods: Sequence[str], budgets: Sequence[int]) -> list[Run]:
        """Every run of these methods at these budgets that is done, by method, budget and question."""
        keys = [
            (question.id, method, budget) for method in methods for budget in budgets for question in self._questions
        ]
        return [self._done[key] for key in keys if key in self._done]

    def _write(self, row: Mapping[str, object]) -> None:
        if self._lines is not None:
            self._lines.write(json.dumps(row, ensure_ascii=False) + "\n")
            self._lines.flush()

    def __enter__(self) -> Dump:
        return self

    def __exit__(self, *_: object) -> None:
        if self._lines is not None:
            self._lines.close()


def key_of(run: Run) -> Key:
    """What a run is about."""
    return run.question.id, run.method, run.budget_tokens


def read_dump(path: Path, questions: Sequence[EvalQuestion]) -> tuple[Making, list[Run]]:
    """What a dump was made of, and its runs over these questions; of several about the same the last one counts.

    Raises:
        SourceError: it cannot be read, or is no dump.
    """
    by_id = {question.id: question for question in questions}
    try:
        rows = _rows(path)
        making = Making(**next(rows)["made_of"])
        runs = {key_of(run): run for run in (_run(row, by_id) for row in rows if row["id"] in by_id)}
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}. {REMEDY}") from error
    except (StopIteration, KeyError, TypeError, ValueError) as error:
        raise SourceError(f"{path} is no file of runs that 'noderag eval --dump' made ({error!r}). {REMEDY}") from error
    return making, list(runs.values())


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    """Every whole line; a kill may have cut the last one."""
    with path.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            if line.endswith("\n"):
                yield json.loads(line)


def _run(row: Mapping[str, Any], questions: Mapping[str, EvalQuestion]) -> Run:
    return Run(
        question=questions[row["id"]],
        method=row["method"],
        budget_tokens=row["budget"],
        context=row["context"],
        tokens=row["tokens"],
        elapsed_ms=row["ms"],
        titles=tuple(row["titles"]),
        answer=row.get("answer"),
        llm_tokens=row.get("llm_tokens", 0),
    )


def _refuse_other(path: Path, earlier: Making, making: Making) -> None:
    for what, was, is_now in (
        ("of another vault, or the vault has changed since", earlier.state, making.state),
        (
            f"with the model {earlier.model or 'none'}, and now it is {making.model or 'none'}",
            earlier.model,
            making.model,
        ),
    ):
        if was != is_now:
            raise SourceError(f"The runs in {path} were made {what}. {REMEDY}")


def _cut_off_unfinished(path: Path) -> None:
    """Takes away a last line that a kill left without its end."""
    with path.open("rb+") as file:
        whole = file.read().rfind(b"\n") + 1
        file.seek(whole)
        file.truncate()
        os.fsync(file.fileno())
