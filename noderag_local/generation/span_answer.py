"""Answers with a span of the context: the likeliest spans are found, and each is checked against its own passage.

A small model that writes freely repeats names of the question, takes a neighbour's number and mixes notes up. Here it only
weighs: which of the spans that stand in the context is likeliest as the answer, and how likely "yes" is, when it is asked
whether the passage around a span shows that this is the answer. The two are added up.

Measured on the last steps of 100 training questions of MuSiQue, with the contexts that the default method found for them (default
model, exact match / F1): written freely 28 / 39, the likeliest span 32 / 42, the best of four after the check 36 / 46, a perfect
choice among the best six 50 / 61.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from noderag_local.domain.passages import Retrieval, Source
from noderag_local.generation.answer_check import check_request
from noderag_local.generation.answer_prompt import SHORT_TOKENS, compose, quoted
from noderag_local.generation.answer_spans import answer_spans, date_spans, passage_of
from noderag_local.generation.question_kinds import asks_for_day, asks_when
from noderag_local.generation.semantic_filter import YES_NO, difference
from noderag_local.generation.told_times import with_time_of_day
from noderag_local.models.llm.engine import Completion, Engine, never
from noderag_local.text.dates.days import Days

CANDIDATES = 4
"""Spans that are checked."""
CHECK_WEIGHT = 1.5
"""Weight of the check beside the weight of the span itself; anything from 0.8 to 3 gave nearly the same answers."""
CLEAR_LEAD = 2.0
"""Lead of the likeliest span, in weight, from which on it is not checked: a check hardly ever overturns it."""
HIGHEST_CHECK = 2.5
"""Largest result that a check usually has; a span that would lose even with it is not checked. Both bounds together halve the number
of checks, with the same answers to the questions above."""
ISO_DAY = re.compile(r"\b\d{4}-\d\d(?:-\d\d)?\b")
"""A day or month as contexts write it beside "yesterday" or "last month"."""
UNCHECKED = -2.0
"""Result of the check for a span that stands in no single passage, such as one across two lines."""


class Bounds(NamedTuple):
    """Weights of a span, with its check, that decide what is made of it."""

    least_told: float
    """Weight from which on the span is the answer."""
    least_near: float
    """Weight below which the notes do not tell; between the two, the model writes."""


ALWAYS = Bounds(-math.inf, -math.inf)
"""Any span is the answer."""
FACT = Bounds(0.0, -1.0)
"""The bounds for a single fact. They were chosen on 105 questions about an invented engineer's notes, with 500 tokens of context and the
default model. Of 46 single facts 74 % are answered rightly with them and 65 % where the model always writes. Of 26 questions that the notes
do not answer, it says so for 50 and 35 %. Of 33 questions for days and for what changed, it answers 41 and 44 %."""


@dataclass(frozen=True, slots=True)
class SpanAnswer:
    """The best span, and what it cost to find it."""

    text: str
    """The span as it stands in the context, a day with the time behind it; "" if there is none."""
    source: Source | None
    """The source that it was checked against; None if it stands in none of them."""
    completion: Completion
    """Cost of everything; its finish is CANCELLED if the caller cancelled it."""
    weight: float = -math.inf
    """Weight of the span with its check; only the span's own where it was not checked."""


def span_answer(
    engine: Engine,
    retrieval: Retrieval,
    question: str,
    language: str,
    cancelled: Callable[[], bool] = never,
    is_fact: bool = False,
) -> SpanAnswer:
    """Returns the span of a context that answers a question best.

    Args:
        engine: engine that weighs.
        retrieval: the context, and its sources.
        question: as the user asked it.
        language: ISO 639-1 code of the question's language.
        cancelled: called many times a second.
        is_fact: whether a single fact of somebody's notes is asked for. A span that is clearly the likeliest is then checked as well,
            so that its weight tells more, and a day is one of the dates of the context. Elsewhere it may be "before the war".

    Raises:
        SettingsError: the context does not fit into the model.
        ModelError: the engine failed.
    """
    request = compose(retrieval.context, question, language, SHORT_TOKENS, short=True)
    context = quoted(retrieval.context, question)
    dates = date_spans(context) if is_fact and asks_for_day(question) else []
    spans = dates or answer_spans(context, question, language)
    weighing = engine.likeliest(request, spans, CANDIDATES, cancelled)
    texts, weights = weighing.texts, weighing.weights
    if len(weights) == 1 or (len(weights) > 1 and weights[0] - weights[1] > CLEAR_LEAD):
        texts, weights = texts[:1], weights[:1]
        if not is_fact:
            found = passage_of(texts[0], question, retrieval.sources)
            return SpanAnswer(texts[0], found[0] if found else None, weighing.completion, weights[0])
    best, costs = SpanAnswer("", None, weighing.completion), [weighing.completion]
    for span, weight in zip(texts, weights, strict=True):
        if weight + CHECK_WEIGHT * HIGHEST_CHECK <= best.weight:
            break
        found, check = passage_of(span, question, retrieval.sources), UNCHECKED
        if found is not None:
            checking = engine.likelihoods(check_request(found[1], question, span), YES_NO, cancelled)
            costs.append(checking.completion)
            if not checking.texts:
                break
            check = difference(*checking.weights)
        if (whole := weight + CHECK_WEIGHT * check) > best.weight:
            best = replace(best, text=span, source=found[0] if found else None, weight=whole)
    if is_fact and best.source is not None and asks_when(question):
        best = replace(best, text=with_time_of_day(best.text, best.source.text))
    return replace(best, completion=Completion.of_all(costs))


def in_words(span: str, language: str) -> str:
    """Returns a span as it is shown: "2023-05-07" becomes "7 May 2023". Contexts write the day of "yesterday" in that form."""
    from babel.dates import format_date

    found = ISO_DAY.fullmatch(span)
    days = Days.of(*(int(part) for part in span.split("-"))) if found else None
    if days is None:
        return span
    form = "long" if days.length == 1 else "MMMM y"
    return format_date(days.first, format=form, locale="en_GB" if language == "en" else language)
