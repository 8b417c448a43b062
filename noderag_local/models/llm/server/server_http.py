"""Talks HTTP to a model server: one connection per exchange, bounded answers, classified faults.

Proxies and redirects are not used, and nothing from an answer is shown unfiltered. The standard library's http.client parses
answers and limits the size of their headers.
"""

from __future__ import annotations

import http.client
import json
import re
import ssl
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from email.message import Message
from typing import Any

from noderag_local.domain.errors import SettingsError
from noderag_local.models.llm.server.cancellable_socket import (
    CONNECT_SECONDS,
    POLL_SECONDS,
    CancellableSocket,
    TimedOut,
    Watch,
    connect,
)
from noderag_local.models.llm.server.server_address import ServerAddress
from noderag_local.models.llm.server.server_faults import (
    RequestRefused,
    ServerBusy,
    ServerFault,
    ServerNonsense,
    ServerRefuses,
    ServerSilent,
    ServerUnreachable,
)
from noderag_local.system.printing.plain_text import printable

READ_BYTES = 1 << 14
DOCUMENT_BYTES = 4 << 20
"""Maximum size of a JSON document; a list of a hundred models with details has a tenth of it."""
ERROR_BYTES = 1 << 14
SHOWN_CHARACTERS = 200
"""Maximum characters to show from a server's error message."""
LONGEST_PAUSE_SECONDS = 60.0
"""Maximum seconds to wait, even if the server asks for longer."""
OVERLOADED = (408, 425, 429, 503)
_KEY = re.compile(r"[!-~]*")


class ServerHttp:
    """Makes exchanges with one server. Threads may share it."""

    def __init__(self, address: ServerAddress, key: str = "", connect_seconds: float = CONNECT_SECONDS) -> None:
        """Keeps the address and the `key`, which is sent as a bearer token and never appears in messages or reprs.

        Raises:
            SettingsError: the key contains characters that a header cannot have.
        """
        if not _KEY.fullmatch(key):
            raise SettingsError(
                "server_key contains blanks or characters that a key cannot have. Copy it again, without quotes."
            )
        self.address = address
        self._key = key
        self._connect_seconds = connect_seconds

    def json(self, path: str, watch: Watch, document: Any = None) -> Any:
        """Gets a JSON document or, if `document` is given, posts it and returns the answer.

        Raises:
            ServerFault: the exchange failed; see server_faults.py.
            Cancelled: the caller has cancelled.
        """
        with self._reading(path, watch, document) as response:
            self._check(response, path)
            data = _at_most(response, DOCUMENT_BYTES)
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise ServerNonsense(f"{self.name(path)} sent a response that is not JSON: {_shown(data)}.") from error

    def stream(self, path: str, watch: Watch, document: Any) -> Generator[bytes, None, None]:
        """Posts a JSON document and yields the bytes of the answer as they come.

        Raises:
            ServerFault: the exchange failed; see server_faults.py.
            Cancelled: the caller has cancelled.
        """
        with self._reading(path, watch, document) as response:
            self._check(response, path)
            kind = response.headers.get_content_type()
            if kind != "text/event-stream":
                begin = _shown(_at_most(response, ERROR_BYTES, cut=True))
                raise ServerNonsense(f"{self.name(path)} did not send a stream of events but {_shown(kind)}: {begin}.")
            while data := response.read1(READ_BYTES):
                yield data

    @contextmanager
    def _reading(self, path: str, watch: Watch, document: Any) -> Iterator[http.client.HTTPResponse]:
        """Opens a response after reading its headers; any error is raised as a fault of the server."""
        name = self.name(path)
        connection = http.client.HTTPConnection(self.address.host, self.address.port)
        try:
            with self._connected(watch) as connected:
                connection.sock = CancellableSocket(connected, watch)
                body = None if document is None else json.dumps(document).encode()
                connection.request("GET" if body is None else "POST", self.address.prefix + path, body, self._headers())
                yield connection.getresponse()
        except TimedOut as error:
            raise ServerSilent(
                f"{name} has been silent for too long. Check the server; if it is only slow, raise "
                "server_timeout_seconds or lower server_concurrency."
            ) from error
        except http.client.IncompleteRead as error:
            raise ServerUnreachable(
                f"{name} stopped in the middle of an answer. Check whether it is still running."
            ) from error
        except ssl.SSLCertVerificationError as error:
            raise ServerRefuses(
                f"{name} shows a certificate that this machine does not trust: {_shown(error.verify_message)}. Add its "
                "authority to the system's, or name the server as its certificate does."
            ) from error
        except (http.client.RemoteDisconnected, OSError) as error:
            reason = printable(str(error)) or type(error).__name__
            raise ServerUnreachable(
                f"{name} cannot be reached: {reason}. Start the server, or check server_url."
            ) from error
        except http.client.HTTPException as error:
            raise ServerNonsense(
                f"{name} does not speak HTTP as a model server does ({type(error).__name__}: {_shown(str(error))})."
            ) from error

    @contextmanager
    def _connected(self, watch: Watch) -> Iterator[Any]:
        """Returns a socket connected to the first address that accepts, encrypted for https."""
        *others, last = self.address.endpoints
        for endpoint in others:
            try:
                plain = connect(endpoint, watch, self._connect_seconds)
                break
            except OSError:
                continue
        else:
            plain = connect(last, watch, self._connect_seconds)
        with plain:
            if self.address.scheme == "http":
                yield plain
                return
            plain.settimeout(self._connect_seconds)
            with _certified().wrap_socket(plain, server_hostname=self.address.host) as encrypted:
                encrypted.settimeout(POLL_SECONDS)
                yield encrypted

    def _headers(self) -> dict[str, str]:
        headers = {
            "User-Agent": "noderag-local",
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
            "Connection": "close",
        }
        return {**headers, "Authorization": f"Bearer {self._key}"} if self._key else headers

    def _check(self, response: http.client.HTTPResponse, path: str) -> None:
        if response.status != 200:
            raise fault_of_status(self.name(path), response.status, _told(response), response.headers)

    def name(self, path: str) -> str:
        """Returns the server's name for messages."""
        return f"The model server at {self.address.url}{path}"


