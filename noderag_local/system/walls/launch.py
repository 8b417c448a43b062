"""Starts a process for the sandbox, with our modules and without the person's environment."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

_START = "import sys; sys.path[:] = sys.argv[2:]; from {module} import main; main(int(sys.argv[1]))"
_VARIABLES = ("DYLD_LIBRARY_PATH", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "SYSTEMROOT", "TZ")
"""Variables that the process keeps: those Python needs to start. Others often hold keys and passwords."""
_QUIET = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""A process that may start no threads must not try."""


def command(module: str) -> list[str]:
    """Command that calls `main` of a module with the id of this process.

    Isolated from the person's variables and folders, and yet with the modules that we have.
    """
    return [sys.executable, "-I", "-B", "-c", _START.format(module=module), str(os.getpid()), *_module_folders()]


def environment() -> dict[str, str]:
    """All variables that such a process gets."""
    return {name: os.environ[name] for name in _VARIABLES if name in os.environ} | _QUIET


def start(module: str, stdin: int, stdout: int) -> subprocess.Popen[bytes]:
    """Starts such a process, in a session of its own; it ends with this one.

    Args:
        module: its `main` is called.
        stdin, stdout: as Popen takes them; what it says of errors nobody hears.
    """

    def popen() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command(module),
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.DEVNULL,
            env=environment(),
            # Ctrl-C is for this process, which ends the other when it is done with what it keeps.
            start_new_session=True,
        )

    return _starting_thread(os.getpid()).submit(popen).result()


@cache
def _starting_thread(process: int) -> ThreadPoolExecutor:
    """A thread that lives as long as the process.

    The kernel takes the thread that started a process for its parent (`parent.die_with`), and threads of the interface end with
    their job.
    """
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="starting")


def finished(module: str, asked: str, seconds: float) -> str | None:
    """Runs such a process to its end.

    Args:
        module: its `main` is called.
        asked: what it reads.

    Returns:
        What it wrote; None where it failed, took longer or was killed.
    """
    try:
        done = subprocess.run(
            command(module),
            input=asked.encode("utf-8"),
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def _module_folders() -> list[str]:
    """Folders that modules are imported from; the process may read all that lies there.

    `python -m` adds the folder that one happens to stand in, which holds notes as likely as not.
    """
    own = str(Path(__file__).parents[3])
    return [path for path in sys.path if path and (path == own or os.path.abspath(path) != os.getcwd())]
