"""The `noderag` command: it parses, calls the vault and prints."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point: runs the command line of this process and ends the process with its exit code."""
    # First of all, before anything is imported that might open a connection.
    from noderag_local import offline

    offline.install()

    from noderag_local.cli.run import run

    sys.exit(run(sys.argv[1:]))
