"""Decides, before anything of a request is read, whether it may come in."""

from __future__ import annotations

import hmac
from collections.abc import Collection

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 1 << 20
"""Bytes of a request's body."""
MOST_REQUESTS = 64
"""Requests at a time of programs that may come in."""


class Gate:
    """Lets requests of programs with the token through, and no request of a web page."""

    def __init__(self, app: ASGIApp, token: str, hosts: Collection[str]) -> None:
        """Wraps an application.

        Args:
            app: the application.
            token: what "Authorization: Bearer" has to say; "" for a Unix socket, which the file system guards.
            hosts: what the header Host may say; a name that a web page made to mean this machine is not among them.
        """
        self._app = app
        self._token = token
        self._hosts = hosts
        self._running = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request that may not come in, or hands it on."""
        if scope["type"] != "http":
            return
        refused = self._refusal(Request(scope))
        if refused is not None:
            # A program without the token would otherwise keep the connection by asking again and again.
            refused.headers["Connection"] = "close"
            await refused(scope, receive, send)
            return
        self._running += 1
        try:
            await self._app(scope, _bounded(receive), send)
        finally:
            self._running -= 1

    def _refusal(self, request: Request) -> JSONResponse | None:
        headers = request.headers
        if self._token and headers.get("host", "") not in self._hosts:
            return failure(403, "Wrong Host header: name the server as 127.0.0.1 with its port.")
        if "origin" in headers or headers.get("sec-fetch-site", "none") != "none":
            return failure(403, "Web pages may not ask this server.")
        if self._token and not hmac.compare_digest(_token_in(headers.get("authorization", "")), self._token.encode()):
            return failure(401, 'The token is missing or wrong: send it as "Authorization: Bearer TOKEN".')
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > LARGEST_BODY:
            return failure(413, f"The request is larger than {LARGEST_BODY:,} bytes.")
        if self._running >= MOST_REQUESTS:
            return failure(503, f"{MOST_REQUESTS} requests wait already. Try again later.")
        return None


def _token_in(authorization: str) -> bytes:
    scheme, _, token = authorization.partition(" ")
    return token.strip().encode("utf-8", "surrogateescape") if scheme.lower() == "bearer" else b""


class TooLarge(Exception):
    """A body without a stated length is larger than LARGEST_BODY."""


def _bounded(receive: Receive) -> Receive:
    read = 0

    async def next_message() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > LARGEST_BODY:
            raise TooLarge
        return message

    return next_message


def failure(status: int, message: str) -> JSONResponse:
    """Returns an error as OpenAI's API has them."""
    kind = "invalid_request_error" if status < 500 else "server_error"
    return JSONResponse({"error": {"message": message, "type": kind, "param": None, "code": None}}, status)
