"""Puts a question into plain words by a language model, for rules that know only the usual words.

A model of 1.5 billion parameters plans badly how to answer a question of several steps, but says well in other words what is
asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from noderag_local.generation.answer_prompt import filled, without_control_marks
from noderag_local.models.llm.engine import Engine, Finish, Message, Request, Role, never
from noderag_local.models.llm.prompt_files import turns

QUESTION_TOKENS = 60
"""Maximum tokens of a question in plain words."""


@dataclass(frozen=True, slots=True)
class PlainQuestion:
    """A question in plain words."""

    text: str
    """The question; "" if the model was stopped, or wrote nothing or the same."""
    llm_tokens: int
    """Tokens that the model read and wrote."""


def in_plain_words(engine: Engine, question: str, cancelled: Callable[[], bool] = never) -> PlainQuestion:
    """Returns a question in plain words. Nothing vouches for their meaning; see `aggregation.reworded.asks_the_same`.

    Args:
        engine: engine that rewrites.
        question: as the user asked it.
        cancelled: called many times a second; when it returns True, the text is "".

    Raises:
        ModelError: the engine failed.
    """
    *before, template = turns("generation", "plain_question")
    asked = " ".join(without_control_marks(question).split())
    messages = (*before, Message(Role.USER, filled(template.content, {"question": asked})))
    stream = engine.stream(Request(messages, QUESTION_TOKENS, stop=("\n",), is_aside=True), cancelled)
    written = " ".join("".join(stream).split())
    cost = stream.result
    is_new = cost.finish is Finish.STOP and written.casefold() != asked.casefold()
    return PlainQuestion(written if is_new else "", cost.worked_tokens)
