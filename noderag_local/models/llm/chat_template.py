"""Renders the text that a model's chat template puts around the messages of a conversation.

The template gets placeholders instead of the messages. The text that it writes around them is the frame. The engine reads
the frame with special tokens and the messages without, so nothing in a user's note can act as a special token.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from noderag_local.domain.errors import ModelError
from noderag_local.models.llm.engine import Role
from noderag_local.system.walls import launch

_CHILD = "noderag_local.models.llm.template_child"
TIMEOUT_SECONDS = 10.0
LONGEST_TEMPLATE = 200_000
LONGEST_FRAME = 20_000

Frame = tuple[str, ...]
"""Text before each message and after the last: one more than there are messages."""


class ChatTemplate:
    """A GGUF's chat template; ChatML if the template cannot be used."""

    def __init__(self, template: str, bos: str = "", eos: str = "") -> None:
        self._template, self._bos, self._eos = template, bos, eos
        self._frames: dict[tuple[Role, ...], Frame] = {}

    @classmethod
    def of_model(cls, name: str, template: str | None, bos: str, eos: str) -> ChatTemplate:
        """Returns the chat template of a model.

        Raises:
            ModelError: the model has none, so it was not trained for conversations.
        """
        if not template:
            raise ModelError(
                f"{name} has no chat template: it is a base model that continues texts, or it was converted without its "
                "template. Choose an instruction model: `noderag models list`."
            )
        return cls(template, bos, eos)

    def frame(self, roles: tuple[Role, ...]) -> Frame:
        """Returns the frame around messages of these roles; each sequence of roles is rendered once."""
        if roles not in self._frames:
            self._frames[roles] = self._render(roles) or chatml_frame(roles)
        return self._frames[roles]

    def _render(self, roles: tuple[Role, ...]) -> Frame | None:
        if len(self._template) > LONGEST_TEMPLATE:
            return None
        marks = [f"\ue000{number}\ue001" for number in range(len(roles))]
        turns = [{"role": role.value, "content": mark} for role, mark in zip(roles, marks, strict=True)]
        return self._split(turns, marks) or self._split(merge_system(turns), marks)

    def _split(self, turns: list[dict[str, str]], marks: list[str]) -> Frame | None:
        asked = {"template": self._template, "messages": turns, "bos": self._bos, "eos": self._eos}
        text = _rendered(json.dumps(asked))
        return None if text is None or len(text) > LONGEST_FRAME else split_at(text, marks)


def _rendered(asked: str) -> str | None:
    """Returns the rendered template, or None if it failed, took too long or was killed."""
    written = launch.finished(_CHILD, asked, TIMEOUT_SECONDS)
    try:
        text = None if written is None else json.loads(written)
    except ValueError:
        return None
    return text if isinstance(text, str) else None


def split_at(text: str, marks: Sequence[str]) -> Frame | None:
    """Splits `text` at the marks; returns None unless each mark occurs exactly once and in order."""
    parts: list[str] = []
    for mark in marks:
        before, found, text = text.partition(mark)
        if not found or mark in text:
            return None
        parts.append(before)
    return None if any(mark in part for part in (*parts, text) for mark in marks) else (*parts, text)


def merge_system(turns: list[dict[str, str]]) -> list[dict[str, str]]:
    """Moves the system message to the beginning of the user's, for templates that refuse or ignore it (Gemma 2, Mistral 7B)."""
    if len(turns) < 2 or turns[0]["role"] != Role.SYSTEM:
        return turns
    first = {"role": turns[1]["role"], "content": f"{turns[0]['content']}\n\n{turns[1]['content']}"}
    return [first, *turns[2:]]


def chatml_frame(roles: Sequence[Role]) -> Frame:
    """Returns the ChatML frame, which most small models understand."""
    starts = [f"<|im_start|>{role.value}\n" for role in (*roles, Role.ASSISTANT)]
    return (starts[0], *(f"<|im_end|>\n{start}" for start in starts[1:]))
