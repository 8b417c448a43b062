"""Runs the resident process: `python -m noderag_local.interfaces.resident VAULT`; `leaving` starts it."""

from __future__ import annotations

import sys

from noderag_local.system import offline

if __name__ == "__main__":
    # First of all, before anything is imported that might open a connection.
    offline.install()

    from noderag_local.interfaces.resident.starting import start

    sys.exit(start(sys.argv[1]))
