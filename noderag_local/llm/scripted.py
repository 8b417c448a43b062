"""A model that says what it was told to: the fake that tests of everything above the engine use."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Generator, Sequence

from noderag_local.llm.engine import Completion, Finish, Request, TextStream, never

_TOKEN = re.compile(r"\w+|[^\w\s]|\s+")


class ScriptedEngine:
    """An engine whose replies are queued beforehand. Words, signs and runs of white space are its tokens."""

    def __init__(self, *replies: str, name: str = "scripted", context_length: int = 8192) -> None:
        self.name = name
        self.context_length = context_length
        self.history: list[Request] = []
        """Every request, in the order in which they were made."""
        self._replies: deque[str | Exception] = deque(replies)

    def enqueue(self, reply: str | Exception) -> None:
        """Add a reply for a coming request; an exception is raised by it."""
        self._replies.append(reply)

    def count_tokens(self, text: str) -> int:
        """Words, signs and runs of white space in `text`."""
        return len(_TOKEN.findall(text))

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """`count_tokens` of each text."""
        return [self.count_tokens(text) for text in texts]

    def stream(self, request: Request, cancelled: Callable[[], bool] = never) -> TextStream:
        """The next reply, token by token, cut at `max_tokens` and at stop strings as a real model's is.

        Raises:
            AssertionError: no reply is left.
        """
        self.history.append(request)
        if not self._replies:
            raise AssertionError("ScriptedEngine was asked more often than replies were enqueued")
        reply = self._replies.popleft()
        if isinstance(reply, Exception):
            raise reply
        return TextStream(self._pieces(request, reply, cancelled))

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
        return Completion(finish, prompt, 0, written, 0.0, 0.0)
