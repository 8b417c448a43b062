"""Lets the resident process run a command in place of this process, which then needs none of the heavy imports."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from noderag_local.interfaces.resident.meeting_place import code_name, connected

if TYPE_CHECKING:
    import socket

WAIT_SECONDS = 0.3
"""Time to wait for the turn. Several searches at once wait for each other; whoever waits longer runs without the resident
process, which takes 0.7 s."""


def run_by_resident(arguments: Sequence[str]) -> int | None:
    """Lets the resident process run a command with the files, folder and environment of this process.

    Args:
        arguments: arguments after `noderag`.

    Returns:
        The exit code; None if this process has to run the command itself: no resident process is there or it is busy, or it
        declines. Nothing was printed then.
    """
    streams = (sys.stdin, sys.stdout, sys.stderr)
    if not can_be_resident(arguments) or None in streams:
        return None
    connection = connected()
    if connection is None:
        return None
    from noderag_local.interfaces.resident.messages import ACCEPTED, GO, send

    with connection:
        try:
            connection.settimeout(WAIT_SECONDS)
            send(connection, _request(arguments, streams), tuple(stream.fileno() for stream in streams))
            if connection.recv(1) != ACCEPTED:
                return None
            connection.settimeout(None)
            # Only now may anything be printed: whoever waited too long has left without this word.
            connection.send(GO)
        except (OSError, ValueError):
            return None
        return _ended(connection)


def can_be_resident(arguments: Sequence[str]) -> bool:
    """Returns whether the resident process can run a command line: `search`, `today`, or `ask` without a language model.

    It cannot run a command that reads its question from standard input, which would be lost if it declined, or one with its own log.
    """
    words = list(arguments)
    while words and words[0].startswith("--vault"):
        del words[: 1 if "=" in words[0] else 2]
    if not words or "-" in words or any(word.startswith("--log") for word in words):
        return False
    return words[0] in ("search", "today") or (words[0] == "ask" and "--no-llm" in words)


def _request(arguments: Sequence[str], streams: Sequence[TextIO]) -> dict[str, object]:
    return {
        "do": "run",
        "code": code_name(),
        "arguments": list(arguments),
        "folder": os.getcwd(),
        "environment": dict(os.environ),
        "encodings": [(stream.encoding, stream.errors) for stream in streams],
    }


def _ended(connection: socket.socket) -> int | None:
    """Waits for the end of the command; Ctrl-C is handed on once, and ends this process when it comes again."""
    from noderag_local.interfaces.resident.messages import DECLINED, INTERRUPT

    interrupted = False
    while True:
        try:
            told = connection.recv(8)
            break
        except KeyboardInterrupt:
            if interrupted:
                raise
            interrupted = True
            connection.send(INTERRUPT)
        except ConnectionResetError:
            told = b""
            break
    if told == DECLINED:
        return None
    if not told.isdigit():
        print("Error: The resident process ended before the command did. Run the command again.", file=sys.stderr)
        return 1
    return int(told)
