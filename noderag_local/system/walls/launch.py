"""Starts a process for the sandbox, with the same modules and without the user's environment."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from noderag_local.system.offline import TOLD_OFFLINE

_START = "import sys; sys.path[:] = sys.argv[2:]; from {module} import main; main(int(sys.argv[1]))"
_VARIABLES = ("DYLD_LIBRARY_PATH", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "SYSTEMROOT", "TZ")
"""Variables that the process keeps, since Python needs them to start. Others often hold keys and passwords."""
_QUIET = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""Variables that keep libraries from starting threads, which the process may not do."""


def command(module: str) -> list[str]:
    """Returns the command that calls `main` of a module with the id of this process.

    The process ignores the user's variables and folders, and yet finds the same modules.
    """
    return [sys.executable, "-I", "-B", "-c", _START.format(module=module), str(os.getpid()), *_module_folders()]


def environment() -> dict[str, str]:
    """Returns the environment variables of a process in the sandbox."""
    return {name: os.environ[name] for name in _VARIABLES if name in os.environ} | _QUIET | TOLD_OFFLINE


def start(module: str, stdin: int, stdout: int) -> subprocess.Popen[bytes]:
    """Starts a process for the sandbox in a session of its own; it ends with this process.

    Args:
        module: full name of the module whose `main` is called.
        stdin: as for `Popen`.
        stdout: as for `Popen`; stderr is discarded.
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
    """Returns a thread that lives as long as this process.

    The kernel takes the thread that started a process for its parent (`parent.die_with`), and threads of the interface end with
    their job.
    """
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="starting")


def finished(module: str, asked: str, seconds: float) -> str | None:
    """Runs a process for the sandbox to its end.

    Args:
        module: its `main` is called.
        asked: input of the process.
        seconds: longest time that it may take.

    Returns:
        Output of the process; None if it failed, took too long or was killed.
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
    """Returns the folders that modules are imported from; the process may read everything in them.

    `python -m` adds the folder that one happens to stand in, which holds notes as likely as not.
    """
    own = str(Path(__file__).parents[3])
    return [path for path in sys.path if path and (path == own or os.path.abspath(path) != os.getcwd())]
