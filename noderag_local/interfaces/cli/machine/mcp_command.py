"""`noderag mcp`: lets another program on this machine read the vault, by the Model Context Protocol."""

from __future__ import annotations

import gc
from importlib.util import find_spec
from typing import Annotated

import typer

from noderag_local.interfaces.cli.options import VaultDir, opened_vault

OnlyFolder = Annotated[
    str | None,
    typer.Option("--folder", metavar="PATH", show_default=False, help="Only documents in this folder, or this file."),
]
OnlyTag = Annotated[
    str | None,
    typer.Option("--tag", metavar="TAG", show_default=False, help="Only documents that contain this tag."),
]


def mcp(folder: OnlyFolder = None, tag: OnlyTag = None, vault: VaultDir = None) -> None:
    """Let another program read the vault (Model Context Protocol).

    The other program starts this command and speaks to it through standard input and output; nothing listens on a port.
    It can search, ask and read, and change nothing. No request can reach outside --folder and --tag. What it reads may
    go to a cloud model: `noderag help mcp`.

    \b
    Examples:
      noderag mcp
      noderag mcp --folder ~/notes/work --tag public
    """
    from noderag_local.domain.errors import SettingsError

    if find_spec("mcp") is None:
        from noderag_local.system.extras import installing

        raise SettingsError(f"`noderag mcp` needs one more package: {installing('mcp')}")
    from noderag_local.interfaces.mcp.limits import fixed_scope

    # The SDK is 600 modules, which the garbage collector would look through again and again: 0.5 s instead of 0.6.
    gc.disable()
    from noderag_local.interfaces.mcp.stdio_server import serve

    gc.enable()
    gc.freeze()
    scope = fixed_scope(folder, tag)
    with opened_vault(vault) as opened:
        # Wrong folders and tags end the command here, where its user reads the message.
        scope = opened.atlas.settled(scope)
        opened.atlas.count_in(scope)
        serve(opened, scope)
