"""Connections to the server: how long they may wait with their requests, and which one is closed when there are too many."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from types import SimpleNamespace
from typing import Any, cast

import pytest

pytest.importorskip("uvicorn")

import uvicorn
from uvicorn.server import ServerState

from noderag_local.interfaces.http.connection import HEADER_SECONDS, MOST_CONNECTIONS, Connection
from noderag_local.interfaces.http.gate import Gate

BEGIN = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
REQUEST = BEGIN + b"Authorization: Bearer secret\r\n\r\n"


class Done:
    """A task that has ended."""

    def add_done_callback(self, _: object) -> None:
        pass


class Clock:
    """An event loop whose time the test sets; what it starts must not wait."""

    def __init__(self) -> None:
        self.now = 0.0
        self._calls: list[tuple[float, Callable[[], object]]] = []

    def time(self) -> float:
        return self.now

    def call_later(self, seconds: float, callback: Callable[..., object], *arguments: object) -> SimpleNamespace:
        call = (self.now + seconds, lambda: callback(*arguments))
        self._calls.append(call)
        return SimpleNamespace(cancel=lambda: self._calls.remove(call))

    def create_task(self, work: Coroutine[Any, Any, None]) -> Done:
        with pytest.raises(StopIteration):
            work.send(None)
        return Done()

    def wait(self, seconds: float) -> None:
        self.now += seconds
        for call in [one for one in self._calls if one[0] <= self.now]:
            self._calls.remove(call)
            call[1]()


class Wire:
    """A transport that only notes whether it was closed."""

    def __init__(self) -> None:
        self.closed = False
        self.written = b""

    def get_extra_info(self, _: str) -> None:
        return None

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    abort = close

    def write(self, data: bytes) -> None:
        self.written += data

    def resume_reading(self) -> None:
        pass


class Site:
    """A server without sockets."""

    def __init__(self) -> None:
        async def app(_: object, __: object, send: Any) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
            await send({"type": "http.response.body", "body": b""})

        self._config = uvicorn.Config(Gate(app, "secret", {"127.0.0.1"}), log_config=None, lifespan="off")
        self._config.load()
        self._state = ServerState()
        self.clock = Clock()

    def connected(self) -> tuple[Connection, Wire]:
        connection, wire = Connection(self._config, self._state, {}, cast(Any, self.clock)), Wire()
        connection.connection_made(cast(Any, wire))
        self.clock.now += 0.001
        return connection, wire


def test_one_without_a_request_is_closed() -> None:
    site = Site()
    connection, wire = site.connected()
    connection.data_received(BEGIN)
    site.clock.wait(HEADER_SECONDS - 1)
    connection.data_received(b"Accept: ")
    assert not wire.closed
    site.clock.wait(1)
    assert wire.closed


def test_a_further_request_has_the_same_time() -> None:
    site = Site()
    connection, wire = site.connected()
    site.clock.wait(HEADER_SECONDS - 1)
    connection.data_received(REQUEST)
    site.clock.wait(HEADER_SECONDS - 1)
    connection.data_received(REQUEST[:9])
    site.clock.wait(HEADER_SECONDS - 1)
    connection.data_received(REQUEST[9:])
    assert wire.written.count(b"200 OK") == 2
    connection.data_received(BEGIN)
    site.clock.wait(HEADER_SECONDS - 1)
    assert not wire.closed
    site.clock.wait(1)
    assert wire.closed


def test_a_refused_one_is_closed() -> None:
    connection, wire = Site().connected()
    connection.data_received(BEGIN + b"\r\n")
    assert b" 401 " in wire.written and wire.closed


def test_the_oldest_without_a_request_makes_room() -> None:
    site = Site()
    asked, first = site.connected()
    asked.data_received(REQUEST)
    wires = [site.connected()[1] for _ in range(MOST_CONNECTIONS + 1)]
    assert not first.closed
    assert [wire.closed for wire in wires] == [True, True] + [False] * (MOST_CONNECTIONS - 1)


def test_a_new_one_is_closed_where_all_have_requests() -> None:
    site = Site()
    wires = []
    for _ in range(MOST_CONNECTIONS):
        connection, wire = site.connected()
        connection.data_received(REQUEST)
        wires.append(wire)
    assert site.connected()[1].closed and not any(wire.closed for wire in wires)
