"""An engine with scripted replies, for tests of everything that uses an engine."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

from noderag_local.domain.errors import ModelError, NoderagError
from noderag_local.domain.stream import Stream
from noderag_local.models.llm.engine import Completion, Finish, Outcome, Request, Weighing, never

_TOKEN = re.compile(r"\w+|[^\w\s]|\s+")


class ScriptedEngine:
    """An engine whose replies are queued in advance. Its tokens are words, punctuation characters and runs of white space."""

    def __init__(
        self,
        *replies: str,
        name: str = "scripted",
        context_length: int = 8192,
        reply: Callable[[Request], str | Exception] | None = None,
        strict: bool = False,
        certainty: float | None = None,
        is_small: bool = False,
    ) -> None:
        """Queues the replies.

        Args:
            replies: replies to the first requests.
            name: name of the model.
            context_length: context length in tokens.
            reply: returns the reply when the queue is empty; an exception that it returns or raises becomes the request's error.
            strict: raises AssertionError for a reply that its request's constraint does not allow.
            certainty: what `Completion.certainty` tells of every reply that is streamed.
            is_small: whether it passes for a small model.
        """
        self.name = name
        self.identity = f"{name} 0"
        self.context_length = context_length
        self.is_small = is_small
        self.history: list[Request] = []
        """Every request, in order."""
        self._replies: deque[str | Exception] = deque(replies)
        self._reply, self._strict, self._certainty = reply, strict, certainty

    def enqueue(self, reply: str | Exception) -> None:
        """Adds a reply to a later request; an exception is raised instead."""
        self._replies.append(reply)

    @property
    def keeps_what_it_read(self) -> bool:
        """False, since it has no cache."""
        return False

    @property
    def weighs(self) -> bool:
        """True; the next reply says what is likely."""
        return True

    def count_tokens(self, text: str) -> int:
        """Returns the number of words, punctuation characters and runs of white space in `text`."""
        return len(_TOKEN.findall(text))

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Returns the number of tokens of each text; see `count_tokens`."""
        return [self.count_tokens(text) for text in texts]

    def stream(self, request: Request, cancelled: Callable[[], bool] = never) -> Stream[Completion]:
        """Streams the next reply token by token; `max_tokens` and stop strings end it as for a real model.

        Raises:
            AssertionError: the queue of replies is empty.
        """
        return Stream(self._pieces(request, self._next_reply(request), cancelled))

    def likelihoods(
        self, request: Request, beginnings: Sequence[str], cancelled: Callable[[], bool] = never
    ) -> Weighing:
        """Gives 0 to the texts that the next reply begins with and -10 to all others.

        Raises:
            AssertionError: the queue of replies is empty.
        """
        if cancelled():
            return Weighing((), (), Completion.cancelled())
        reply = self._next_reply(request)
        weights = tuple(0.0 if reply.startswith(text) else -10.0 for text in beginnings)
        return Weighing(tuple(beginnings), weights, self._cost(request, 0))

    def likeliest(
        self, request: Request, texts: Sequence[str], most: int, cancelled: Callable[[], bool] = never
    ) -> Weighing:
        """Returns the lines of the next reply that are among the texts, each less likely than the one before.

        Raises:
            AssertionError: the queue of replies is empty.
        """
        if cancelled():
            return Weighing((), (), Completion.cancelled())
        lines = self._next_reply(request).splitlines()
        allowed = [line for line in lines if line in set(texts)][:most]
        return Weighing(
            tuple(allowed), tuple(-float(at) for at in range(len(allowed))), self._cost(request, len(allowed))
        )

    def _cost(self, request: Request, written: int) -> Completion:
        prompt = sum(self.count_tokens(message.content) for message in request.messages)
        return Completion(Finish.STOP, prompt, 0, written, 0.0, 0.0)

    def generate(self, requests: Iterable[Request], cancelled: Callable[[], bool] = never) -> Iterator[Outcome]:
        """Yields the next replies one after another; exceptions become the errors of their requests.

        Raises:
            AssertionError: the queue is empty, or a reply breaks its constraint and the engine is strict.
        """
        for number, request in enumerate(requests):
            if cancelled():
                return
            try:
                stream = self.stream(request, cancelled)
                text = "".join(stream)
            except AssertionError:
                raise
            except NoderagError as error:
                yield Outcome(number, "", None, error)
            except Exception as error:  # noqa: BLE001 - what an engine does with a constraint's exceptions
                yield Outcome(number, "", None, ModelError(f"{type(error).__name__}: {error}"))
            else:
                if stream.result.finish is Finish.CANCELLED:
                    return
                yield Outcome(number, text, stream.result)

    def _next_reply(self, request: Request) -> str:
        self.history.append(request)
        if self._replies:
            reply = self._replies.popleft()
        elif self._reply is not None:
            reply = self._reply(request)
        else:
            raise AssertionError("ScriptedEngine was asked more often than replies were enqueued")
        if isinstance(reply, Exception):
            raise reply
        if self._strict:
            _assert_allowed(request, reply)
        return reply

    def _pieces(self, request: Request, reply: str, cancelled: Callable[[], bool]) -> Generator[str, None, Completion]:
        cuts = [at for at in (reply.find(stop) for stop in request.stop) if at >= 0]
        tokens = _TOKEN.findall(reply[: min(cuts)] if cuts else reply)
        finish = Finish.LENGTH if len(tokens) > request.max_tokens else Finish.STOP
        written = 0
        for token in tokens[: request.max_tokens]:
            if cancelled():
                finish = Finish.CANCELLED
                break
            yield token
            written += 1
        prompt = sum(self.count_tokens(message.content) for message in request.messages)
        return Completion(finish, prompt, 0, written, 0.0, 0.0, self._certainty)


def _assert_allowed(request: Request, reply: str) -> None:
    if request.constraint is None:
        return
    constraint = request.constraint()
    for number, character in enumerate(reply):
        piece = character.encode()
        assert constraint.allows(piece), f"the constraint allows {reply[:number]!r} but not {character!r} after it"
        constraint.accept(piece)
    assert constraint.may_end(), f"the constraint does not allow the text to end after {reply!r}"
