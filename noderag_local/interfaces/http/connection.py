"""A connection to the server that is closed if its request does not come: no program without the token can hold all of them."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEADER_SECONDS = 5.0
"""Time for the header of a request; up to twice as long for the second one of a connection and later ones."""
MOST_CONNECTIONS = 256
"""Connections at a time: each takes an open file, of which the vault needs some."""


class Connection(H11Protocol):
    """uvicorn's connection with a time limit for headers; uvicorn itself has one only between requests."""

    _looked_at: RequestResponseCycle | None = None
    """Last request that had come when the connection was looked at."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begins to look at the connection."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
        else:
            self.loop.call_later(HEADER_SECONDS, self._look)

    def _look(self) -> None:
        if self.transport.is_closing():
            return
        is_answered = self.cycle is None or self.cycle.response_complete
        if is_answered and self.cycle is self._looked_at:
            self.transport.close()
            return
        self._looked_at = self.cycle
        self.loop.call_later(HEADER_SECONDS, self._look)
