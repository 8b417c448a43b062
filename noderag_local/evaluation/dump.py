"""Stores runs in a file to resume, score and compare them; a row for each question, method and budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from noderag_local.domain.model_use import ModelUse
from noderag_local.evaluation.provenance import Provenance
from noderag_local.evaluation.questions import EvalQuestion
from noderag_local.evaluation.ranking import RankedDocument
from noderag_local.evaluation.row_file import RowFile, read_rows
from noderag_local.evaluation.runs import AnswerForm, Run

Key = tuple[str, str, str, int]
"""Id and text of the question, method and budget in tokens; other questions may have the same id."""


class Dump:
    """Finished runs, stored in a file if a path is given; a context manager."""

    def __init__(self, path: Path | None, provenance: Provenance, questions: Sequence[EvalQuestion]) -> None:
        """Opens the file and reads its runs.

        Args:
            path: path of the file; None to store nothing.
            provenance: vault and model of the runs; must be the same as in the file.
            questions: questions of this evaluation; runs of other questions stay in the file but are not used.

        Raises:
            SourceError: the file cannot be read or written, or its runs were made with another vault or model.
        """
        self._questions = questions
        is_begun = path is not None and path.exists() and path.stat().st_size > 0
        self._done = {key_of(run): run for run in read_dump(path, questions)[1]} if path and is_begun else {}
        self._rows = RowFile(path, provenance)

    def has(self, question: EvalQuestion, method: str, budget_tokens: int, form: AnswerForm | None) -> bool:
        """Returns whether this has been run, with an answer of the form if one is given."""
        run = self._done.get((question.id, question.question, method, budget_tokens))
        return run is not None and form in (None, run.form)

    def keep(self, run: Run) -> None:
        """Writes a run immediately."""
        self._done[key_of(run)] = run
        self._rows.write(run.row())

    def of(self, methods: Sequence[str], budgets: Sequence[int]) -> list[Run]:
        """Returns the finished runs of these methods at these budgets, by method, budget and question."""
        keys = [
            (question.id, question.question, method, budget)
            for method in methods
            for budget in budgets
            for question in self._questions
        ]
        return [self._done[key] for key in keys if key in self._done]

    def __enter__(self) -> Dump:
        return self

    def __exit__(self, *_: object) -> None:
        self._rows.close()


def key_of(run: Run) -> Key:
    """Returns the key of a run: its question, method and budget."""
    return run.question.id, run.question.question, run.method, run.budget_tokens


def read_dump(path: Path, questions: Sequence[EvalQuestion]) -> tuple[Provenance, list[Run]]:
    """Returns what a dump was made with, and its runs; of several with the same key, the last one.

    Args:
        path: path of the dump.
        questions: questions of the evaluation; they replace the dump's questions with the same ids and texts.

    Raises:
        SourceError: the file cannot be read or is not a dump.
    """
    known = {(question.id, question.question): question for question in questions}
    provenance, runs = read_rows(path, lambda row: _run(row, known))
    return provenance, list({key_of(run): run for run in runs}.values())


def _run(row: Mapping[str, Any], questions: Mapping[tuple[str, str], EvalQuestion]) -> Run:
    return Run(
        question=questions.get((row["id"], row["question"])) or _question(row),
        method=row["method"],
        budget_tokens=row["budget"],
        context=row["context"],
        tokens=row["tokens"],
        elapsed_ms=row["ms"],
        titles=tuple(row["titles"]),
        answer=row.get("answer"),
        form=AnswerForm(row.get("form", AnswerForm.SHORT)) if "answer" in row else None,
        abstained=row.get("abstained", False),
        llm_tokens=row.get("llm_tokens", 0),
        use=ModelUse(**row["use"]) if "use" in row else None,
        seconds=row.get("seconds", 0.0),
        lines=tuple(row.get("lines", ())),
        ranking=tuple(RankedDocument(*one) for one in row["ranking"]) if "ranking" in row else None,
    )


def _question(row: Mapping[str, Any]) -> EvalQuestion:
    return EvalQuestion(
        row["id"],
        row["question"],
        tuple(row["answers"]),
        tuple(row["supports"]),
        kind=row.get("kind", ""),
        support_lines=tuple(row.get("support_lines", ())),
    )
