"""Checks requests: the parts of OpenAI's API that are answered, and a search, with their bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from noderag_local.domain.errors import SettingsError
from noderag_local.generation.follow_up import Exchange

MODEL = "noderag"
"""Name of the one model that chat completions have."""
LONGEST_TEXT = 20_000
Text = Annotated[str, Field(max_length=LONGEST_TEXT)]


class TextPart(BaseModel):
    """A part of a message; pictures and sound are refused."""

    type: Literal["text"]
    text: Text


class ChatMessage(BaseModel):
    """A message of a conversation."""

    role: Literal["system", "developer", "user", "assistant"]
    content: Text | Annotated[list[TextPart], Field(max_length=100)]

    @property
    def text(self) -> str:
        """The whole text."""
        return self.content if isinstance(self.content, str) else "\n".join(part.text for part in self.content)


class ChatRequest(BaseModel):
    """A request for a chat completion. Other fields, such as the temperature, are ignored: noderag has its own settings."""

    model_config = ConfigDict(frozen=True)

    model: Literal["noderag"]
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=200)]
    stream: bool = False
    n: Annotated[int, Field(ge=1, le=1)] = 1

    def question(self) -> str:
        """Returns the last message, which has to be the user's.

        Raises:
            SettingsError: it is not, or has no word.
        """
        last = self.messages[-1]
        if last.role != "user" or not last.text.strip():
            raise SettingsError("The last message must be the user's question.")
        return last.text

    def earlier(self) -> list[Exchange]:
        """Returns the questions and answers before; messages of the system are left out, as noderag has its own rules."""
        return list(_exchanges(self.messages[:-1]))


class EmbeddingRequest(BaseModel):
    """A request for vectors."""

    model_config = ConfigDict(frozen=True)

    model: str = Field(max_length=200)
    input: Text | Annotated[list[Text], Field(min_length=1, max_length=256)]
    encoding_format: Literal["float", "base64"] = "float"

    @property
    def texts(self) -> list[str]:
        """The texts in order."""
        return [self.input] if isinstance(self.input, str) else self.input


def _exchanges(messages: Sequence[ChatMessage]) -> Iterator[Exchange]:
    question = ""
    for message in messages:
        if message.role == "user":
            question = message.text
        elif message.role == "assistant" and question:
            yield Exchange(question, message.text)
            question = ""
