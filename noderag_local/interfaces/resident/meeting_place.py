"""Where a command and the resident process meet: a socket in a folder that only the user can enter.

A command imports this module before anything else, so it may import only what Python has loaded anyway.
"""

from __future__ import annotations

import os
import socket
import stat
import sys
import time
from binascii import crc32

import noderag_local

LONGEST_PATH = 100
"""Maximal bytes of a socket's path; Linux takes 107, macOS 103."""
CONNECT_SECONDS = 0.3
"""Time to connect: a process that stands still takes no connection once some wait."""
PAUSE_SECONDS = 0.01
"""Time between two tries."""
IS_POSSIBLE = sys.platform != "win32" and hasattr(socket, "send_fds")
"""Whether this system can hand open files to another process."""


def code_name() -> str:
    """Returns what a command and the resident process must have in common: version, folder of the code and Python."""
    return "\n".join((noderag_local.__version__, os.path.dirname(noderag_local.__file__), sys.executable))


def meeting_folder() -> str:
    """Returns the folder of the socket, which may not exist: in the user's runtime folder, or in the one for temporary files."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(runtime) and is_private(runtime):
        return os.path.join(runtime, "noderag")
    temporary = os.environ.get("TMPDIR", "")
    return os.path.join(temporary if os.path.isabs(temporary) else "/tmp", f"noderag-{os.getuid()}")


def socket_path() -> str:
    """Returns the path of the socket for this version of the code; "" if the system cannot have such a path."""
    if not IS_POSSIBLE:
        return ""
    path = os.path.join(meeting_folder(), f"resident-{crc32(os.fsencode(code_name())):08x}")
    return path if len(os.fsencode(path)) <= LONGEST_PATH else ""


def is_private(folder: str) -> bool:
    """Returns whether a folder is the user's own, is no link, and nobody else can enter it."""
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077


def connected() -> socket.socket | None:
    """Returns a connection to the resident process; None if there is none, or too many wait for it."""
    try:
        return _connection(CONNECT_SECONDS)
    except OSError:
        return None


def is_there() -> bool:
    """Returns whether there is a resident process, also one that too many wait for, where the system tells that."""
    try:
        connection = _connection(0)
    except BlockingIOError:
        return True
    except OSError:
        return False
    connection.close()
    return True


def _connection(seconds: float) -> socket.socket:
    """Returns a connection to the resident process.

    Raises:
        BlockingIOError: too many wait for it, and none was taken within `seconds`.
        OSError: there is no such process of the same user.
    """
    path = socket_path()
    if not path or not is_private(os.path.dirname(path)):
        raise FileNotFoundError(path)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(CONNECT_SECONDS)
        _connect(connection, path, time.monotonic() + seconds)
        if not is_own(connection):
            raise PermissionError(path)
    except OSError:
        connection.close()
        raise
    return connection


def _connect(connection: socket.socket, path: str, until: float) -> None:
    # Linux refuses a connection at once while too many wait, whatever the timeout of the socket.
    while True:
        try:
            connection.connect(path)
            return
        except BlockingIOError:
            if time.monotonic() >= until:
                raise
        time.sleep(PAUSE_SECONDS)


def is_own(connection: socket.socket) -> bool:
    """Returns whether a process of the same user is at the other end; where the system does not tell, the folder has to do."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    of_process = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    # Three native integers: process, user and group.
    return int.from_bytes(of_process[4:8], sys.byteorder) == os.getuid()
