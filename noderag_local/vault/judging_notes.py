"""Answers a question about a kind of notes by letting the model judge each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath

from noderag_local.domain.passages import Source
from noderag_local.generation import abstention
from noderag_local.generation.answering import Answer, stopped
from noderag_local.generation.computed_answers import computed_answer
from noderag_local.generation.question_language import language_of
from noderag_local.generation.semantic_filter import fitting, judged_notes
from noderag_local.models.llm.engine import Engine, Finish
from noderag_local.system.printing.amounts import counted
from noderag_local.vault.computing import NotesToJudge

LESS_SURE_NAMED = 5


def judged_answer(
    engine: Engine,
    notes: NotesToJudge,
    question: str,
    told: Callable[[str], None],
    cancelled: Callable[[], bool],
) -> Answer:
    """Returns the answer: the titles of the notes that fit, the likeliest first, and in its note those that may fit.

    Args:
        engine: engine that judges.
        notes: the notes.
        question: as the user asked it.
        told: called with the progress in words.
        cancelled: called many times a second; when it returns True, there is no answer.

    Raises:
        SettingsError, ModelError: as for `semantic_filter.judged_notes`.
    """
    sources = notes.retrieval.sources
    found = judged_notes(engine, notes.texts, question, told, cancelled)
    if len(found.scores) < len(notes.texts):
        return stopped(notes.retrieval)
    fits = fitting(found.scores)
    ranked = sorted(zip(found.scores, fits, sources, strict=True), key=lambda one: -one[0])
    chosen = [source for _, fit, source in ranked if fit]
    less_sure = [_title(source) for score, fit, source in ranked if score > 0 and not fit][:LESS_SURE_NAMED]
    note = (
        f"By the judgement of the language model, which may err, {len(chosen)} of {counted(len(sources), 'notes')} fit."
    )
    note += f" Less sure: {', '.join(less_sure)}." if less_sure else ""
    retrieval = notes.retrieval
    if not chosen:
        text = abstention.sentence(language_of(question))
        return Answer(text, (), True, Finish.STOP, engine.name, retrieval, note, found.completion)
    parts = [(_title(source), [source.number]) for source in chosen]
    return replace(computed_answer(parts, retrieval, note, short=False), model=engine.name, completion=found.completion)


def _title(source: Source) -> str:
    return source.title or PurePath(source.path).stem
