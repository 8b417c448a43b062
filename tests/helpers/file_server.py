"""A real web server on the loopback, with the habits and faults of those that model files come from."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Site:
    """What is served under every path, and how; tests change it while the server runs."""

    body: bytes
    etag: str = '"v1"'
    ranges: bool = True
    """Whether it can go on from the middle."""
    cut_after: list[int] = field(default_factory=list)
    """For each request in turn: bytes after which the connection breaks; an answer is whole once this is used up."""
    statuses: list[int] = field(default_factory=list)
    """For each request in turn: an error to answer with; 0 for none."""
    redirect_to: str = ""
    """Address that /moved sends on to."""
    tell_length: bool = True
    range_shift: int = 0
    """Bytes by which the place where it goes on is wrong."""
    requests: list[dict[str, str]] = field(default_factory=list)
    """Headers of all requests so far, names in lower case, with "path"."""
    url: str = ""


@contextmanager
def serving(body: bytes) -> Iterator[Site]:
    """A running server for `body`; its address is the site's `url`."""
    site = Site(body)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.requests.append({"path": self.path, **{name.lower(): value for name, value in self.headers.items()}})
            answer(self, site)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.url = f"http://127.0.0.1:{server.server_port}/model.gguf"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def answer(request: BaseHTTPRequestHandler, site: Site) -> None:
    if site.statuses and (status := site.statuses.pop(0)):
        request.send_error(status)
        return
    if request.path == "/moved":
        request.send_response(302)
        request.send_header("Location", site.redirect_to)
        request.end_headers()
        return
    start = wanted_start(request, site)
    body = site.body[start:]
    request.send_response(206 if start else 200)
    if start:
        shifted = start + site.range_shift
        request.send_header("Content-Range", f"bytes {shifted}-{len(site.body) - 1}/{len(site.body)}")
    if site.tell_length:
        request.send_header("Content-Length", str(len(body)))
    if site.etag:
        request.send_header("ETag", site.etag)
    request.end_headers()
    request.wfile.write(body[: site.cut_after.pop(0)] if site.cut_after else body)


def wanted_start(request: BaseHTTPRequestHandler, site: Site) -> int:
    found = re.fullmatch(r"bytes=(\d+)-", request.headers.get("Range", ""))
    same = request.headers.get("If-Range") in (None, site.etag)
    return int(found[1]) if found and site.ranges and same else 0
