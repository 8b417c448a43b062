"""Serves the interface to a browser on this machine, at an address with a random key.

textual-serve by itself lets in every program on the machine, does not check which web page a WebSocket comes from, and its page
loads a font from the internet. Here its application is mounted below a random path, requests of other pages and for other host
names are refused, and the page may load nothing from elsewhere.
"""

from __future__ import annotations

import shlex
import socket
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from secrets import token_urlsafe

from aiohttp import web
from textual_serve.server import Server

from noderag_local.interfaces.http.loopback import LOOPBACK, host_headers

LEAVING_SECONDS = 3.0
"""Seconds that open pages have to end after Ctrl-C."""
MOST_PAGES = 4
"""Pages that may be open at once: each is a process, which loads the language model when it answers."""
CHILD = "noderag_local.interfaces.browser"
"""Module that runs the interface; each open page has a process of its own."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class PageServer(Server):
    """Serves the interface of one vault."""

    def __init__(self, vault: Path, listening: socket.socket) -> None:
        """Prepares the server; requests are answered only by `run`.

        Args:
            vault: folder of the vault.
            listening: a socket that is bound to loopback.
        """
        # -P: no module may come from the folder that one stands in, which holds notes as likely as not.
        command = shlex.join([sys.executable, "-P", "-m", CHILD, str(vault)])
        super().__init__(command, LOOPBACK, listening.getsockname()[1], title="noderag")
        self._listening = listening
        self._open_pages = 0
        self._key = token_urlsafe(32)

    @property
    def address(self) -> str:
        """Address of the page; whoever knows it can read the notes."""
        return f"{self.public_url}/{self._key}/"

    def run(self) -> None:
        """Answers requests until Ctrl-C or SIGTERM. Requests are not logged, because their addresses contain the key."""
        web.run_app(
            self._make_app(),
            sock=self._listening,
            access_log=None,
            print=None,
            shutdown_timeout=LEAVING_SECONDS,
        )

    async def _make_app(self) -> web.Application:
        guarded = web.Application(middlewares=[self._refuse_others])
        guarded.add_subapp(f"/{self._key}/", await super()._make_app())
        guarded.on_response_prepare.append(self._restrict_page)
        return guarded

    @web.middleware
    async def _refuse_others(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.host not in host_headers(self.host, self.port):
            raise web.HTTPForbidden(text="Wrong Host header. Use the address that `noderag browser` printed.")
        if request.headers.get("Origin", self.public_url) != self.public_url:
            raise web.HTTPForbidden(
                text="Requests of other web pages are refused. Open the address that `noderag browser` printed."
            )
        return await handler(request)

    async def _restrict_page(self, _: web.Request, response: web.StreamResponse) -> None:
        response.headers["Content-Security-Policy"] = (
            "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; font-src 'self'; "
            f"img-src 'self' data:; connect-src {self.public_url.replace('http', 'ws', 1)}; base-uri 'none'; form-action 'none'; "
            "frame-ancestors 'none'"
        )
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["Cache-Control"] = "no-store"

    async def handle_index(self, request: web.Request) -> web.StreamResponse:
        """Answers with the page, or with a text that says that too many are open."""
        self._refuse_too_many()
        answer: web.StreamResponse = await super().handle_index(request)
        return answer

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Runs the interface for a page until the page is closed."""
        self._refuse_too_many()
        self._open_pages += 1
        try:
            return await super().handle_websocket(request)
        finally:
            self._open_pages -= 1

    def _refuse_too_many(self) -> None:
        if self._open_pages >= MOST_PAGES:
            raise web.HTTPServiceUnavailable(
                text=f"noderag is open in {MOST_PAGES} pages, which is the most at once: each takes the memory of a "
                "language model. Close one of them, then load this page again."
            )

    async def on_startup(self, _: web.Application) -> None:
        """Prints nothing; the command prints the address."""
