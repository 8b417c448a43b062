"""The `noderag` command: its terminal interface and its command line in one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noderag_local.config import Settings


def main() -> None:
    """Entry point: runs the command line of this process and ends the process with its exit code."""
    try:
        code = _run()
    except KeyboardInterrupt:
        # While modules were still being imported; later, `run` handles it.
        code = 130
    sys.exit(code)


def _run() -> int:
    # First of all, before anything is imported that might open a connection.
    from noderag_local.system import offline

    offline.install()

    from noderag_local.interfaces.resident.asking import run_by_resident

    code = run_by_resident(sys.argv[1:])
    if code is not None:
        return code

    from noderag_local.interfaces.cli.run_command import run

    # Textual draws on the error output.
    at_terminal = all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))
    return run(sys.argv[1:], _interface if at_terminal else None)


def _interface(settings: Settings) -> int:
    from noderag_local.interfaces.cli.safety.ask_passphrase import unlock_at_terminal
    from noderag_local.interfaces.cli.safety.unfinished_forgetting import finish_forgetting
    from noderag_local.interfaces.tui.shell.application import run
    from noderag_local.system.paths import absolute
    from noderag_local.vault.vault import Vault

    # Before the full screen, which takes the terminal over.
    folder = absolute(settings.vault)
    unlock_at_terminal(folder)
    with Vault(folder, settings) as vault:
        finish_forgetting(vault)
    return run(settings)


if __name__ == "__main__":
    main()
