"""Reads the stream of a chat completion: server-sent events whose shape is checked.

The events are those of the HTML standard (section 9.2).
"""

from __future__ import annotations

import codecs
import re
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from noderag_local.models.llm.server.server_faults import ServerNonsense

LINE_CHARACTERS = 1 << 20
"""Maximum characters of a line; an event of a chat has a few hundred."""
_LINE_END = re.compile(r"\r\n|\n|\r(?!\n|$)")


class EndlessLine(Exception):
    """Raised when an event is longer than any valid one."""


class EventStream:
    """Parses bytes as they arrive; ignores comments, names and ids of events."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8-sig")(errors="replace").decode
        self._line: list[str] = []
        """Parts of the unfinished line."""
        self._data: list[str] = []
        self._line_length = self._data_length = 0

    def feed(self, received: bytes) -> list[str]:
        """Returns the data of the events that these bytes complete.

        Raises:
            EndlessLine: a line, or all lines of an event together, are too long.
        """
        text = self._decode(received)
        if self._line and self._line[-1].endswith("\r"):
            # A lone CR at the end is kept back, since it may be the first half of CR LF.
            text = "\r" + text
            self._line[-1] = self._line[-1][:-1]
        first, *others = _LINE_END.split(text)
        self._line.append(first)
        found = []
        for following in others:
            found.append(self._take("".join(self._line)))
            self._line = [following]
        self._line_length = len(others[-1]) if others else self._line_length + len(text)
        if self._line_length + self._data_length > LINE_CHARACTERS:
            raise EndlessLine
        return [data for data in found if data is not None]

    def rest(self) -> list[str]:
        """Returns a last event without its blank line. The standard drops it, but some servers omit the line."""
        data = [self._take("".join(self._line).rstrip("\r")), self._take("")]
        self._line = []
        return [one for one in data if one is not None]

    def _take(self, line: str) -> str | None:
        if line:
            name, _, value = line.partition(":")
            if name == "data":
                self._data.append(value.removeprefix(" "))
                self._data_length += len(line)
            return None
        data, self._data, self._data_length = self._data, [], 0
        return "\n".join(data) if data else None


DONE = "[DONE]"
"""Data of the event that ends the stream."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class Delta(_Part):
    """Text that an event adds."""

    content: str | None = None
    reasoning_content: str | None = None
    """Thoughts of a reasoning model, as llama-server and vLLM name them."""
    reasoning: str | None = None
    """Thoughts of a reasoning model, as Ollama names them."""


class Choice(_Part):
    """One of the answers that a server writes; requests ask for only one."""

    delta: Delta = Delta()
    finish_reason: str | None = None

    @field_validator("delta", mode="before")
    @classmethod
    def _null_adds_nothing(cls, given: object) -> object:
        return Delta() if given is None else given


class PromptDetails(_Part):
    """Details about the tokens of the prompt."""

    cached_tokens: int | None = Field(None, ge=0)


class Usage(_Part):
    """Tokens of the request as counted by the server."""

    prompt_tokens: int = Field(0, ge=0)
    completion_tokens: int = Field(0, ge=0)
    prompt_tokens_details: PromptDetails | None = None


class ChatChunk(_Part):
    """One event of the stream; the last ones may contain only the usage, or an error."""

    choices: tuple[Choice, ...] = Field((), strict=False)
    usage: Usage | None = None
    error: Any = None

    @field_validator("choices", mode="before")
    @classmethod
    def _null_is_no_choice(cls, given: object) -> object:
        return () if given is None else given

    @field_validator("usage", mode="before")
    @classmethod
    def _null_is_no_count(cls, given: object) -> object:
        counts = ("prompt_tokens", "completion_tokens")
        return None if isinstance(given, dict) and any(given.get(name, 0) is None for name in counts) else given

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
        """Why the text ended; "" while it continues."""
        return (self.choices[0].finish_reason or "") if self.choices else ""


def parse_chunk(data: str, name: str) -> ChatChunk:
    """Parses the data of an event; `name` is the server's name for error messages.

    Raises:
        ServerNonsense: the data is not JSON or has an unexpected shape.
    """
    try:
        return ChatChunk.model_validate_json(data)
    except ValidationError as error:
        raise ServerNonsense(
            f"{name} sent something that is no part of a chat completion: {data[:80]!r}. Is it an OpenAI-compatible server?"
        ) from error
