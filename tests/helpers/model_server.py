"""A model server on the loopback that answers as it is told to, well or badly, and remembers what it was asked."""

from __future__ import annotations

import json
import select
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CHAT = "/v1/chat/completions"
Answer = Callable[["Exchange"], None]
"""Writes an answer, from the status line on."""


@dataclass
class ModelServer:
    """What it serves and how; tests change it while it runs."""

    models: Any = field(default_factory=lambda: [{"id": "fake", "object": "model"}])
    answers: list[Answer] = field(default_factory=list)
    """For each chat request in turn; then `answer`."""
    answer: Answer = lambda exchange: exchange.say("Fine", ".")
    routes: dict[str, Answer] = field(default_factory=dict)
    """Path -> its answer, before all others."""
    asked: list[Any] = field(default_factory=list)
    """Documents of all chat requests so far."""
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    """Of all requests, names in lower case."""
    left: threading.Event = field(default_factory=threading.Event)
    """Set when a client has gone before its answer was whole."""
    stopping: threading.Event = field(default_factory=threading.Event)
    port: int = 0
    most_at_a_time: int = 0
    at_a_time: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


class Exchange(BaseHTTPRequestHandler):
    """One request and its answer."""

    site: ModelServer
    protocol_version = "HTTP/1.1"
    document: Any

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        self.close_connection = True
        length = int(self.headers.get("Content-Length", 0))
        self.document = json.loads(self.rfile.read(length)) if length else None
        self.site.paths.append(self.path)
        self.site.headers.append({name.lower(): value for name, value in self.headers.items()})
        # Clients that go away early are what many tests are about.
        try:
            self._chosen()(self)
        except (BrokenPipeError, ConnectionResetError):
            self.site.left.set()

    def _chosen(self) -> Answer:
        if self.path in self.site.routes:
            return self.site.routes[self.path]
        if self.path == "/v1/models":
            return lambda exchange: exchange.send_document({"object": "list", "data": self.site.models})
        if self.path != CHAT:
            return lambda exchange: exchange.send_document({"detail": "Not Found"}, 404)
        with self.site.lock:
            self.site.asked.append(self.document)
            return self.site.answers.pop(0) if self.site.answers else self.site.answer

    def send_document(self, document: Any, status: int = 200, headers: Sequence[tuple[str, str]] = ()) -> None:
        self.send_body(json.dumps(document).encode(), "application/json", status, headers)

    def send_body(
        self, body: bytes, kind: str = "text/html", status: int = 200, headers: Sequence[tuple[str, str]] = ()
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def begin(self) -> None:
        """The head of a stream; its end is that of the connection."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.end_headers()

    def event(self, data: Any) -> None:
        text = data if isinstance(data, str) else json.dumps(data)
        self.wfile.write(f"data: {text}\n\n".encode())

    def piece(self, text: str | None, finish: str | None = None, **delta: Any) -> None:
        self.event({"choices": [{"index": 0, "delta": {"content": text, **delta}, "finish_reason": finish}]})

    def say(self, *pieces: str, finish: str = "stop", usage: Any = None) -> None:
        """A whole answer, as it should be."""
        with self.site.lock:
            self.site.at_a_time += 1
            self.site.most_at_a_time = max(self.site.most_at_a_time, self.site.at_a_time)
        self.begin()
        for text in pieces:
            self.piece(text)
        self.piece(None, finish)
        if usage is not None:
            self.event({"choices": [], "usage": usage})
        # Before the last event: afterwards the client may ask anew at once.
        with self.site.lock:
            self.site.at_a_time -= 1
        self.event("[DONE]")

    def hang(self) -> None:
        """Nothing more, until the client goes or the server stops."""
        while not self.site.stopping.is_set():
            if select.select([self.connection], [], [], 0.02)[0] and not self.connection.recv(1):
                self.site.left.set()
                return

    def drip(self, data: bytes, pause_seconds: float = 0.02) -> None:
        """The same again and again."""
        while not self.site.stopping.is_set():
            self.wfile.write(data)
            time.sleep(pause_seconds)

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 64


@contextmanager
def serving(port: int = 0, **changes: Any) -> Iterator[ModelServer]:
    """A running server; it is gone at the end of the block, whatever its answers still do."""
    site = ModelServer(**changes)
    server = _Server(("127.0.0.1", port), type("BoundExchange", (Exchange,), {"site": site}))
    site.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield site
    finally:
        site.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()
