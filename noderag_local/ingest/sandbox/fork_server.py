"""Loads the libraries of formats other than text and forks a reader for each file, without seeing any file itself.

A library that a file has taken over sees that file and no other, since its process ends with it. A fork takes a few
milliseconds, a new process half a second. `forking_process` starts this program.

The parent sends the name of the module that reads a format over a socket, with the ends of two pipes. The reader gets the
pipes, and not the socket. When the reader has ended, the parent is told its exit code.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import os
import socket
import sys
from typing import NoReturn

from noderag_local.ingest.formats.extract import Extractor
from noderag_local.ingest.sandbox.worker import serve
from noderag_local.system.walls.dumps import leave_no_dump
from noderag_local.system.walls.network import leave_network
from noderag_local.system.walls.parent import die_with

LONGEST_NAME = 4096
"""Most bytes of a module's name."""
_OWN_LINE = "<p>Grüße, \\emph{Müller}.</p>\n\n".encode("latin-1")
"""A sample that fits every format that is text, in an encoding that has to be guessed."""
_SOCKET, _PIPE_ENDS = 0, 2


def main(parent: int) -> None:
    """Forks readers until the socket is closed.

    Args:
        parent: id of the process that wants them; this one dies with it.
    """
    has_left_network = leave_network()
    die_with(parent)
    leave_no_dump()
    own = os.getpid()
    control = socket.socket(fileno=_SOCKET)
    while True:
        module, pipe_ends, _, _ = socket.recv_fds(control, LONGEST_NAME, _PIPE_ENDS)
        if not module:
            return
        _load(module.decode("ascii"))
        reader = os.fork()
        if reader == 0:
            _read(own, pipe_ends, has_left_network)
        for end in pipe_ends:
            os.close(end)
        _, status = os.waitpid(reader, 0)
        control.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))


def _load(module: str) -> None:
    """Loads the reader of a format, and has it read a line of our own, so that what libraries load at their first file is loaded.

    The reader itself reports a module that cannot be loaded.
    """
    if module in sys.modules:
        return
    with contextlib.suppress(ImportError):
        extractor = getattr(importlib.import_module(module), "EXTRACTOR", None)
        if extractor is not None:
            _read_a_line(extractor)
    # The garbage collector of a reader would otherwise copy all memory that the fork shares.
    gc.freeze()


def _read_a_line(extractor: Extractor) -> None:
    try:
        for _ in extractor.read(io.BytesIO(_OWN_LINE), ""):
            pass
    except Exception:  # noqa: BLE001 - a line of text is a damaged file of most formats
        return


def _read(parent: int, pipe_ends: list[int], has_left_network: bool) -> NoReturn:
    """Reads one file and ends this process; it never returns to the loop of the process that forked it."""
    try:
        die_with(parent)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, _SOCKET)
        os.close(nothing)
        requests, answers = pipe_ends
        serve(os.fdopen(requests, "rb"), os.fdopen(answers, "wb"), has_left_network)
        os._exit(0)
    finally:
        os._exit(1)
