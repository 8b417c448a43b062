"""From messages to the tokens that a model reads: what many requests share, and what is each one's own."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from noderag_local.llm.chat_template import ChatTemplate
from noderag_local.llm.engine import Message
from noderag_local.llm.tokenizer import Vocabulary


@dataclass(frozen=True, slots=True)
class Prompt:
    """The tokens of a request, cut between its messages."""

    parts: tuple[tuple[int, ...], ...]
    """Each message and what the template writes after it; the first with what it writes before. The last is never empty."""

    @property
    def shared(self) -> tuple[int, ...]:
        """All messages but the last."""
        return tuple(chain.from_iterable(self.parts[:-1]))

    @property
    def own(self) -> tuple[int, ...]:
        """The last message."""
        return self.parts[-1]

    def __len__(self) -> int:
        return sum(map(len, self.parts))


class PromptWriter:
    """Writes prompts for one model."""

    def __init__(self, vocabulary: Vocabulary, template: ChatTemplate) -> None:
        self._vocabulary, self._template = vocabulary, template

    def prompt(self, messages: tuple[Message, ...]) -> Prompt:
        """The tokens of a conversation; only the template's own text is read with special tokens, messages are data."""
        frame = self._template.frame(tuple(message.role for message in messages))
        tokens = self._vocabulary.tokens
        before = tokens(frame[0], special=True)
        starting = self._vocabulary.starting()
        if before[: len(starting)] != starting:
            before = starting + before
        parts = [
            tokens(message.content) + tokens(after, special=True)
            for message, after in zip(messages, frame[1:], strict=True)
        ]
        if len(parts) > 1:
            parts[0] = before + parts[0]
        else:
            parts.insert(0, before)
        if not parts[-1]:  # an empty message, and a template that writes nothing after it
            parts[-1].append(parts[-2].pop())
        return Prompt(tuple(map(tuple, parts)))
