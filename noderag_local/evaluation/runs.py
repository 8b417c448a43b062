"""Runs questions on a vault, for each method and budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from noderag_local.domain.errors import LayerMissing, ModelMissing
from noderag_local.domain.passages import Retrieval
from noderag_local.evaluation.questions import EvalQuestion
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

    def row(self) -> dict[str, object]:
        """Returns the run and its question as a line of a dump."""
        row: dict[str, object] = {
            "id": self.question.id,
            "question": self.question.question,
            "answers": self.question.answers,
            "supports": self.question.supports,
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
        return row


def run_questions(
    vault: Vault,
    questions: Sequence[EvalQuestion],
    methods: Sequence[str],
    budgets: Sequence[int],
    *,
    form: AnswerForm | None = None,
    is_done: Callable[[EvalQuestion, str, int], bool] = lambda *_: False,
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
                found, answer = _asked(vault, question.question, method, budget, form, cancelled)
                if cancelled():
                    return
                yield Run(
                    question=question,
                    method=method,
                    budget_tokens=budget,
                    context=found.context,
                    tokens=found.tokens,
                    elapsed_ms=found.elapsed_ms,
                    titles=tuple(dict.fromkeys(source.title for source in found.sources)),
                    paths=tuple(dict.fromkeys(source.path for source in found.sources)),
                    answer=answer.text if answer else None,
                    form=form,
                    abstained=answer is not None and answer.abstained,
                    llm_tokens=found.llm_tokens + (answer.llm_tokens if answer else 0),
                )


def _asked(
    vault: Vault,
    question: str,
    method: str,
    budget_tokens: int,
    form: AnswerForm | None,
    cancelled: Callable[[], bool],
) -> tuple[Retrieval, Answer | None]:
    """Returns the retrieval and, if a form is given, an answer of it."""
    if form is None:
        return vault.search(question, method=method, budget_tokens=budget_tokens), None
    short = form is AnswerForm.SHORT
    answer = vault.ask(question, method=method, budget_tokens=budget_tokens, short=short, cancelled=cancelled).finish()
    return answer.retrieval, answer


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
