"""Answers with a span of the context: the likeliest spans are found, and each is checked against its own passage.

A small model that writes freely repeats names of the question, takes a neighbour's number and mixes notes up. Here it only
weighs: which of the spans that stand in the context is likeliest as the answer, and how likely "yes" is, when it is asked
whether the passage around a span shows that this is the answer. The two are added up.

On the last steps of 100 training questions of MuSiQue, with the contexts that the default method found for them (default model,
exact match and F1): written freely {free}, the likeliest span {top}, checked {checked}.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from noderag_local.domain.passages import Retrieval, Source
from noderag_local.generation.answer_prompt import SHORT_TOKENS, compose, filled, quoted
from noderag_local.generation.answer_spans import answer_spans, passage_of
from noderag_local.models.llm.engine import Completion, Engine, Finish, Message, Request, Role, never
from noderag_local.models.llm.prompt_files import turns

CANDIDATES = 4
"""Spans that are checked."""
CHECK_WEIGHT = 1.5
"""Weight of the check beside the weight of the span itself; anything from 0.8 to 3 gave nearly the same answers."""
UNCHECKED = -2.0
"""Result of the check for a span that stands in no single passage, such as one in a label."""
LIKELIEST_DIFFERENCE = 20.0
YES_NO = ("yes", "no")


@dataclass(frozen=True, slots=True)
class SpanAnswer:
    """The best span, and what it cost to find it."""

    text: str
    """The span as it stands in the context; "" if there is none."""
    source: Source | None
    """The source that it was checked against; None if it stands in none of them."""
    check: float
    """By how much "yes, this is the answer" is likelier than "no", as a difference of log-probabilities."""
    completion: Completion
    """Cost of everything; its finish is CANCELLED if the caller cancelled it."""


def span_answer(
    engine: Engine, retrieval: Retrieval, question: str, language: str, cancelled: Callable[[], bool] = never
) -> SpanAnswer:
    """Returns the span of a context that answers a question best.

    Args:
        engine: engine that weighs.
        retrieval: the context, and its sources.
        question: as the user asked it.
        language: ISO 639-1 code of the question's language.
        cancelled: called many times a second.

    Raises:
        SettingsError: the context does not fit into the model.
        ModelError: the engine failed.
    """
    request = compose(retrieval.context, question, language, SHORT_TOKENS, short=True)
    spans = answer_spans(quoted(retrieval.context, question), question, language)
    weighing = engine.likeliest(request, spans, CANDIDATES, cancelled)
    costs = [weighing.completion]
    best = SpanAnswer("", None, UNCHECKED, weighing.completion)
    highest = float("-inf")
    for span, weight in zip(weighing.texts, weighing.weights, strict=True):
        found = passage_of(span, question, retrieval.sources)
        check = UNCHECKED
        if found is not None:
            checking = engine.likelihoods(_check(found[1], question, span), YES_NO, cancelled)
            costs.append(checking.completion)
            if not checking.texts:
                break
            check = _difference(*checking.weights)
        if weight + CHECK_WEIGHT * check > highest:
            highest = weight + CHECK_WEIGHT * check
            best = SpanAnswer(span, found[0] if found else None, check, weighing.completion)
    return SpanAnswer(best.text, best.source, best.check, _sum(costs))


def in_words(span: str, language: str) -> str:
    """Returns a span, a day such as "2023-05-07" in words: "7 May 2023". The days of "yesterday" and the like stand so in contexts."""
    from babel.dates import format_date

    try:
        day = date.fromisoformat(span)
    except ValueError:
        return span
    return format_date(day, format="d MMMM yyyy", locale=language)


def _check(passage: str, question: str, span: str) -> Request:
    *before, template = turns("generation", "check_answer")
    fields = {"passage": quoted(passage, question), "question": " ".join(question.split()), "answer": span}
    return Request((*before, Message(Role.USER, filled(template.content, fields))), 2)


def _difference(yes: float, no: float) -> float:
    """Returns a finite difference, also of the certainties of an engine that knows no probabilities."""
    if max(yes, no) == float("-inf"):
        return 0.0
    return max(-LIKELIEST_DIFFERENCE, min(LIKELIEST_DIFFERENCE, yes - no))


def _sum(costs: list[Completion]) -> Completion:
    return Completion(
        next((one.finish for one in costs if one.finish is Finish.CANCELLED), Finish.STOP),
        sum(one.prompt_tokens for one in costs),
        sum(one.reused_tokens for one in costs),
        sum(one.generated_tokens for one in costs),
        sum(one.elapsed_seconds for one in costs),
        sum(one.elapsed_seconds for one in costs),
    )
