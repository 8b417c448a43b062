"""The process that holds the libraries of other formats than text and meets no file itself: it forks a reader for each.

A library that one file has taken over sees that file and no other: its process ends with it. What a fork takes is a few
milliseconds, what a process from scratch takes is half a second. Started by `forking_process`.

The parent sends over a socket the name of the module that reads a format, with the ends of two pipes; the reader has these, and
not the socket. When it has ended the parent is told how.
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
"""Bytes of a module's name."""
_OWN_LINE = "<p>Grüße, \\emph{Müller}.</p>\n\n".encode("latin-1")
"""Something of every format that is text, in an encoding that has to be guessed."""
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
    """Loads what reads a format, and has it read a line of our own once: what a library loads at its first file is there then.

    What cannot be loaded the reader tells.
    """
    if module in sys.modules:
        return
    with contextlib.suppress(ImportError):
        extractor = getattr(importlib.import_module(module), "EXTRACTOR", None)
        if extractor is not None:
            _read_a_line(extractor)
    # What is there already is not looked through by a reader: that would copy the memory.
    gc.freeze()


def _read_a_line(extractor: Extractor) -> None:
    try:
        for _ in extractor.read(io.BytesIO(_OWN_LINE), ""):
            pass
    except Exception:  # noqa: BLE001 - a line of text is a damaged file of most formats
        return


def _read(parent: int, pipe_ends: list[int], has_left_network: bool) -> NoReturn:
    """Reads one file; never comes back to the loop of the process that forked this one."""
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
