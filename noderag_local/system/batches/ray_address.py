"""Reads the value of `--on`: a Ray that is started on this machine, or the address of a cluster on a private network."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from noderag_local.domain.errors import ClusterError, SettingsError
from noderag_local.system import offline

HERE = "ray"
"""Value for a Ray that is started on this machine for the run."""
EXAMPLE = "ray://192.168.1.20:10001"
ANSWER_SECONDS = 10.0
"""Seconds to wait for a cluster to answer."""


@dataclass(frozen=True, slots=True)
class RayAddress:
    """Address of the Ray client server of a cluster, which is looked up and allowed by the offline guard."""

    named: str
    """The address as the user wrote it."""
    host: str
    """IP address. Ray gets no name, since it would look it up past the guard."""
    port: int

    @property
    def url(self) -> str:
        """Address for Ray."""
        return f"ray://[{self.host}]:{self.port}" if ":" in self.host else f"ray://{self.host}:{self.port}"


def ray_address(named: str) -> RayAddress:
    """Looks up the address of a cluster, and lets the offline guard allow this one address.

    Args:
        named: an address such as EXAMPLE.

    Raises:
        SettingsError: it is no address, or one that is neither on this machine nor on a private network.
        ClusterError: the host is not known.
    """
    host, port = _taken_apart(named)
    address = _looked_up(named, host, port)
    if offline.is_private(address):
        offline.allow_server(address, port)
    elif not offline.is_loopback(address):
        raise SettingsError(
            f"--on {named} leads to {address}, which is neither this machine nor a private network. Notes are never sent there."
        )
    return RayAddress(named, address, port)


def check_answers(address: RayAddress) -> None:
    """Connects to a cluster and hangs up, since Ray itself would try for minutes.

    Raises:
        ClusterError: nothing answers in time.
    """
    try:
        socket.create_connection((address.host, address.port), ANSWER_SECONDS).close()
    except OSError as error:
        raise ClusterError(
            f"Nothing answers at {address.named}: {error}. Start Ray there (`ray start --head --ray-client-server-port="
            f"{address.port}`), and check the address and the firewall."
        ) from error


def _taken_apart(named: str) -> tuple[str, int]:
    try:
        parts = urlsplit(named)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or not port or named.rstrip("/") != f"ray://{parts.netloc}" or "@" in parts.netloc:
        raise SettingsError(f"--on takes `{HERE}` or the address of a Ray cluster such as {EXAMPLE}; it is {named!r}.")
    return host, port


def _looked_up(named: str, host: str, port: int) -> str:
    """Returns the IP address of a host; it is looked up once, so that the name cannot lead elsewhere later."""
    try:
        with offline.look_up_allowed(host):
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise ClusterError(
            f"The host of --on {named} is not known: {error}. Check the name, or use its IP address."
        ) from error
    return str(found[0][4][0])
