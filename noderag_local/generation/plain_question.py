"""Rewords a question in plain words with a language model (query rewriting), for rules that know only the usual words.

A model of 1.5 billion parameters is bad at planning the steps of an answer, but good at saying in other words what is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from noderag_local.generation.answer_prompt import filled, without_control_marks
from noderag_local.models.llm.engine import Engine, Finish, Message, Request, Role, never, read_prompt
from noderag_local.models.llm.prompt_files import turns

QUESTION_TOKENS = 60
"""Maximum tokens of a question in plain words."""
ASKED_TOKENS = 200
"""Tokens that are reserved for the question before it arrives."""


@dataclass(frozen=True, slots=True)
class PlainQuestion:
    """A question in plain words."""

    text: str
    """The reworded question; "" if the model was stopped, wrote nothing or repeated the question."""
    llm_tokens: int
    """Tokens that the model read and wrote."""


def in_plain_words(engine: Engine, question: str, cancelled: Callable[[], bool] = never) -> PlainQuestion:
    """Returns a question in plain words. It may mean something else; check it with `aggregation.reworded.asks_the_same`.

    Args:
        engine: engine that rewrites.
        question: as the user asked it.
        cancelled: called many times a second; when it returns True, the text is "".

    Raises:
        ModelError: the engine failed.
    """
    asked = " ".join(without_control_marks(question).split())
    stream = engine.stream(_request(asked, QUESTION_TOKENS), cancelled)
    written = " ".join("".join(stream).split())
    cost = stream.result
    is_new = cost.finish is Finish.STOP and written.casefold() != asked.casefold()
    return PlainQuestion(written if is_new else "", cost.worked_tokens)


def prime(engine: Engine, cancelled: Callable[[], bool] = never) -> None:
    """Lets an engine with a cache read the instructions and examples before the first question arrives.

    Args:
        engine: engine that reads them.
        cancelled: called many times a second; when it returns True, reading stops at once.

    Raises:
        ModelError: the engine failed.
    """
    read_prompt(engine, _request("", ASKED_TOKENS + QUESTION_TOKENS), cancelled)


def _request(asked: str, max_tokens: int) -> Request:
    *before, template = turns("generation", "plain_question")
    messages = (*before, Message(Role.USER, filled(template.content, {"question": asked})))
    return Request(messages, max_tokens, stop=("\n",), is_aside=True)
