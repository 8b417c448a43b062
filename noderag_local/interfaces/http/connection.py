"""A connection to the server that is closed if its request does not come: no program without the token can hold all of them.

A request without the token is refused and its connection closed, so only connections without any request can be held. Where
there are too many, the oldest of these makes room.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEADER_SECONDS = 5.0
"""Time for the header of a request: from the start of the connection, or from the first bytes after the last answer."""
MOST_CONNECTIONS = 128
"""Connections at a time: each takes an open file, of which the vault needs some; macOS gives a process 256."""


class Connection(H11Protocol):
    """uvicorn's connection with a time limit for headers; uvicorn itself has one only between requests."""

    _made_at = 0.0
    _timed_after: RequestResponseCycle | None = None
    """Last request before the header that the time limit runs for."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Starts the time limit, and closes another connection if there are too many."""
        super().connection_made(transport)
        self._made_at = self.loop.time()
        self._wait_for_header()
        if len(self.connections) > MOST_CONNECTIONS:
            self._without_request().transport.abort()

    def data_received(self, data: bytes) -> None:
        """Starts the time limit anew if the header of a further request begins."""
        if self.cycle is not self._timed_after and self.cycle.response_complete:
            self._wait_for_header()
        super().data_received(data)

    def _wait_for_header(self) -> None:
        self._timed_after = self.cycle
        self.loop.call_later(HEADER_SECONDS, self._close_after, self.cycle)

    def _close_after(self, last: RequestResponseCycle | None) -> None:
        """Closes the connection unless a request has come since the last one."""
        if self.cycle is last:
            self.transport.close()

    def _without_request(self) -> Connection:
        """Returns the oldest connection that has sent no request; this one if all others have."""
        idle = [one for one in self.connections if isinstance(one, Connection) and one.cycle is None]
        return min((one for one in idle if not one.transport.is_closing()), key=lambda one: one._made_at, default=self)
