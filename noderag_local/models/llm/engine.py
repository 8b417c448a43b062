"""The protocol of a language model: messages in, pieces of text out, and what it cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from noderag_local.domain.errors import NoderagError
from noderag_local.domain.stream import Stream
from noderag_local.system.printing.plain_text import printable


class Role(StrEnum):
    """Speakers of messages, by the names that chat templates use."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


class Finish(StrEnum):
    """Reasons why a model stopped writing."""

    STOP = "stop"
    """It ended the text, or wrote a stop string."""
    LENGTH = "length"
    """It wrote `max_tokens`."""
    CANCELLED = "cancelled"
    """The caller asked it to stop."""
    REPETITION = "repetition"
    """It wrote the same words over and over."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation. `content` is data: special tokens that stand in it are read as plain text."""

    role: Role
    content: str

    def __post_init__(self) -> None:
        """Removes hidden letters, so that no engine reads what a person looking at the same text cannot see."""
        object.__setattr__(self, "content", printable(self.content))


class Constraint(Protocol):
    """Decides byte by byte what a text may look like. One object serves one text, from its start to its end."""

    def allows(self, piece: bytes) -> bool:
        """Returns whether the text so far with these bytes after it can still become one that is allowed."""

    def accept(self, piece: bytes) -> None:
        """Adds these bytes to the text; they were allowed or forced."""

    def may_end(self) -> bool:
        """Returns whether the text so far is allowed as it stands."""

    def forced(self) -> bytes:
        """Returns the bytes that must come next; b"" where the model has a choice or the text must end."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a model."""

    messages: tuple[Message, ...]
    """Messages, those that stay the same from request to request first: all but the last stay cached."""
    max_tokens: int
    """Tokens that may be written."""
    stop: tuple[str, ...] = ()
    """Strings that end the text; they are not part of it."""
    temperature: float = 0.0
    """0: always the likeliest token, so that the same request gives the same text."""
    seed: int = 0
    """Seed of the sampler; used if the temperature is above 0."""
    constraint: Callable[[], Constraint] | None = None
    """Makes the constraint of a text; None: the model writes what it likes."""


@dataclass(frozen=True, slots=True)
class Completion:
    """Cost of a finished request."""

    finish: Finish
    prompt_tokens: int
    reused_tokens: int
    """Tokens of the prompt that were still in the cache and not read again."""
    generated_tokens: int
    first_token_seconds: float
    """Seconds from the start of the work to the first token; the whole time if there was none."""
    elapsed_seconds: float

    @property
    def worked_tokens(self) -> int:
        """Number of tokens read and written; those that were still in the cache do not count."""
        return self.prompt_tokens - self.reused_tokens + self.generated_tokens

    @property
    def written_per_second(self) -> float:
        """Tokens written per second after the first; 0 for fewer than two tokens."""
        seconds = self.elapsed_seconds - self.first_token_seconds
        return (self.generated_tokens - 1) / seconds if self.generated_tokens > 1 and seconds > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one of many requests."""

    number: int
    """0-based, in the order in which the requests were taken."""
    text: str
    """Text that was written; "" if the request failed."""
    completion: Completion | None
    """Cost of the request; None if it failed."""
    error: NoderagError | None = None
    """Why it failed; the other requests go on."""


def never() -> bool:
    """Returns False: the `cancelled` of callers that never cancel."""
    return False


class Engine(Protocol):
    """A language model that can be asked."""

    @property
    def name(self) -> str:
        """Name of the model, as the user knows it."""

    @property
    def identity(self) -> str:
        """Name and content of the model; another file under the same name has another identity."""

    @property
    def context_length(self) -> int:
        """Number of tokens that a prompt and its answer may have together."""

    @property
    def keeps_what_it_read(self) -> bool:
        """Whether the model skips the beginning that a prompt shares with the one before it."""

    def count_tokens(self, text: str) -> int:
        """Counts the tokens of `text` as it stands; special tokens are neither added nor recognised."""

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Returns `count_tokens` of each text."""

    def stream(self, request: Request, cancelled: Callable[[], bool] = never) -> Stream[Completion]:
        """Answers a request piece by piece; `cancelled` is asked many times a second, from the reading thread.

        Raises:
            SettingsError: the prompt and the answer do not fit into the model's context.
            ModelError: the engine failed.
        """

    def generate(self, requests: Iterable[Request], cancelled: Callable[[], bool] = never) -> Iterator[Outcome]:
        """Answers many requests, as many at a time as there is room for; yields each when it is finished.

        A request is taken from `requests` when there is room for it, so what comes next can be decided late. All messages
        but the last are read once for all requests that share them. A text does not depend on what runs beside it.
        `stream` may be called from another thread meanwhile and goes first.

        Args:
            requests: taken one by one when there is room.
            cancelled: asked many times a second; the iterator then ends, and requests that run are dropped.

        Raises:
            ModelError: the engine as a whole failed. What concerns one request is its outcome's error.
        """
