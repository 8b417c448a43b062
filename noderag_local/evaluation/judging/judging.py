"""Compares answers to open questions in pairs, in both orders, with a language model as judge.

The judge sees a question and two answers and names the better one by each criterion (Guo et al. 2024, section 4.1; Huang,
Zhang and Xiao 2025). The papers alternate the order of the answers. Here every pair is judged in both orders, and an answer
wins only if both verdicts name it, since small models prefer a place more than a text.
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


GOLD = "gold"
"""Name that stands for the known answers of the question file where a method's is expected."""


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """The answer to a question by one method."""

    question: str
    """Id of the question."""
    asked: str
    """Text of the question; "" for a row of an earlier version."""
    method: str
    budget_tokens: int
    text: str
    """Answer without citation markers, which mean nothing to a judge."""


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """The judge's verdict on two answers in one order."""

    question: str
    """Id of the question."""
    budget_tokens: int
    a: str
    """Method of the answer that was shown first."""
    b: str
    letters: tuple[Letter, ...]
    """One letter per criterion, in the order of `verdict.CRITERIA`."""

    def winner(self, criterion: int) -> str:
        """Returns the method whose answer the verdict prefers by a criterion."""
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
    """Yields the answer of every method to every question, as a person would get it; ends early if `cancelled` returns True.

    The method GOLD gives the known answers; a question without one is left out.
    """
    for method in methods:
        for question in questions:
            if is_done(question, method):
                continue
            if cancelled():
                return
            if method == GOLD:
                if question.answers:
                    yield GivenAnswer(question.id, question.question, method, budget_tokens, known_answer(question))
                continue
            stream = vault.ask(question.question, method=method, budget_tokens=budget_tokens, cancelled=cancelled)
            text = stream.finish().text
            if cancelled():
                return
            text = " ".join(_CITED.sub("", text).split())
            yield GivenAnswer(question.id, question.question, method, budget_tokens, text)


def known_answer(question: EvalQuestion) -> str:
    """Returns the answer that the method GOLD gives; the question must have one."""
    return " ".join(question.answers[0].split())


@dataclass(frozen=True, slots=True)
class Duel:
    """Two answers to a question, in the order in which the judge sees them."""

    question: EvalQuestion
    a: GivenAnswer
    b: GivenAnswer

    @property
    def is_decided(self) -> bool:
        """Whether both answers have the same text, so that there is nothing to judge."""
        return self.a.text == self.b.text


def give_verdicts(engine: Engine, duels: Sequence[Duel], cancelled: Callable[[], bool]) -> Iterator[PairVerdict]:
    """Yields the verdicts on duels as they come; leaves out those that the judge did not write in a readable form.

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
