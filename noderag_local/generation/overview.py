"""Answers a question about a time or a theme: the model judges every sentence of many passages, and those that fit are listed.

Asked to sum up thousands of tokens, a small model writes about the first and invents the rest; it judges single sentences well.
Every line of the answer stands word for word in the note that it cites.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from noderag_local.domain.passages import Retrieval
from noderag_local.generation import abstention
from noderag_local.generation.answering import Answer, stopped
from noderag_local.generation.citing.markers import MARKER, sentences, written
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
    day: date


def overview(
    engine: Engine,
    retrieval: Retrieval,
    days: Sequence[date],
    question: str,
    told: Callable[[str], None] = lambda _: None,
    cancelled: Callable[[], bool] = never,
) -> Answer:
    """Returns the answer: the sentences that fit, a line each.

    Args:
        engine: engine that judges.
        retrieval: the passages, best first.
        days: the day of each passage, to list the sentences in their order; or nothing.
        question: as the user asked it.
        told: called with the progress in words.
        cancelled: called many times a second; when it returns True, there is no answer.

    Raises:
        SettingsError, ModelError: as for `judged_notes`.
    """
    everything = _sentences(retrieval, days)
    looked_at = everything[:MOST_SENTENCES]
    texts = [f"{one.title}\n{one.text}" for one in looked_at]
    found = judged_notes(engine, texts, question, told, cancelled, "sentences")
    if len(found.scores) < len(looked_at):
        return stopped(retrieval)
    fits = fitting(found.scores)
    points = sorted((one for one, fit in zip(looked_at, fits, strict=True) if fit), key=lambda one: one.day)
    count = counted(len(looked_at), "sentences")
    best = (
        f"each of the best {count}, of {len(everything)}," if len(everything) > len(looked_at) else f"each of {count}"
    )
    note = f"The language model looked at {best} and may err."
    if not points:
        text = abstention.sentence(language_of(question))
        return Answer(text, (), True, Finish.STOP, engine.name, retrieval, note, found.completion)
    text = "\n".join(f"- {one.text} {written([one.number])}" for one in points)
    citations = computed_citations(text, retrieval)
    return Answer(text, citations, False, Finish.STOP, engine.name, retrieval, note, found.completion)


def _sentences(retrieval: Retrieval, days: Sequence[date]) -> list[_Sentence]:
    """Returns the sentences of the passages, each once; markers in a note would be taken for citations."""
    found: dict[str, _Sentence] = {}
    for source, day in zip(retrieval.sources, days or [date.min] * len(retrieval.sources), strict=True):
        for part in sentences(source.text):
            text = " ".join(MARKER.sub(" ", printable(part)).split())
            if len(text.split()) >= FEWEST_WORDS:
                found.setdefault(text, _Sentence(source.number, source.title, text, day))
    return list(found.values())
