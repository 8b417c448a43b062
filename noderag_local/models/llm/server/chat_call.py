"""Makes one try of a chat completion: sends the request, yields the text piece by piece and returns how it ended."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from noderag_local.models.llm.engine import Finish, Request
from noderag_local.models.llm.server.cancellable_socket import Watch
from noderag_local.models.llm.server.event_stream import DONE, ChatChunk, EndlessLine, EventStream, Usage, parse_chunk
from noderag_local.models.llm.server.server_faults import (
    AnswerCut,
    AnswerEmpty,
    ServerFault,
    ServerNonsense,
    ServerSilent,
    ServerUnreachable,
)
from noderag_local.models.llm.server.server_http import ServerHttp, error_text, fault_of_status
from noderag_local.models.llm.text_stream import StreamedText, WordLoops

PATH = "/v1/chat/completions"
BYTES_A_TOKEN = 4096
"""Maximum bytes of an event with one token; llama.cpp's have 200 to 400."""
SPARE_BYTES = 1 << 20
LAST_EVENTS_SECONDS = 2.0
"""Seconds to wait for the usage and the end marker after the text is complete."""
_FINISHES = {"stop": Finish.STOP, "eos": Finish.STOP, "eos_token": Finish.STOP, "length": Finish.LENGTH}
"""Reasons in small letters; some servers tell of the end-of-sequence token itself."""


@dataclass(frozen=True, slots=True)
class FinishedTry:
    """Result of a try."""

    finish: Finish
    pieces: int
    """Number of events with text or thoughts; most servers send one per token."""
    usage: Usage | None
    """Tokens counted by the server; None if it does not say or if this side ended the answer."""


def write(server: ServerHttp, model: str, request: Request, watch: Watch) -> Generator[str, None, FinishedTry]:
    """Yields the text of an answer as it comes; closing the generator closes the connection, which stops the server.

    Raises:
        ServerFault: the exchange failed (see server_faults.py); any text that came before is invalid.
        Cancelled: the caller has cancelled.
    """
    call = _Call(server.name(PATH), request, watch)
    with closing(server.stream(PATH, watch, _document(model, request))) as received:
        try:
            yield from call.pieces(received)
        except (ServerSilent, ServerUnreachable):
            # A server that omits the end marker has still answered.
            if call.finish is None:
                raise
        except EndlessLine as error:
            raise ServerNonsense(f"{call.name} writes without end. Look at the server's own log.") from error
    rest = call.text.rest()
    call.written = call.written or bool(rest.strip())
    if rest:
        yield rest
    return call.result()


def _document(model: str, request: Request) -> dict[str, Any]:
    document: dict[str, Any] = {
        "model": model,
        "messages": [{"role": str(message.role), "content": message.content} for message in request.messages],
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "seed": request.seed,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    return {**document, "stop": list(request.stop)} if request.stop else document


class _Call:
    """State of an answer while it is received."""

    def __init__(self, name: str, request: Request, watch: Watch) -> None:
        self.name = name
        self.text = StreamedText(request.stop)
        self.finish: Finish | None = None
        self.written = False
        """Whether there is text other than white space."""
        self._max_tokens = request.max_tokens
        self._watch = watch
        self._circles = WordLoops()
        self._count = 0
        self._usage: Usage | None = None
        self._thought = self._marked_done = False

    def pieces(self, received: Iterator[bytes]) -> Iterator[str]:
        """Yields text as it is received; sets `finish` at the end."""
        ended = ""
        for chunk in self._chunks(received):
            if chunk.error:
                raise self._told(chunk.error)
            self._usage = chunk.usage or self._usage
            if chunk.text or chunk.thought:
                piece = self._take(chunk)
                if piece:
                    yield piece
                if self.finish:
                    return
            if chunk.finish_reason:
                ended = chunk.finish_reason
                self.finish = _FINISHES.get(ended.lower())
                self._watch.hurry(LAST_EVENTS_SECONDS)
        if self.finish is None:
            raise self._cut(ended)

    def _chunks(self, received: Iterator[bytes]) -> Iterator[ChatChunk]:
        """Yields the events of the answer up to the end marker or the end of the connection.

        Raises:
            EndlessLine: more was received than an answer can have.
        """
        events, left_bytes = EventStream(), SPARE_BYTES + BYTES_A_TOKEN * self._max_tokens
        for data in received:
            left_bytes -= len(data)
            if left_bytes < 0:
                raise EndlessLine
            for event in events.feed(data):
                if event.strip() == DONE:
                    self._marked_done = True
                    return
                if event.strip():
                    yield parse_chunk(event, self.name)
        yield from (parse_chunk(event, self.name) for event in events.rest() if event.strip() not in ("", DONE))

    def _take(self, chunk: ChatChunk) -> str:
        if self._count == self._max_tokens:
            # The server ignores max_tokens.
            self.finish = Finish.LENGTH
            return ""
        self._watch.progress()
        self._count += 1
        self._thought = self._thought or bool(chunk.thought)
        piece = self.text.feed(chunk.text.encode("utf-8", errors="replace"))
        self.written = self.written or bool(piece.strip())
        if self.text.stopped:
            self.finish = Finish.STOP
        elif self._circles.feed(chunk.text or chunk.thought):
            self.finish = Finish.REPETITION
        return piece

    def result(self) -> FinishedTry:
        if self.finish is None:
            raise AssertionError("an answer without an end was taken for one")
        if not self.written:
            raise AnswerEmpty(self._why_empty(), self._thought)
        return FinishedTry(self.finish, self._count, self._usage)

    def _why_empty(self) -> str:
        if self._thought:
            return (
                f"{self.name}: the model thought until its {self._max_tokens} tokens were used up and answered nothing. "
                "Turn its thinking off in the server, or serve a model that does not think."
            )
        return f"{self.name}: the model answered nothing. If it does so often, serve another one."

    def _told(self, error: Any) -> ServerFault:
        code = error.get("code") if isinstance(error, dict) else None
        return fault_of_status(
            self.name, code if isinstance(code, int) and 400 <= code < 600 else 500, error_text(error)
        )

    def _cut(self, ended: str) -> AnswerCut:
        if self._marked_done and not ended:
            return AnswerCut(
                f"{self.name} ended an answer for the sake of another request. Set server_concurrency = 1, and start "
                "llama-cpp-python's server with --interrupt_requests false.",
                interrupted=True,
            )
        how = f"ended an answer as {ended[:20]!a}" if ended else "stopped in the middle of an answer"
        return AnswerCut(
            f"{self.name} {how}. Check whether it is still running; its own log says why. Perhaps the prompt was too long for "
            "its context.",
            interrupted=False,
        )
