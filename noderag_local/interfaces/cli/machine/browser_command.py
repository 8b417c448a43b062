"""`noderag browser`: the terminal interface in a browser on this machine."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

import typer

from noderag_local.interfaces.cli.options import VaultDir, opened_vault

Port = Annotated[
    int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port on loopback; 0 chooses a free one.")
]


def browser(port: Port = 0, vault: VaultDir = None) -> None:
    """Show the interface in a browser on this machine.

    It listens on loopback until Ctrl-C and prints an address with a random key that is new each time. Whoever knows the address can do what you can do in the interface.

    Example: noderag browser
    """
    from noderag_local.config import load_settings
    from noderag_local.domain.errors import SettingsError
    from noderag_local.interfaces.cli.failures import say
    from noderag_local.interfaces.http.loopback import on_loopback
    from noderag_local.storage.encryption.unlock import unlock
    from noderag_local.system.paths import absolute

    if find_spec("textual_serve") is None:
        from noderag_local.system.extras import installing

        raise SettingsError(f"`noderag browser` needs more packages: {installing('browser')}")
    from noderag_local.interfaces.browser.page_server import PageServer

    folder = absolute(load_settings(vault=vault).vault)
    # The pages' processes have no terminal to ask for a passphrase, so this comes before the vault is opened.
    unlock(folder)
    with opened_vault(folder):
        pass
    with on_loopback(port) as listening:
        server = PageServer(folder, listening)
        say(f"Open {server.address} in a browser on this machine. Ctrl-C ends it.")
        server.run()
