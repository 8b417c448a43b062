"""Answers to open questions, compared two by two by a language model, in both orders.

Guo et al. 2024, section 4.1, and Huang, Zhang and Xiao 2025: the judge sees a question and two answers and names the better
one by each criterion. Theirs alternate the order; here every pair is judged in both, and an answer has won only where
both verdicts name it, since small models like the place more than the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from noderag_local.evaluation.judging.verdict import MOST_TOKENS, Letter, VerdictConstraint, parse
from noderag_local.evaluation.questions import EvalQuestion
from noderag_local.generation.answer_prompt import filled
from noderag_local.generation.citing.markers import MARKER
from noderag_local.models.llm.engine import Engine, Message, Request, Role
from noderag_local.models.llm.prompt_files import turns

if TYPE_CHECKING:
    from noderag_local.vault.vault import Vault

_CITED = re.compile(rf"(?<!\s)\s*+(?:{MARKER.pattern})", re.IGNORECASE)
_ASKED = "Question: {question}\n\nAnswer A: {a}\n\nAnswer B: {b}\n\nVerdict:"


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """The answer that one method led to."""

    question: str
    """Its id."""
    method: str
    budget_tokens: int
    text: str
    """Without the marks of its citations, which say nothing to a judge."""


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """The verdict of the judge on two answers in one order."""

    question: str
    """Its id."""
    budget_tokens: int
    a: str
    """Method of the answer that stood first."""
    b: str
    letters: tuple[Letter, ...]
    """One a criterion, in the order of `verdict.CRITERIA`."""

    def winner(self, criterion: int) -> str:
        """Returns the method that is better by a criterion."""
        return self.a if self.letters[criterion] is Letter.A else self.b


def give_answers(
    vault: Vault,
    questions: Sequence[EvalQuestion],
    methods: Sequence[str],
    budget_tokens: int,
    *,
    is_done: Callable[[EvalQuestion, str], bool],
    cancelled: Callable[[], bool],
) -> Iterator[GivenAnswer]:
    """Yields the answer of every method to every question, as a person would get it; ends early when `cancelled` is true."""
    for method in methods:
        for question in questions:
            if is_done(question, method):
                continue
            if cancelled():
                return
            stream = vault.ask(question.question, method=method, budget_tokens=budget_tokens, cancelled=cancelled)
            text = stream.finish().text
            if cancelled():
                return
            yield GivenAnswer(question.id, method, budget_tokens, " ".join(_CITED.sub("", text).split()))


@dataclass(frozen=True, slots=True)
class Duel:
    """Two answers to a question, in the order in which they are shown."""

    question: EvalQuestion
    a: GivenAnswer
    b: GivenAnswer

    @property
    def is_decided(self) -> bool:
        """Whether both answers say the same, so that there is nothing to judge."""
        return self.a.text == self.b.text


def give_verdicts(engine: Engine, duels: Sequence[Duel], cancelled: Callable[[], bool]) -> Iterator[PairVerdict]:
    """Yields the verdicts on duels as they come, without those that the judge could not word.

    Raises:
        ModelError: the engine failed.
        SettingsError: two answers do not fit into the model.
    """
    for outcome in engine.generate(map(_request, duels), cancelled):
        if outcome.error is not None:
            raise outcome.error
        duel = duels[outcome.number]
        try:
            letters = parse(outcome.text)
        except ValueError:
            continue
        yield PairVerdict(duel.question.id, duel.a.budget_tokens, duel.a.method, duel.b.method, letters)


def _request(duel: Duel) -> Request:
    fields = {"question": " ".join(duel.question.question.split()), "a": duel.a.text, "b": duel.b.text}
    asked = Message(Role.USER, filled(_ASKED, fields))
    return Request((*turns("evaluation.judging", "judge"), asked), MOST_TOKENS, constraint=VerdictConstraint)
