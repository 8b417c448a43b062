"""The `noderag` command: it parses, calls the vault and prints."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Entry point: runs the command line of this process and ends the process with its exit code."""
    # First of all, before anything is imported that might open a connection.
    from noderag_local import offline

    offline.install()
    # The products of one question are so small that a second thread of NumPy's only gets in the way: 10 ms with one
    # thread, anything from 8 to 700 with two, as busy as the machine is. torch and llama.cpp have threads of their own.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    from noderag_local.cli.run import run

    sys.exit(run(sys.argv[1:]))
