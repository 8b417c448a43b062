"""Stores answers and verdicts in a file, to resume after a stop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from noderag_local.evaluation.judging.judging import GOLD, Duel, GivenAnswer, PairVerdict, known_answer
from noderag_local.evaluation.judging.verdict import Letter
from noderag_local.evaluation.judging.win_rates import Judged
from noderag_local.evaluation.provenance import Provenance
from noderag_local.evaluation.questions import EvalQuestion
from noderag_local.evaluation.row_file import RowFile, read_rows


class JudgeDump:
    """Finished answers and verdicts, stored in a file if a path is given; a context manager."""

    def __init__(self, path: Path | None, provenance: Provenance, budget_tokens: int) -> None:
        """Opens the file and reads its rows; rows of other budgets stay in it but are not used.

        Raises:
            SourceError: the file cannot be read or written, or its rows were made with another vault or model.
        """
        self._budget_tokens = budget_tokens
        self._answers: dict[tuple[str, str], GivenAnswer] = {}
        self._verdicts: dict[tuple[str, str, str], PairVerdict] = {}
        if path is not None and path.exists() and path.stat().st_size:
            for one in read_rows(path, _result)[1]:
                self._take(one)
        self._rows = RowFile(path, provenance)

    def keep(self, one: GivenAnswer | PairVerdict) -> None:
        """Writes an answer or a verdict immediately."""
        self._take(one)
        self._rows.write(_row(one))

    def has_answer(self, question: EvalQuestion, method: str) -> bool:
        """Returns whether a method has answered this question, and not another one with the same id."""
        answer = self._answers.get((question.id, method))
        if answer is None or answer.asked != question.question:
            return False
        return method != GOLD or (bool(question.answers) and answer.text == known_answer(question))

    def duels(self, questions: Sequence[EvalQuestion], pairs: Sequence[tuple[str, str]]) -> Iterator[Duel]:
        """Yields both orders of every pair of methods, for every question that both have answered."""
        for one, other in pairs:
            for question in questions:
                for a, b in ((one, other), (other, one)):
                    if self.has_answer(question, a) and self.has_answer(question, b):
                        yield Duel(question, self._answers[question.id, a], self._answers[question.id, b])

    def verdict(self, duel: Duel) -> PairVerdict | None:
        """Returns the verdict on a duel; None if it has not been judged."""
        return self._verdicts.get((duel.question.id, duel.a.method, duel.b.method))

    def judged(self, questions: Sequence[EvalQuestion], pairs: Sequence[tuple[str, str]]) -> list[Judged]:
        """Returns the results of all pairs and questions with both verdicts, or with equal answers, which need none."""
        duels = list(self.duels(questions, pairs))
        done = []
        for forth, back in zip(duels[::2], duels[1::2], strict=True):
            first, second = self.verdict(forth), self.verdict(back)
            if forth.is_decided:
                done.append(Judged(forth.a.method, forth.b.method, None))
            elif first is not None and second is not None:
                done.append(Judged(forth.a.method, forth.b.method, (first, second)))
        return done

    def _take(self, one: GivenAnswer | PairVerdict) -> None:
        if one.budget_tokens != self._budget_tokens:
            return
        if isinstance(one, GivenAnswer):
            if self._answers.get((one.question, one.method)) != one:
                self._forget_verdicts(one)
            self._answers[one.question, one.method] = one
        else:
            self._verdicts[one.question, one.a, one.b] = one

    def _forget_verdicts(self, answer: GivenAnswer) -> None:
        """Removes the verdicts on an earlier answer, to a question that had another text for example."""
        for key in [key for key in self._verdicts if key[0] == answer.question and answer.method in key[1:]]:
            del self._verdicts[key]

    def __enter__(self) -> JudgeDump:
        return self

    def __exit__(self, *_: object) -> None:
        self._rows.close()


def _row(one: GivenAnswer | PairVerdict) -> dict[str, object]:
    if isinstance(one, GivenAnswer):
        own = {"id": one.question, "question": one.asked, "method": one.method}
        return {**own, "budget": one.budget_tokens, "answer": one.text}
    return {"id": one.question, "a": one.a, "b": one.b, "budget": one.budget_tokens, "letters": "".join(one.letters)}


def _result(row: Mapping[str, Any]) -> GivenAnswer | PairVerdict:
    if "letters" in row:
        return PairVerdict(row["id"], row["budget"], row["a"], row["b"], tuple(map(Letter, row["letters"])))
    return GivenAnswer(row["id"], row.get("question", ""), row["method"], row["budget"], row["answer"])
