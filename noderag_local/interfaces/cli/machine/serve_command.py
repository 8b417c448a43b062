"""`noderag serve`: lets other programs on this machine ask, search and embed, over HTTP."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from noderag_local.interfaces.cli.machine.mcp_command import OnlyFolder, OnlyTag
from noderag_local.interfaces.cli.options import VaultDir, opened_vault

PORT = 8754
Port = Annotated[
    int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port on loopback; 0 takes a free one.")
]
Socket = Annotated[
    Path | None,
    typer.Option(
        "--socket", metavar="PATH", show_default=False, help="Listen on a Unix socket instead, without a token."
    ),
]
NewToken = Annotated[
    bool,
    typer.Option(
        "--new-token", help="Make a new token; the old one stays good for servers that run already, until they end."
    ),
]


def serve(
    port: Port = PORT,
    socket: Socket = None,
    new_token: NewToken = False,
    folder: OnlyFolder = None,
    tag: OnlyTag = None,
    vault: VaultDir = None,
) -> None:
    """Let programs on this machine ask and search over HTTP.

    It has OpenAI's chat completions, models and embeddings, and a search. It listens on loopback with a token, or on a
    Unix socket, until Ctrl-C. It changes nothing, and no request reaches outside --folder and --tag.

    \b
    Examples:
      noderag serve
      noderag serve --folder ~/notes/work --port 0
      noderag serve --socket ~/.noderag.socket
    """
    from noderag_local.domain.errors import SettingsError
    from noderag_local.interfaces.cli.failures import say
    from noderag_local.interfaces.mcp.limits import fixed_scope
    from noderag_local.system.paths import absolute

    if find_spec("uvicorn") is None or find_spec("starlette") is None:
        from noderag_local.system.extras import installing

        raise SettingsError(f"`noderag serve` needs more packages: {installing('serve')}")
    from noderag_local.interfaces.http import listening as at
    from noderag_local.interfaces.http.loopback import LOOPBACK, on_loopback

    scope = fixed_scope(folder, tag)
    with opened_vault(vault) as opened:
        # Wrong folders and tags end the command here, where its user reads the message.
        scope = opened.atlas.settled(scope)
        opened.atlas.count_in(scope)
        if socket is not None:
            path = absolute(socket)
            with at.on_unix_socket(path) as listening:
                say(f"Listening on {path}. Ctrl-C ends it.")
                at.serve(opened, scope, listening, "")
            path.unlink(missing_ok=True)
            return
        token, file = at.kept_token(new=new_token)
        with on_loopback(port) as listening:
            say(f"Listening on http://{LOOPBACK}:{listening.getsockname()[1]}/v1. Ctrl-C ends it.")
            say(f"The token, which programs call the API key, is in {file}.")
            at.serve(opened, scope, listening, token)