def fault_of_status(name: str, status: int, told: str, headers: Message | None = None) -> ServerFault:
    """Returns the fault for a status other than 200.

    Args:
        name: name of the server, for the message.
        status: HTTP status.
        told: printable error message of the server.
        headers: headers of the response, found by their names in any case; None if there are none.
    """
    headers = headers if headers is not None else Message()
    because = f"{status} {told}".rstrip()
    match status:
        case 401 | 403:
            return ServerRefuses(
                f"{name} refuses the key: {because}. Set server_key to the one that it was started with."
            )
        case 404 | 405:
            return ServerRefuses(
                f"{name} does not know this path or model: {because}. Check server_url and server_model."
            )
        case 408 | 425 | 429 | 500 | 502 | 503 | 504:
            message = f"{name} could not answer: {because}. Its own log may say more."
            return ServerBusy(message, _pause(headers.get("Retry-After", "")), status in OVERLOADED)
        case _ if 300 <= status < 400:
            to = _shown(headers.get("Location", "elsewhere"))
            return ServerRefuses(
                f"{name} redirects to {to}, which is not followed. Set server_url to the server that has the models."
            )
        case _ if 400 <= status < 500:
            return RequestRefused(
                f"{name} refuses the request: {because}. If it is too long for the model, start the server with a "
                "larger context or lower budget_tokens."
            )
    return ServerNonsense(
        f"{name} answered with the status {because}, which a model server should not send. Check server_url."
    )


def _pause(retry_after: str) -> float:
    """Returns the seconds to wait; 0 if the header is missing or contains a date."""
    return min(float(retry_after), LONGEST_PAUSE_SECONDS) if re.fullmatch(r"\d{1,6}", retry_after) else 0.0


def _told(response: http.client.HTTPResponse) -> str:
    """Returns the server's error message on one printable line."""
    body = _at_most(response, ERROR_BYTES, cut=True)
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return _shown(body)
    return error_text(document)


def error_text(document: Any) -> str:
    """Returns the message of an error document by OpenAI, FastAPI or Ollama; the whole document if it has none."""
    found = document
    for name in ("error", "detail", "message"):
        if isinstance(found, dict) and found.get(name):
            found = found[name]
    return _shown(found if isinstance(found, str) else json.dumps(found))


def _shown(text: str | bytes) -> str:
    if isinstance(text, bytes):
        text = text.decode("utf-8", errors="replace")
    line = " ".join(printable(text).split())
    return line if len(line) <= SHOWN_CHARACTERS else line[: SHOWN_CHARACTERS - 2] + " …"


def _at_most(response: http.client.HTTPResponse, limit_bytes: int, cut: bool = False) -> bytes:
    """Reads the body, up to `limit_bytes`; with `cut`, only its beginning.

    Raises:
        ServerNonsense: the body is longer.
    """
    parts = bytearray()
    while len(parts) <= limit_bytes and (data := response.read1(READ_BYTES)):
        parts += data
    if len(parts) > limit_bytes and not cut:
        raise ServerNonsense(f"An answer of the model server has more than {limit_bytes >> 20} MB. Check server_url.")
    return bytes(parts[:limit_bytes])


def _certified() -> ssl.SSLContext:
    """Returns a TLS context with the system's certificates; users can add an authority."""
    import truststore

    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
