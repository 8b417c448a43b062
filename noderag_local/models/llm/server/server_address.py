"""Resolves the address of a model server: parses its URL, looks up its name once and keeps only allowed addresses.

Without `server_private_network`, only this machine is allowed; with it, private networks as well. Internet addresses are never
allowed. Connections go to the addresses found here and the name is never looked up again, so a name server that changes its
answer cannot redirect them.
"""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import SplitResult, urlsplit

from noderag_local.domain.errors import ModelError, SettingsError
from noderag_local.system import offline
from noderag_local.system.printing.plain_text import printable

PORTS = {"http": 80, "https": 443}
EXAMPLE = "http://127.0.0.1:8080"
_HOST = re.compile(r"[A-Za-z0-9_.-]+|[0-9A-Fa-f:.]+(%[A-Za-z0-9_.-]+)?")
_PATH = re.compile(r"[A-Za-z0-9_.~/-]*")


class Endpoint(NamedTuple):
    """The address that a socket connects to."""

    family: int
    address: tuple[Any, ...]
    """Address for the socket module: IP address and port; for IPv6 also flow and scope."""


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """A model server whose addresses were checked."""

    scheme: str
    host: str
    """Name or address as the user wrote it, for the Host header, the certificate and messages."""
    port: int
    prefix: str
    """Path before "/v1"; usually empty."""
    endpoints: tuple[Endpoint, ...]
    """Addresses in the order to try; at least one."""

    @property
    def url(self) -> str:
        """URL for messages, without "/v1" and anything secret."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}{self.prefix}"


def resolve_server(url: str, private_network: bool) -> ServerAddress:
    """Checks a URL, looks up its name and lets the offline guard allow its private addresses.

    Args:
        url: URL such as "http://127.0.0.1:8080"; a "/v1" at its end is dropped.
        private_network: whether addresses of RFC 1918, RFC 4193 and link-local ones are allowed. Without it, only the name
            "localhost" is looked up.

    Raises:
        SettingsError: it is not a valid URL, or its address is not allowed.
        ModelError: the name cannot be resolved.
    """
    parts = _taken_apart(url)
    scheme, host = parts.scheme, parts.hostname or ""
    port = parts.port or PORTS[scheme]
    found = _look_up(host, port, private_network)
    here = [endpoint for endpoint in found if offline.is_loopback(endpoint.address[0])]
    private = [endpoint for endpoint in found if offline.is_private(endpoint.address[0])]
    if private and not private_network and not here:
        raise SettingsError(
            f"server_url leads to {host}, which is on a private network and not this machine. If your notes may go "
            "there, set server_private_network = true."
        )
    usable = here + (private if private_network else [])
    if host in ("0.0.0.0", "::"):
        raise SettingsError(
            f"server_url names {host}, which is an address to listen on, not to connect to. Write {EXAMPLE}."
        )
    if not usable:
        raise SettingsError(
            f"server_url leads to {_listed(found)}, which is neither this machine nor a private network. Notes are "
            f"never sent there; name a server of your own, such as {EXAMPLE}."
        )
    for endpoint in usable:
        if endpoint in private:
            offline.allow_server(endpoint.address[0], port)
    prefix = parts.path.rstrip("/").removesuffix("/v1").rstrip("/")
    return ServerAddress(scheme, host, port, prefix, tuple(usable))


def _taken_apart(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        # Accessing the port validates it.
        in_order = parts.scheme in PORTS and parts.port != 0
    except ValueError:
        in_order = False
    if not in_order or not _HOST.fullmatch(parts.hostname or "") or not _PATH.fullmatch(parts.path):
        raise SettingsError(
            f"server_url is {_without_secrets(url)!r}, which is not the address of a server. It looks like {EXAMPLE}."
        )
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise SettingsError(
            "server_url contains a user name, a password or parameters. It must have only scheme, host, port and path; "
            "a key goes into server_key."
        )
    return parts


def _without_secrets(url: str) -> str:
    """Returns a URL without the parts before an "@" and after a "?", which may be secret."""
    scheme, separator, rest = printable(url).rpartition("://")
    return scheme + separator + re.split(r"[?#]", rest.rpartition("@")[2])[0][:100]


def _look_up(host: str, port: int, private_network: bool) -> list[Endpoint]:
    is_name = not (offline.is_loopback(host) or _is_address(host))
    if is_name and host != "localhost" and not private_network:
        raise SettingsError(
            f"server_url names the host {host}. Names other than localhost are looked up only with "
            f"server_private_network = true; for a server on this machine write {EXAMPLE}."
        )
    if not is_name and not (offline.is_loopback(host) or offline.is_private(host)):
        # Not even looked up, since the guard would refuse it.
        return [Endpoint(socket.AF_INET, (host, port))]
    try:
        with offline.look_up_allowed(host):
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise ModelError(
            f"The host {host} of server_url cannot be resolved: {error}. Check the name, or use its IP address."
        ) from error
    families = (socket.AF_INET, socket.AF_INET6)
    return list(dict.fromkeys(Endpoint(family, address) for family, _, _, _, address in found if family in families))


def _is_address(host: str) -> bool:
    import ipaddress

    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def _listed(endpoints: list[Endpoint]) -> str:
    return ", ".join(str(endpoint.address[0]) for endpoint in endpoints) or "no address"
