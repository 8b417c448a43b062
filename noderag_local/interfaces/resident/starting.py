"""Starts the resident process: takes its place, loads the vault and the models, then listens."""

from __future__ import annotations

import fcntl
import gc
import os
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path

from noderag_local.interfaces.resident.held_vaults import Declined, HeldVaults, hold_vaults
from noderag_local.interfaces.resident.meeting_place import is_private, socket_path
from noderag_local.system.disk.private_files import FILE_MODE, make_private_file, make_private_folder

WARMING_QUESTION = "notes"
"""A search for it loads what every search needs."""
_WAITING = 16
"""Callers that may wait for their turn."""


def start(folder: str) -> int:
    """Runs the resident process to its end, and returns its exit code.

    Args:
        folder: the vault to load first.
    """
    path = socket_path()
    lock = _taken_place(path)
    if lock is None:
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        vaults = hold_vaults()
        _load(folder)
        os.chdir("/")
        _listen(listening, path)
        _serve(listening, path, vaults)
    finally:
        with suppress(OSError):
            os.unlink(path)
        listening.close()
        os.close(lock)
    return 0


def _taken_place(path: str) -> int | None:
    """Takes the lock of the place, which lasts until the process ends in any way; returns None if another process has it."""
    folder = Path(path).parent
    try:
        make_private_folder(folder)
        if not path or not is_private(str(folder)):
            return None
        lock = Path(f"{path}.lock")
        make_private_file(lock)
        descriptor = os.open(lock, os.O_RDWR | os.O_NOFOLLOW)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return None
    return descriptor


def _load(folder: str) -> None:
    """Loads a vault, the models and the code by a search whose output goes nowhere; the first command reports what fails."""
    # Only now, as another process may have the place.
    from noderag_local.interfaces.cli.run_command import run

    with suppress(Declined):
        run(["search", WARMING_QUESTION, "--vault", folder])


def _listen(listening: socket.socket, path: str) -> None:
    with suppress(FileNotFoundError):
        # Left by a process that was killed: the lock is ours.
        os.unlink(path)
    listening.bind(path)
    os.chmod(path, FILE_MODE)
    listening.listen(_WAITING)


def _serve(listening: socket.socket, path: str, vaults: HeldVaults) -> None:
    from noderag_local.interfaces.resident.serving import ResidentProcess

    process = ResidentProcess(listening, path, vaults)
    gc.collect()
    gc.freeze()
    process.serve()
    vaults.close()
