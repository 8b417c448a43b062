"""`noderag ui`: the terminal interface, which `noderag` alone opens as well."""

from __future__ import annotations

import typer

from noderag_local.interfaces.cli.options import VaultDir


def ui(context: typer.Context, vault: VaultDir = None) -> None:
    """Open the terminal interface; `noderag` alone does the same.

    Example: noderag ui --vault ~/work-vault
    """
    from noderag_local.config import load_settings

    open_interface = context.obj
    if open_interface is None:
        raise typer.BadParameter(
            "The interface needs a terminal for its input, output and errors. For programs: noderag ask --json."
        )
    raise typer.Exit(open_interface(load_settings(vault=vault)))
