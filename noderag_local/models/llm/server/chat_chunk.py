"""One event of a streamed chat completion, checked for its shape."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from noderag_local.models.llm.server.server_faults import ServerNonsense

DONE = "[DONE]"
"""The data of the last event."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class Delta(_Part):
    content: str | None = None
    reasoning_content: str | None = None
    """What a model that thinks before it answers writes to itself: llama-server, vLLM."""
    reasoning: str | None = None
    """The same, of Ollama."""


class Choice(_Part):
    delta: Delta = Delta()
    finish_reason: str | None = None


class PromptDetails(_Part):
    cached_tokens: int | None = Field(None, ge=0)


class Usage(_Part):
    prompt_tokens: int = Field(0, ge=0)
    completion_tokens: int = Field(0, ge=0)
    prompt_tokens_details: PromptDetails | None = None


class ChatChunk(_Part):
    """One event; the last ones may hold only the usage, or an error."""

    choices: tuple[Choice, ...] = Field((), strict=False)
    usage: Usage | None = None
    error: Any = None

    @property
    def text(self) -> str:
        """Text of the answer in this event."""
        return (self.choices[0].delta.content or "") if self.choices else ""

    @property
    def thought(self) -> str:
        """Text that the model wrote while thinking, which is not part of the answer."""
        delta = self.choices[0].delta if self.choices else Delta()
        return delta.reasoning_content or delta.reasoning or ""

    @property
    def finish_reason(self) -> str:
        """Reason why the text ended; "" while it goes on."""
        return (self.choices[0].finish_reason or "") if self.choices else ""


def parse_chunk(data: str, name: str) -> ChatChunk:
    """Parses the data of an event; `name` is the server's, for error messages.

    Raises:
        ServerNonsense: it is no JSON, or has another shape.
    """
    try:
        return ChatChunk.model_validate_json(data)
    except ValidationError as error:
        raise ServerNonsense(
            f"{name} sends what no chat completion has: {data[:80]!r}. Is it an OpenAI-compatible server?"
        ) from error
