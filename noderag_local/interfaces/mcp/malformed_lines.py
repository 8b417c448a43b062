"""Answers lines that are no messages, which the SDK of the Model Context Protocol drops in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

if TYPE_CHECKING:
    from contextvars import Context
    from types import TracebackType

    from mcp.shared._stream_protocols import ReadStream, WriteStream


class AnsweredIfMalformed:
    """The messages of a stream, without what could not be read as one: that is answered with an error."""

    def __init__(self, read: ReadStream[SessionMessage | Exception], write: WriteStream[SessionMessage]) -> None:
        """Wraps the stream of messages; errors go to the stream of answers."""
        self._read, self._write = read, write

    @property
    def last_context(self) -> Context | None:
        """Context of the sender of the last message, which the SDK asks for."""
        return getattr(self._read, "last_context", None)

    async def receive(self) -> SessionMessage:
        """Returns the next message."""
        while isinstance(item := await self._read.receive(), Exception):
            await self._write.send(SessionMessage(_answer(item)))
        return item

    async def aclose(self) -> None:
        """Closes the stream."""
        await self._read.aclose()

    def __aiter__(self) -> AnsweredIfMalformed:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> AnsweredIfMalformed:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _answer(error: Exception) -> types.JSONRPCError:
    is_json = isinstance(error, ValidationError) and all(one["type"] != "json_invalid" for one in error.errors())
    code, message = (
        (types.INVALID_REQUEST, "This is no request.") if is_json else (types.PARSE_ERROR, "This line is no JSON.")
    )
    return types.JSONRPCError(jsonrpc="2.0", id=None, error=types.ErrorData(code=code, message=message))
