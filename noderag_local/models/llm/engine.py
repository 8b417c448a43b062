"""The protocol of a language model: it gets messages and returns pieces of text and their cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from noderag_local.domain.errors import NoderagError
from noderag_local.domain.model_use import ModelUse
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
    """The model ended the text or wrote a stop string."""
    LENGTH = "length"
    """The model wrote `max_tokens`."""
    CANCELLED = "cancelled"
    """The caller cancelled the request."""
    REPETITION = "repetition"
    """The model repeated the same words over and over."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation. `content` is data: special tokens in it are read as plain text."""

    role: Role
    content: str

    def __post_init__(self) -> None:
        """Removes invisible characters, so that no engine reads what a person cannot see."""
        object.__setattr__(self, "content", printable(self.content))


class Constraint(Protocol):
    """Decides byte by byte which texts the model may write. Each text needs its own object."""

    def allows(self, piece: bytes) -> bool:
        """Returns whether the text so far can continue with these bytes."""

    def accept(self, piece: bytes) -> None:
        """Appends these bytes to the text; they must be allowed or forced."""

    def may_end(self) -> bool:
        """Returns whether the text may end here."""

    def forced(self) -> bytes:
        """Returns the bytes that must come next; b"" if the model has a choice or the text must end."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a model."""

    messages: tuple[Message, ...]
    """Messages; those that recur in later requests come first, since all but the last stay cached."""
    max_tokens: int
    """Maximum number of tokens to write."""
    stop: tuple[str, ...] = ()
    """Strings that end the text and are not part of it."""
    temperature: float = 0.0
    """0 always chooses the likeliest token, so that the same request gives the same text."""
    seed: int = 0
    """Seed of the sampler; used if the temperature is above 0."""
    constraint: Callable[[], Constraint] | None = None
    """Creates the constraint of a text; None lets the model write anything."""
    weighed_until: str | None = None
    """Where the text ends of which `Completion.certainty` tells, such as the bracket of a citation; None if it need not tell."""
    is_aside: bool = False
    """Whether it is a short request between questions to the notes. What it reads is then kept apart, so that the beginning of those
    questions stays read."""


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
    certainty: float | None = None
    """Mean logarithm of the probabilities of the tokens that the model chose; None where it is not asked for, or cannot be told."""

    @classmethod
    def cancelled(cls) -> Completion:
        """Returns the cost of a request that was cancelled before it began."""
        return cls(Finish.CANCELLED, 0, 0, 0, 0.0, 0.0)

    @classmethod
    def of_all(cls, parts: Sequence[Completion]) -> Completion:
        """Returns the cost of several requests, one after another, as one; its finish is CANCELLED if that of one is."""
        return cls(
            Finish.CANCELLED if any(one.finish is Finish.CANCELLED for one in parts) else Finish.STOP,
            sum(one.prompt_tokens for one in parts),
            sum(one.reused_tokens for one in parts),
            sum(one.generated_tokens for one in parts),
            sum(one.elapsed_seconds for one in parts),
            sum(one.elapsed_seconds for one in parts),
        )

    @property
    def use(self) -> ModelUse:
        """Use of the model for this one request."""
        return ModelUse(1, self.prompt_tokens, self.reused_tokens, self.generated_tokens)

    @property
    def worked_tokens(self) -> int:
        """Number of tokens read and written, without those that were still in the cache."""
        return self.use.worked_tokens

    @property
    def written_per_second(self) -> float:
        """Tokens written per second after the first; 0 for fewer than two tokens."""
        seconds = self.elapsed_seconds - self.first_token_seconds
        return (self.generated_tokens - 1) / seconds if self.generated_tokens > 1 and seconds > 0 else 0.0


SMALL = 3_000_000_000
"""Parameters below which a model counts as small. Only the default model was measured, which has half as many."""


