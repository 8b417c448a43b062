"""Runs questions on a vault, for each method and budget."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from noderag_local.domain.errors import LayerMissing, ModelMissing
from noderag_local.domain.model_use import ModelUse
from noderag_local.evaluation.metered_model import Meter
from noderag_local.evaluation.questions import EvalQuestion
from noderag_local.evaluation.ranking import RankedDocument, ranked_documents
from noderag_local.retrieval.retriever import method_names

if TYPE_CHECKING:
    from noderag_local.generation.answering import Answer
    from noderag_local.vault.vault import Vault

TRIED_TOKENS = 100
NOTHING_TO_SCORE = "It retrieves nothing; only the answers of a language model (--answers) can be scored."


class AnswerForm(StrEnum):
    """Forms in which a model answers the questions of an evaluation."""

    SHORT = "short"
    """A phrase without citations, as benchmarks compare it by exact match and F1."""
    FULL = "full"
    """As a person gets it."""


@dataclass(frozen=True, slots=True)
class Run:
    """The result of one method for one question at one budget."""

    question: EvalQuestion
    method: str
    budget_tokens: int
    context: str
    tokens: int
    """Tokens of the whole context."""
    elapsed_ms: float
    """Time of the retrieval in milliseconds, with the embedding of the question, after a warm-up."""
    titles: tuple[str, ...]
    """Titles of the documents in the context."""
    paths: tuple[str, ...] = ()
    """Paths of the files in the context; empty for a run read from a dump, which does not store them."""
    answer: str | None = None
    """Answer of the model; None if no answers were requested."""
    form: AnswerForm | None = None
    """Form of the answer; None if no answers were requested."""
    abstained: bool = False
    """Whether the answer says that the notes do not contain it."""
    llm_tokens: int = 0
    """Tokens that the language model read and wrote for the search, if it takes part, and for the answer."""
    use: ModelUse | None = None
    """Use of the language model for the search and the answer; None if unknown, as for a run of an older dump."""
    seconds: float = 0.0
    """Wall time from the question to the end of its answer, of the search where there is none; 0 for a run of an older dump.

    A text that a method has from an earlier search for the same question is not waited for again; `elapsed_ms` has its time."""
    lines: tuple[int, ...] = ()
    """First line, in its file, of each document in the context; empty for a run of an older dump."""
    ranking: tuple[RankedDocument, ...] | None = None
    """Documents that the search found, best first; None for a question without known supports, and for a run of an older dump."""

    def row(self) -> dict[str, object]:
        """Returns the run and its question as a line of a dump."""
        row: dict[str, object] = {
            "id": self.question.id,
            "question": self.question.question,
            "answers": self.question.answers,
            "supports": self.question.supports,
            "support_lines": self.question.support_lines,
            "kind": self.question.kind,
            "method": self.method,
            "budget": self.budget_tokens,
            "context": self.context,
            "tokens": self.tokens,
            "ms": self.elapsed_ms,
            "titles": self.titles,
        }
        if self.answer is not None:
            row |= {"answer": self.answer, "form": self.form, "abstained": self.abstained}
        if self.llm_tokens:
            row["llm_tokens"] = self.llm_tokens
        if self.use is not None:
            row["use"] = asdict(self.use)
        if self.seconds:
            row["seconds"] = self.seconds
        if self.lines:
            row["lines"] = self.lines
        if self.ranking is not None:
            row["ranking"] = [(one.title, one.line) for one in self.ranking]
        return row


def run_questions(
    vault: Vault,
    questions: Sequence[EvalQuestion],
    methods: Sequence[str],
    budgets: Sequence[int],
    *,
    form: AnswerForm | None = None,
    is_done: Callable[[EvalQuestion, str, int], bool] = lambda *_: False,
    meter: Meter | None = None,
    cancelled: Callable[[], bool],
) -> Iterator[Run]:
    """Runs every method at every budget on all questions, in this order; ends early if `cancelled` returns True.

    Args:
        vault: opened vault.
        questions: questions to run.
        methods: names of the methods.
        budgets: budgets of the context, in tokens.
        form: in which form the questions are also answered; None for not at all.
        is_done: returns whether a question has been run by a method at a budget; such runs are skipped.
        meter: counts what the vault's model is asked to do for answers; None leaves the use of answered runs unknown.
        cancelled: called before, during and after each run.
    """
    for method in methods:
        # A warm-up, so that loading does not count for the first question.
        vault.search(questions[0].question, method=method, budget_tokens=budgets[0])
        for budget in budgets:
            for question in questions:
                if cancelled():
                    return
                if is_done(question, method, budget):
                    continue
                run = _run(vault, question, method, budget, form, meter, cancelled)
                if cancelled():
                    return
                yield run


def _run(
    vault: Vault,
    question: EvalQuestion,
    method: str,
    budget_tokens: int,
    form: AnswerForm | None,
    meter: Meter | None,
    cancelled: Callable[[], bool],
) -> Run:
    """Runs one question; the parameters are those of `run_questions`."""
    asked = partial(vault.search, question.question, method=method, budget_tokens=budget_tokens)
    meter = meter or (None if form else Meter())
    if meter:
        meter.take()
    started = time.perf_counter()
    answer = None if form is None else _answer(vault, question.question, method, budget_tokens, form, cancelled)
    found = answer.retrieval if answer else asked()
    seconds = time.perf_counter() - started
    # `ask` may search in steps and read less than the budget, so the ranking of an answered question is that of a plain search.
    ranked = (asked() if answer else found) if question.has_supports else None
    return Run(
        question=question,
        method=method,
        budget_tokens=budget_tokens,
        context=found.context,
        tokens=found.tokens,
        elapsed_ms=found.elapsed_ms,
        titles=tuple(dict.fromkeys(source.title for source in found.sources)),
        paths=tuple(dict.fromkeys(source.path for source in found.sources)),
        answer=answer.text if answer else None,
        form=form,
        abstained=answer is not None and answer.abstained,
        llm_tokens=found.llm_tokens + (answer.llm_tokens if answer else 0),
        use=found.llm_use + meter.take() if meter else None,
        seconds=seconds,
        lines=tuple(dict.fromkeys(source.first_line for source in found.sources)),
        ranking=ranked_documents(ranked) if ranked else None,
    )


def _answer(
    vault: Vault, question: str, method: str, budget_tokens: int, form: AnswerForm, cancelled: Callable[[], bool]
) -> Answer:
    short = form is AnswerForm.SHORT
    return vault.ask(question, method=method, budget_tokens=budget_tokens, short=short, cancelled=cancelled).finish()


def runnable(vault: Vault, question: str, *, answered: bool) -> tuple[list[str], list[tuple[str, str]]]:
    """Returns the methods that can run, and the name and reason of each that cannot, by trying all of them.

    Args:
        vault: opened vault.
        question: question for trying the methods.
        answered: whether a language model will answer; if not, methods that retrieve nothing are excluded.
    """
    able, left_out = [], []
    for name in method_names():
        try:
            found = vault.search(question, method=name, budget_tokens=TRIED_TOKENS)
        except (LayerMissing, ModelMissing) as error:
            left_out.append((name, str(error)))
            continue
        if found.without_notes and not answered:
            left_out.append((name, NOTHING_TO_SCORE))
        else:
            able.append(name)
    return able, left_out
