"""Refuses every network connection to other machines, with an audit hook of the interpreter.

Settings can make one exception, a model server on a private network: `allow_server` allows exactly its address. `install` is
called before any other import. Python reports socket calls to audit hooks, and a hook cannot be removed, so no library can
evade it by patching. The hook does not see sockets of Rust or C code; libraries with such code are put offline by their own
environment variables. A child process has to call `install` again.
"""

from __future__ import annotations

import ipaddress
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from noderag_local.domain.errors import OfflineViolation

TOLD_OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    # onnxruntime would keep a list of events in the user's folder and send it to its maker, past Python's sockets.
    "ORT_DISABLE_TELEMETRY": "1",
}
"""Environment variables that put libraries offline; they override the user's values."""

TOLD_QUIET = {
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TRANSFORMERS_VERBOSITY": "error",
    "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
    # Named, so that tokenizers keep their threads and do not warn when a child process is started.
    "TOKENIZERS_PARALLELISM": "true",
}
"""Environment variables that keep libraries from printing on the terminal; the user's own values come first."""


PRIVATE_NETWORKS = tuple(
    ipaddress.ip_network(network)
    for network in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7", "fe80::/10")
)
"""Private networks of RFC 1918 and RFC 4193, and link-local addresses, which are not routed on the internet."""


class Violation(NamedTuple):
    """A connection that was refused."""

    call: str
    """The socket function, such as "connect"."""
    target: str
    """Address or name that the call tried to reach."""
    caller: str
    """File and line of the calling code, outside the standard library's socket module."""


_installed = False
_allowed_for: list[str] = []
_servers: set[tuple[str, int]] = set()
"""Addresses, as written by `_plain`, and ports that `allow_server` has allowed."""
_looked_up: list[str] = []
"""Host names whose look-up is allowed now."""
_violations: list[Violation] = []


def install() -> None:
    """Refuses every connection and name look-up outside this machine until the process ends.

    Unix sockets and loopback addresses stay open. May be called more than once. A refused call raises
    OfflineViolation and is kept in `violations`, as a library may swallow the error.
    """
    global _installed
    os.environ.update(TOLD_OFFLINE)
    for name, value in TOLD_QUIET.items():
        os.environ.setdefault(name, value)
    if not _installed:
        _installed = True
        sys.addaudithook(_audit)


@contextmanager
def network_allowed(reason: str) -> Iterator[None]:
    """Allows all connections inside the block; `reason` is the user's command that needs them."""
    _allowed_for.append(reason)
    try:
        yield
    finally:
        _allowed_for.pop()


def is_loopback(address: str) -> bool:
    """Returns whether an IP address is a loopback address of this machine; a zone ("%eth0") is ignored."""
    parsed = _parsed(address)
    return parsed is not None and parsed.is_loopback


def is_private(address: str) -> bool:
    """Returns whether an IP address belongs to one of PRIVATE_NETWORKS; a zone ("%eth0") is ignored."""
    parsed = _parsed(address)
    return parsed is not None and any(parsed in network for network in PRIVATE_NETWORKS)


def allow_server(address: str, port: int) -> None:
    """Allows connections to one port of one address until the process ends.

    Args:
        address: IP address on a private network, from the user's settings.
        port: port of the server.

    Raises:
        OfflineViolation: the address is not on a private network.
    """
    if not is_private(address):
        raise OfflineViolation(f"{address} is not on a private network, so it cannot be used as a model server.")
    _servers.add((_plain(address), port))


@contextmanager
def look_up_allowed(name: str) -> Iterator[None]:
    """Allows the look-up of one host name inside the block."""
    _looked_up.append(name)
    try:
        yield
    finally:
        _looked_up.remove(name)


def violations() -> tuple[Violation, ...]:
    """Returns all refused calls so far, in order; a process with any must end with an error."""
    return tuple(_violations)


def raise_for_violations() -> None:
    """Raises if any call was refused; called at the end of a run.

    Raises:
        OfflineViolation: at least one connection was refused, even if a library hid the error.
    """
    if _violations:
        raise OfflineViolation(_message(_violations[0], len(_violations)))


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    # Called for every import and every opened file, so the common case takes one comparison.
    if not event.startswith("socket.") or _allowed_for:
        return
    target = _target(event, arguments)
    if target is None:
        return
    violation = Violation(event.removeprefix("socket."), target, _caller())
    _violations.append(violation)
    raise OfflineViolation(_message(violation, 1))


def _target(event: str, arguments: tuple[Any, ...]) -> str | None:
    """Returns the address outside this machine that a call would reach; None for a local call."""
    match event:
        case "socket.connect" if _is_server(*arguments):
            return None
        case "socket.connect" | "socket.sendto" | "socket.sendmsg":
            return _socket_target(*arguments)
        case "socket.getaddrinfo" if arguments[0] in _looked_up:
            return None
        case "socket.getaddrinfo" | "socket.gethostbyname" | "socket.gethostbyaddr":
            return None if _is_here(arguments[0]) else str(arguments[0])
        case "socket.getnameinfo":
            return None if _is_here(arguments[0][0]) else str(arguments[0][0])
    return None


def _socket_target(sock: Any, address: Any) -> str | None:
    import socket

    if address is None or sock.family == getattr(socket, "AF_UNIX", None):
        return None
    if sock.family in (socket.AF_INET, socket.AF_INET6) and _is_here(address[0]):
        return None
    return str(address)


def _is_here(host: Any) -> bool:
    """Returns whether a host argument of a socket function means this machine, without asking a name server."""
    if isinstance(host, (bytes, bytearray)):
        host = host.decode("ascii", "replace")
    if host is None or host == "localhost":
        return True
    return is_loopback(str(host))


def _is_server(sock: Any, address: Any) -> bool:
    import socket

    # Only streams: a datagram can be answered by another host without a connection.
    if not _servers or sock.family not in (socket.AF_INET, socket.AF_INET6) or sock.type != socket.SOCK_STREAM:
        return False
    return (_plain(address[0]), address[1]) in _servers


def _parsed(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Parses an IP address; None if the text is not one; IPv4 addresses mapped into IPv6 are returned as IPv4."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return getattr(parsed, "ipv4_mapped", None) or parsed


def _plain(address: Any) -> str:
    """Returns the canonical text of an IP address without its zone, which sockets return as a number."""
    return str(_parsed(str(address)) or address)


def _caller() -> str:
    frame = sys._getframe(2)
    while frame.f_back and os.path.basename(frame.f_code.co_filename) == "socket.py":
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _message(violation: Violation, count: int) -> str:
    more = f" ({count - 1} more were refused)" if count > 1 else ""
    return (
        f"Something tried to open a connection outside this machine and was refused: {violation.call} to "
        f"{violation.target}, from {violation.caller}{more}. Only `noderag models get` may, and a model server "
        "on a private network that the settings name; please report this as a bug."
    )
