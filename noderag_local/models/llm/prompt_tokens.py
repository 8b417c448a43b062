"""From messages to the tokens that a model reads: what many requests share, and what is each one's own."""

from __future__ import annotations

from dataclasses import dataclass

from noderag_local.models.llm.chat_template import ChatTemplate
from noderag_local.models.llm.engine import Message
from noderag_local.models.llm.llamacpp.tokenizer import Vocabulary


@dataclass(frozen=True, slots=True)
class Prompt:
    """The tokens of a request, cut before its last message."""

    shared: tuple[int, ...]
    """All messages but the last, and what the template writes around them."""
    own: tuple[int, ...]
    """The last message and what the template writes after it; never empty."""

    def __len__(self) -> int:
        return len(self.shared) + len(self.own)


class PromptWriter:
    """Writes prompts for one model."""

    def __init__(self, vocabulary: Vocabulary, template: ChatTemplate) -> None:
        self._vocabulary, self._template = vocabulary, template

    def prompt(self, messages: tuple[Message, ...]) -> Prompt:
        """The tokens of a conversation; only the template's own text is read with special tokens, messages are data."""
        frame = self._template.frame(tuple(message.role for message in messages))
        tokens = self._vocabulary.tokens
        shared = tokens(frame[0], special=True)
        starting = self._vocabulary.starting()
        if shared[: len(starting)] != starting:
            shared = starting + shared
        for message, after in zip(messages[:-1], frame[1:-1], strict=True):
            shared += tokens(message.content) + tokens(after, special=True)
        own = tokens(messages[-1].content) + tokens(frame[-1], special=True)
        return Prompt(tuple(shared[: len(shared) - (not own)]), tuple(own or shared[-1:]))
