"""Opens sockets that only programs on this machine can reach."""

from __future__ import annotations

import socket

from noderag_local.domain.errors import SettingsError

LOOPBACK = "127.0.0.1"
HTTP_PORT = 80
"""Port that browsers and other clients leave out of an address, and then of the headers Host and Origin, too."""


def on_loopback(port: int) -> socket.socket:
    """Returns a socket that listens on loopback; port 0 chooses a free port.

    Raises:
        SettingsError: the port is taken or not allowed.
    """
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
        # Whoever reads that it listens may connect at once; the connection waits until it is taken.
        listening.listen()
    except OSError as error:
        listening.close()
        raise SettingsError(
            f"Port {port} cannot be used: {error.strerror or error}. Choose another one with --port."
        ) from error
    return listening


def host_headers(name: str, port: int) -> frozenset[str]:
    """Returns what the header Host says in a request to this port of a server that is addressed by a name and by plain HTTP."""
    return frozenset({f"{name}:{port}", name} if port == HTTP_PORT else {f"{name}:{port}"})
