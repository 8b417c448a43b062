"""The request that asks a model without any notes, to tell what the notes add."""

from __future__ import annotations

from noderag_local.generation.answer_prompt import SHORT_TOKENS, prompt
from noderag_local.generation.question_language import ENGLISH, NAMES
from noderag_local.models.llm.engine import Message, Request, Role

FROM_MEMORY = "The model answered from memory: your notes were not read."


def compose_alone(question: str, language: str, max_tokens: int, short: bool = False) -> Request:
    """The request for an answer from what the model knows; arguments as `compose.compose`."""
    asked = f"Question: {' '.join(question.split())}"
    kind = "Final answer (a few words):" if short else f"Answer in {NAMES.get(language, NAMES[ENGLISH])}:"
    messages = (
        Message(Role.SYSTEM, prompt("alone_short" if short else "alone_chat")),
        Message(Role.USER, f"{asked}\n{kind}"),
    )
    return Request(messages, min(max_tokens, SHORT_TOKENS) if short else max_tokens, stop=("\n",) if short else ())
