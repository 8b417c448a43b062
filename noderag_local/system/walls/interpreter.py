"""Makes the interpreter refuse to open connections, start processes or write files."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

_REFUSED = (
    "socket.",
    "subprocess.",
    "os.",
    "shutil.",
    "tempfile.",
    "pty.",
    "ftplib.",
    "http.client.",
    "urllib.",
    "smtplib.",
)
_ALLOWED = frozenset({"os.add_dll_directory", "os.listdir", "os.putenv", "os.scandir", "os.unsetenv", "os.walk"})
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Refused(PermissionError):
    """Raised when a library tries something that code in the sandbox never needs."""


def refuse_actions() -> None:
    """Stops all Python code of this process from opening connections, starting processes, and writing, moving or removing files."""
    sys.addaudithook(_audit)


def _audit(event: str, arguments: Sequence[Any]) -> None:
    if event == "open":
        _, mode, flags = arguments
        if flags & _WRITING or (isinstance(mode, str) and set(mode) & set("wax+")):
            raise Refused(f"a reader wanted to write to {arguments[0]}")
    elif event.startswith(_REFUSED) and event not in _ALLOWED:
        raise Refused(f"a reader wanted {event}")