@dataclass(frozen=True, slots=True)
class Weighing:
    """Texts and how likely each is as an answer or as its beginning."""

    texts: tuple[str, ...]
    weights: tuple[float, ...]
    """Natural logarithm of each text's probability; minus infinity for what is out of the question."""
    completion: Completion
    """Cost; its finish is CANCELLED, and there are no texts, if the caller cancelled the request."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one of many requests."""

    number: int
    """Position of the request, from 0, in the order in which requests were taken."""
    text: str
    """Text that was written; "" if the request failed."""
    completion: Completion | None
    """Cost of the request; None if it failed."""
    error: NoderagError | None = None
    """Why the request failed; other requests continue."""


def never() -> bool:
    """Returns False; serves as `cancelled` for callers that never cancel."""
    return False


def read_prompt(engine: Engine, request: Request, cancelled: Callable[[], bool] = never) -> None:
    """Lets an engine with a cache read the prompt of a request and write nothing, so that the same prompt later costs next to nothing.

    Args:
        engine: engine that reads.
        request: request to read.
        cancelled: called many times a second; when it returns True, reading stops at once. What was read stays useful.

    Raises:
        SettingsError: the prompt and the answer do not fit into the model's context.
        ModelError: the engine failed.
    """
    with closing(engine.stream(request, cancelled)) as stream:
        next(stream, None)


class Engine(Protocol):
    """A language model that answers requests."""

    @property
    def name(self) -> str:
        """Name of the model, as the user knows it."""

    @property
    def identity(self) -> str:
        """Name and content of the model; a different file of the same name has a different identity."""

    @property
    def context_length(self) -> int:
        """Maximum tokens of a prompt and its answer together."""

    @property
    def keeps_what_it_read(self) -> bool:
        """Whether the model skips the beginning that a prompt shares with the previous one."""

    @property
    def weighs(self) -> bool:
        """Whether `likelihoods` and `likeliest` tell probabilities; if not, they let the model write."""

    @property
    def is_small(self) -> bool:
        """Whether the model has fewer than `SMALL` parameters, as far as that is known."""

    def count_tokens(self, text: str) -> int:
        """Returns the number of tokens in `text`; special tokens are neither added nor recognised."""

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Returns the number of tokens of each text; see `count_tokens`."""

    def stream(self, request: Request, cancelled: Callable[[], bool] = never) -> Stream[Completion]:
        """Streams the answer to a request; `cancelled` is called many times a second, from the thread that reads.

        Raises:
            SettingsError: the prompt and the answer do not fit into the model's context.
            ModelError: the engine failed.
        """

    def likelihoods(
        self, request: Request, beginnings: Sequence[str], cancelled: Callable[[], bool] = never
    ) -> Weighing:
        """Returns for each text the probability that the answer begins with it, without writing it.

        An engine that cannot tell, such as a server, gives 0 to the first text that the answer begins with, and minus infinity to
        all others.

        Args:
            request: request to answer; its stop strings, constraint and temperature play no part.
            beginnings: texts as the model would write them, such as "yes" and "no".
            cancelled: called many times a second.

        Raises:
            SettingsError, ModelError: as for `stream`.
        """

    def likeliest(
        self, request: Request, texts: Sequence[str], most: int, cancelled: Callable[[], bool] = never
    ) -> Weighing:
        """Returns which of some texts are likeliest as the whole answer to a request, best first.

        An engine that cannot tell, such as a server, gives what the model writes, if it is one of the texts.

        Args:
            request: request to answer; its stop strings, constraint and temperature play no part.
            texts: texts that are allowed as answers.
            most: maximum number of texts to return.
            cancelled: called many times a second.

        Raises:
            SettingsError, ModelError: as for `stream`.
        """

    def generate(self, requests: Iterable[Request], cancelled: Callable[[], bool] = never) -> Iterator[Outcome]:
        """Answers many requests, as many at a time as there is room for; yields each when it is finished.

        A request is taken from `requests` only when there is room for it, so callers can decide late what comes next. Messages
        before the last are read once for all requests that share them. A text does not depend on the requests beside it.
        `stream` may be called from another thread meanwhile and takes precedence.

        Args:
            requests: requests, taken one at a time when there is room.
            cancelled: called many times a second; when it returns True, the iterator ends and unfinished requests are dropped.

        Raises:
            ModelError: the engine failed as a whole; the error of a single request is in its outcome.
        """
