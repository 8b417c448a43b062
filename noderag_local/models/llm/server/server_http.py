"""HTTP to a model server: one connection an exchange, bounded answers, faults sorted by what can be done.

No proxy is asked, no redirect followed, nothing of an answer is shown raw. The standard library's http.client parses;
it bounds the head of an answer itself.
"""

from __future__ import annotations

import http.client
import json
import re
import ssl
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
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
"""Most of a JSON document; a list of a hundred models with their details has a tenth of it."""
ERROR_BYTES = 1 << 14
SHOWN_CHARACTERS = 200
"""Most characters that are shown of what a server says about an error."""
LONGEST_PAUSE_SECONDS = 60.0
"""A server that asks to wait longer is asked again after so long."""
NO_HEADERS: Mapping[str, str] = MappingProxyType({})
_KEY = re.compile(r"[!-~]*")


class ServerHttp:
    """Exchanges with one server. Threads may share it."""

    def __init__(self, address: ServerAddress, key: str = "", connect_seconds: float = CONNECT_SECONDS) -> None:
        """Notes the server and its `key`, which is sent as a bearer token and is in no message and no repr.

        Raises:
            SettingsError: the key cannot stand in a header.
        """
        if not _KEY.fullmatch(key):
            raise SettingsError("server_key holds blanks or characters that no key has. Copy it again, without quotes.")
        self.address = address
        self._key = key
        self._connect_seconds = connect_seconds

    def json(self, path: str, watch: Watch, document: Any = None) -> Any:
        """Gets a JSON document, or posts one and returns the answer.

        Raises:
            ServerFault: as server_faults.py sorts them.
            Cancelled: as the watch says.
        """
        with self._reading(path, watch, document) as response:
            self._check(response, path)
            data = _at_most(response, DOCUMENT_BYTES)
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise ServerNonsense(f"{self.name(path)} answers something that is no JSON: {_shown(data)}.") from error

    def stream(self, path: str, watch: Watch, document: Any) -> Generator[bytes, None, None]:
        """Posts a JSON document and yields the bytes of the answer as they come.

        Raises:
            ServerFault: as server_faults.py sorts them.
            Cancelled: as the watch says.
        """
        with self._reading(path, watch, document) as response:
            self._check(response, path)
            kind = response.headers.get_content_type()
            if kind != "text/event-stream":
                begin = _shown(_at_most(response, ERROR_BYTES, cut=True))
                raise ServerNonsense(f"{self.name(path)} answers no stream of events but {_shown(kind)}: {begin}.")
            while data := response.read1(READ_BYTES):
                yield data

    @contextmanager
    def _reading(self, path: str, watch: Watch, document: Any) -> Iterator[http.client.HTTPResponse]:
        """Opens an answer whose head was read; any error on the way is raised as a fault of the server."""
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
                f"{name} has been silent for too long. Look at the server; if it is only slow, raise "
                "server_timeout_seconds or lower server_concurrency."
            ) from error
        except http.client.IncompleteRead as error:
            raise ServerUnreachable(
                f"{name} broke off in the middle of an answer. Look whether it still runs."
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
        """Returns a socket to the first address that accepts the connection, encrypted for https."""
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
            raise fault_of_status(self.name(path), response.status, _told(response), dict(response.headers.items()))

    def name(self, path: str) -> str:
        """Returns the name of the server for messages."""
        return f"The model server at {self.address.url}{path}"


def fault_of_status(name: str, status: int, told: str, headers: Mapping[str, str] = NO_HEADERS) -> ServerFault:
    """Returns the fault that a status other than 200 means.

    Args:
        name: of the server, for the message.
        status: of HTTP.
        told: what it says itself, printable.
        headers: of the answer.
    """
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
            return ServerBusy(message, _pause(headers.get("Retry-After", "")))
        case _ if 300 <= status < 400:
            to = _shown(headers.get("Location", "elsewhere"))
            return ServerRefuses(
                f"{name} sends on to {to}, which is not followed. Set server_url to where the models are."
            )
        case _ if 400 <= status < 500:
            return RequestRefused(
                f"{name} refuses the request: {because}. If it is too long for the model, start the server with a "
                "larger context or lower budget_tokens."
            )
    return ServerNonsense(
        f"{name} answers with the status {because}, which no model server should send. Check server_url."
    )


def _pause(retry_after: str) -> float:
    """Returns the seconds to wait; 0 when the header has a date or is missing."""
    return min(float(retry_after), LONGEST_PAUSE_SECONDS) if re.fullmatch(r"\d{1,6}", retry_after) else 0.0


def _told(response: http.client.HTTPResponse) -> str:
    """Returns what the server says about an error, on one printable line."""
    body = _at_most(response, ERROR_BYTES, cut=True)
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return _shown(body)
    return error_text(document)


def error_text(document: Any) -> str:
    """Returns the message of an error document by OpenAI, FastAPI or Ollama; the whole document when it has none."""
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
    """Reads the body; with `cut`, only its beginning.

    Raises:
        ServerNonsense: it is longer.
    """
    parts = bytearray()
    while len(parts) <= limit_bytes and (data := response.read1(READ_BYTES)):
        parts += data
    if len(parts) > limit_bytes and not cut:
        raise ServerNonsense(f"An answer of the model server has more than {limit_bytes >> 20} MB. Check server_url.")
    return bytes(parts[:limit_bytes])


def _certified() -> ssl.SSLContext:
    """Returns a TLS context with the system's certificates, to which the user can add an authority."""
    import truststore

    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
