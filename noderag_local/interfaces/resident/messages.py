"""Messages between a command and the resident process: a length, JSON, and the open files that travel with it."""

from __future__ import annotations

import json
import os
import socket
from contextlib import suppress
from typing import Any

LONGEST_MESSAGE = 4 << 20
"""Maximal bytes of a message: more than Linux allows for the arguments and the environment of a process together."""
ACCEPTED, DECLINED, GO, INTERRUPT = b"a", b"d", b"g", b"i"
_LENGTH_BYTES = 4


class WrongMessage(Exception):
    """Something else than a message arrived."""


def send(connection: socket.socket, message: dict[str, Any], descriptors: tuple[int, ...] = ()) -> None:
    """Sends a message with open files.

    Raises:
        OSError: the other end has left, or takes too long.
    """
    content = json.dumps(message).encode("ascii")
    length = len(content).to_bytes(_LENGTH_BYTES, "big")
    # The files travel with the first bytes; what follows may be sent in pieces.
    socket.send_fds(connection, [length], list(descriptors))
    connection.sendall(content)


def receive(connection: socket.socket, most_descriptors: int = 0) -> tuple[dict[str, Any], tuple[int, ...]]:
    """Receives a message with its open files, which the caller closes.

    Args:
        connection: a connection with a timeout.
        most_descriptors: number of files that may come with it.

    Raises:
        OSError: the other end has left, or takes too long.
        WrongMessage: it is too long, or no JSON object.
    """
    first, descriptors, _, _ = socket.recv_fds(connection, _LENGTH_BYTES, most_descriptors)
    try:
        length = int.from_bytes(first + _exactly(connection, _LENGTH_BYTES - len(first)), "big")
        if length > LONGEST_MESSAGE:
            raise WrongMessage
        message = json.loads(_exactly(connection, length))
        if not isinstance(message, dict):
            raise WrongMessage
    except (ValueError, RecursionError):
        close_all(descriptors)
        raise WrongMessage from None
    except BaseException:
        close_all(descriptors)
        raise
    return message, tuple(descriptors)


def close_all(descriptors: list[int] | tuple[int, ...]) -> None:
    """Closes open files."""
    for descriptor in descriptors:
        with suppress(OSError):
            os.close(descriptor)


def _exactly(connection: socket.socket, length: int) -> bytes:
    content = bytearray()
    while len(content) < length:
        piece = connection.recv(min(length - len(content), 1 << 16))
        if not piece:
            raise ConnectionResetError
        content += piece
    return bytes(content)
