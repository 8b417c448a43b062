"""Answers a question about a time or a theme: the model judges every sentence of many passages, and those that fit are listed.

A small model that is asked to sum up thousands of tokens writes about the first of them and makes up the rest. One sentence at a
time it judges well, and every line of the answer stands word for word in the note that it cites. The model that copies points out
of groups of sources (`filtering`) found one of six worries in 18 passages, this found all that a reader would name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from noderag_local.domain.passages import Retrieval
from noderag_local.generation import abstention
from noderag_local.generation.answering import Answer, stopped
from noderag_local.generation.citing.markers import sentences, written
from noderag_local.generation.computed_answers import computed_citations
from noderag_local.generation.question_language import language_of
from noderag_local.generation.semantic_filter import fitting, judged_notes
from noderag_local.models.llm.engine import Engine, Finish, never
from noderag_local.system.printing.amounts import counted
from noderag_local.system.printing.plain_text import printable

FEWEST_WORDS = 3
"""Words of the shortest sentence that is judged."""
MOST_SENTENCES = 60
"""Sentences that are judged, from the best passages: each takes about 0.6 s on two cores."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of a source."""

    number: int
    title: str
    text: str


def overview(
    engine: Engine,
    retrieval: Retrieval,
    question: str,
    told: Callable[[str], None] = lambda _: None,
    cancelled: Callable[[], bool] = never,
) -> Answer:
    """Returns the answer: the sentences that fit, a line each.

    Args:
        engine: engine that judges.
        retrieval: the passages; the points come in their order.
        question: as the user asked it.
        told: called with the progress in words.
        cancelled: called many times a second; when it returns True, there is no answer.

    Raises:
        SettingsError, ModelError: as for `judged_notes`.
    """
    looked_at = _sentences(retrieval)
    all_of_them = counted(len(looked_at), "sentences")
    texts = [f"{one.title}\n{one.text}" for one in looked_at]
    found = judged_notes(
        engine, texts, question, lambda count: told(f"Looking at each of {all_of_them}: {count} …"), cancelled
    )
    if len(found.scores) < len(looked_at):
        return stopped(retrieval)
    points = [one for one, fits in zip(looked_at, fitting(found.scores), strict=True) if fits]
    note = f"The language model looked at each of {all_of_them} and may err."
    if not points:
        text = abstention.sentence(language_of(question))
        return Answer(text, (), True, Finish.STOP, engine.name, retrieval, note, found.completion)
    text = "\n".join(f"- {printable(one.text)} {written([one.number])}" for one in points)
    citations = computed_citations(text, retrieval)
    return Answer(text, citations, False, Finish.STOP, engine.name, retrieval, note, found.completion)


def _sentences(retrieval: Retrieval) -> list[_Sentence]:
    """Returns the sentences of the passages, each once."""
    found: dict[str, _Sentence] = {}
    for source in retrieval.sources:
        for part in sentences(source.text):
            text = " ".join(part.split())
            if len(text.split()) >= FEWEST_WORDS:
                found.setdefault(text, _Sentence(source.number, source.title, text))
    return list(found.values())[:MOST_SENTENCES]
