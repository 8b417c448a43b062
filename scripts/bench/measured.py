"""Runs a command and measures it; used by the other scripts here."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Measured:
    """What one process cost, from its start to its end."""

    seconds: float
    peak_rss_bytes: int
    """Of the process itself; it starts no others that matter."""
    output: str


def measured(command: Sequence[str], **variables: str) -> Measured:
    """Runs a command to its end; exits with its errors when it fails.

    Python keeps compiled modules, as it does where nobody has forbidden it: to compile all of them takes a third of a second.
    """
    started = time.perf_counter()
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", **variables}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    with process.stdout:
        output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} failed with exit code {process.returncode}\n{output}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Measured(time.perf_counter() - started, usage.ru_maxrss * unit, output)
