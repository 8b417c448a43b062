"""Lets a model read what every answer begins with before the first question comes."""

from __future__ import annotations

from collections.abc import Callable

from noderag_local.generation.answer_prompt import compose
from noderag_local.generation.question_language import ENGLISH
from noderag_local.models.llm.engine import Engine, never


def prime(engine: Engine, room_tokens: int, cancelled: Callable[[], bool] = never) -> None:
    """Lets an engine that caches what it reads read the instructions.

    They are several hundred tokens: seconds on a processor, which a person spends writing the question. A question that
    comes meanwhile waits for no longer than it would have taken to read them itself.

    Args:
        room_tokens: a context and its answer at most; an engine that makes room as it needs it would have to begin anew
            when the first question needs more.
        cancelled: asked many times a second; it then ends at once.

    Raises:
        ModelError: the engine failed.
        SettingsError: a question and its answer will not fit into the model.
    """
    stream = engine.stream(compose("", "", ENGLISH, room_tokens), cancelled)
    next(stream, None)
    stream.close()
