"""Connects to a server with a socket whose waiting can be cancelled at any time.

http.client reads from it as from any socket. The reading thread itself closes it, so a cancelled request is disconnected
within POLL_SECONDS, whatever the server does.
"""

from __future__ import annotations

import errno
import io
import os
import selectors
import socket
import time
from collections.abc import Callable
from typing import cast

from noderag_local.models.llm.server.server_address import Endpoint

POLL_SECONDS = 0.03
CONNECT_SECONDS = 5.0
"""Maximum seconds to connect to one's own machine; the name has been looked up before."""
_UNDER_WAY = {errno.EINPROGRESS, errno.EWOULDBLOCK, errno.EALREADY}


class Cancelled(Exception):
    """Raised when the caller no longer wants the answer."""


class TimedOut(Exception):
    """Raised when nothing came for too long."""


class Watch:
    """Decides when waiting must end."""

    def __init__(self, cancelled: Callable[[], bool], seconds: float) -> None:
        """Starts the time limit: `seconds` until the first `progress`, and between any two."""
        self._cancelled = cancelled
        self._seconds = seconds
        self.progress()

    def progress(self) -> None:
        """Restarts the time limit, since something useful came."""
        self._until = time.monotonic() + self._seconds

    def hurry(self, seconds: float) -> None:
        """Shortens the time that is left to `seconds`."""
        self._until = min(self._until, time.monotonic() + seconds)

    @property
    def left_seconds(self) -> float:
        """Seconds until waiting must end; 0 if it has to end now."""
        return max(0.0, self._until - time.monotonic())

    def check(self) -> None:
        """Raises an exception when waiting must end; called at least every POLL_SECONDS.

        Raises:
            Cancelled: the caller has cancelled.
            TimedOut: nothing came for too long.
        """
        if self._cancelled():
            raise Cancelled
        if time.monotonic() > self._until:
            raise TimedOut


def connect(endpoint: Endpoint, watch: Watch, seconds: float = CONNECT_SECONDS) -> socket.socket:
    """Returns a connected socket with a timeout of POLL_SECONDS.

    Raises:
        OSError: the server cannot be reached within `seconds`.
        Cancelled, TimedOut: see `Watch.check`.
    """
    connecting = socket.socket(endpoint.family, socket.SOCK_STREAM)
    try:
        connecting.setblocking(False)
        code = connecting.connect_ex(endpoint.address)
        if code in _UNDER_WAY:
            code = _outcome(connecting, watch, time.monotonic() + seconds)
        if code:
            raise OSError(code, os.strerror(code))
        connecting.settimeout(POLL_SECONDS)
    except BaseException:
        connecting.close()
        raise
    return connecting


def _outcome(connecting: socket.socket, watch: Watch, until: float) -> int:
    with selectors.DefaultSelector() as selector:
        selector.register(connecting, selectors.EVENT_WRITE)
        while not selector.select(POLL_SECONDS):
            watch.check()
            if time.monotonic() > until:
                return errno.ETIMEDOUT
    return connecting.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)


class CancellableSocket:
    """A socket for http.client whose waiting can be cancelled."""

    def __init__(self, connected: socket.socket, watch: Watch) -> None:
        """Wraps a connected socket with a timeout of POLL_SECONDS; whoever opened it closes it."""
        self._socket = connected
        self._watch = watch

    def sendall(self, data: bytes) -> None:
        """Sends all of the data."""
        rest = memoryview(data)
        while rest:
            self._watch.check()
            try:
                rest = rest[self._socket.send(rest) :]
            except TimeoutError:
                continue

    def makefile(self, mode: str) -> io.BufferedReader:
        """Returns a file for reading, the only mode that http.client uses."""
        return io.BufferedReader(cast(io.RawIOBase, _Incoming(self._socket, self._watch)))

    def close(self) -> None:
        """Does nothing, because http.client closes a connection before the answer is read."""


class _Incoming(io.RawIOBase):
    def __init__(self, connected: socket.socket, watch: Watch) -> None:
        self._socket = connected
        self._watch = watch

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while True:
            self._watch.check()
            try:
                return self._socket.recv_into(buffer)
            except TimeoutError:
                continue
