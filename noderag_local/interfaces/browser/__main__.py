"""Runs the interface for one browser page: `python -m noderag_local.interfaces.browser VAULT`. `page_server` starts it."""

from __future__ import annotations

import sys

from noderag_local.system import offline

if __name__ == "__main__":
    # This must run before any import that might open a connection.
    offline.install()

    from pathlib import Path

    from noderag_local.config import load_settings
    from noderag_local.interfaces.tui.shell.application import run
    from noderag_local.storage.encryption.unlock import unlock

    settings = load_settings(vault=Path(sys.argv[1]))
    unlock(settings.vault)
    sys.exit(run(settings))
