"""The language model judges one note after another whether it fits a question: "Which of my recipes are vegetarian?".

This is the semantic filter of Patel et al. 2024 (arXiv:2407.11418), with the probabilities of "yes" and "no" in place of a
written answer: small models rank notes well, but say yes to most of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from noderag_local.generation.answer_prompt import filled, quoted
from noderag_local.models.llm.engine import Completion, Engine, Message, Request, Role, never
from noderag_local.models.llm.prompt_files import turns
from noderag_local.system.printing.amounts import counted

YES_NO = ("yes", "no")
MOST_CERTAIN = 20.0
"""Highest difference between the two that is told apart."""
SPREAD = 0.5
"""Standard deviations above the mean from which a note fits. It was chosen on eight questions about 16 recipes. On 24 other
questions about 16 notes each, written by somebody else, the default model reaches a mean F1 of 87 (95 % interval 81 to 93); choosing
every note for which "yes" is likelier than "no" reaches 69 (61 to 78): `scripts/bench/note_judging.py`."""


@dataclass(frozen=True, slots=True)
class JudgedNotes:
    """The judgement of a model on notes."""

    scores: tuple[float, ...]
    """For each note by how much "yes" is likelier than "no", as the difference of their log-probabilities. Fewer than notes if it
    was cancelled."""
    completion: Completion
    """Cost of judging all of them."""


def judged_notes(
    engine: Engine,
    notes: Sequence[str],
    question: str,
    told: Callable[[str], None] = lambda _: None,
    cancelled: Callable[[], bool] = never,
    unit: str = "notes",
) -> JudgedNotes:
    """Returns what a model thinks of each note.

    Args:
        engine: engine that judges.
        notes: the notes, each as the model reads it.
        question: as the user asked it.
        told: called with the progress in words.
        cancelled: called many times a second; when it returns True, the scores of the notes so far are returned.
        unit: what the notes are, in the plural, for the progress.

    Raises:
        SettingsError: a note does not fit into the model's context.
        ModelError: the engine failed.
    """
    scores, costs = list[float](), list[Completion]()
    for note in notes:
        weighing = engine.likelihoods(_request(note, question), YES_NO, cancelled)
        costs.append(weighing.completion)
        if not weighing.texts:
            break
        scores.append(difference(*weighing.weights))
        told(f"Looked at {len(scores)} of {counted(len(notes), unit)} …")
    return JudgedNotes(tuple(scores), Completion.of_all(costs))


def fitting(scores: Sequence[float]) -> list[bool]:
    """Returns which notes fit: those that stand out among all, and for which "yes" is likelier than "no"."""
    if not scores:
        return []
    least = min(max(scores), max(0.0, fmean(scores) + SPREAD * pstdev(scores)))
    return [score > 0 and score >= least for score in scores]


def _request(note: str, question: str) -> Request:
    """Returns the request to judge a note."""
    *before, template = turns("generation", "judge_note")
    fields = {"note": quoted(note, question), "question": " ".join(question.split())}
    return Request((*before, Message(Role.USER, filled(template.content, fields))), 2)


def difference(yes: float, no: float) -> float:
    """Returns by how much "yes" is likelier than "no", also for an engine that knows no probabilities; 0 if it says neither.

    Args:
        yes: natural logarithm of the probability of "yes".
        no: the same of "no".
    """
    return max(-MOST_CERTAIN, min(MOST_CERTAIN, yes - no)) if max(yes, no) > -math.inf else 0.0
