"""Listens on loopback or on a Unix socket, and keeps the token that other programs have to send."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_urlsafe

import uvicorn

from noderag_local.domain.errors import SettingsError, SourceError
from noderag_local.domain.passages import Scope
from noderag_local.interfaces.http.application import application
from noderag_local.interfaces.http.connection import Connection
from noderag_local.interfaces.http.gate import Gate
from noderag_local.interfaces.http.loopback import LOOPBACK, host_headers
from noderag_local.interfaces.mcp.vault_worker import VaultWorker
from noderag_local.storage.database.state_folder import state_folder
from noderag_local.system.disk.private_files import FILE_MODE, make_private_folder, write_private
from noderag_local.system.log.running import keep_off_error_output
from noderag_local.vault.vault import Vault

TOKEN_NAME = "serve.token"
LEAVING_SECONDS = 3
"""Time that requests have to end after Ctrl-C."""


def kept_token(*, new: bool) -> tuple[str, Path]:
    """Returns the token and its file, which only the user can read; it stays the same until a new one is wanted.

    Raises:
        SourceError: the file cannot be read or written.
    """
    path = state_folder() / TOKEN_NAME
    try:
        if not new:
            with suppress(FileNotFoundError, UnicodeDecodeError):
                token = path.read_text(encoding="ascii").strip()
                if len(token) >= 32:
                    return token, path
        make_private_folder(path.parent)
        token = token_urlsafe(32)
        write_private(path, token + "\n")
    except OSError as error:
        raise SourceError(
            f"The token cannot be kept in {path}: {error.strerror or error}. Name another folder with NODERAG_STATE."
        ) from error
    return token, path


def on_unix_socket(path: Path) -> socket.socket:
    """Returns a socket that listens at a path, for the user alone; what another server left there is replaced.

    Raises:
        SettingsError: the path cannot be used, or something else lies there.
    """
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        if path.is_socket():
            _refuse_used(path)
            path.unlink()
        listening.bind(str(path))
        path.chmod(FILE_MODE)
        listening.listen()
    except OSError as error:
        listening.close()
        raise SettingsError(
            f"{path} cannot be a socket: {error.strerror or error}. Choose another path with --socket."
        ) from error
    finally:
        os.umask(before)
    return listening


def serve(vault: Vault, scope: Scope, listening: socket.socket, token: str) -> None:
    """Answers requests until Ctrl-C or SIGTERM comes.

    Args:
        vault: the vault to read.
        scope: what requests can reach.
        listening: a socket that listens already.
        token: what requests must send; "" where the file system guards the socket.
    """
    asyncio.run(_serve(vault, scope, listening, token))


async def _serve(vault: Vault, scope: Scope, listening: socket.socket, token: str) -> None:
    hosts = set[str]()
    if listening.family == socket.AF_INET:
        port = listening.getsockname()[1]
        hosts = {header for name in (LOOPBACK, "localhost") for header in host_headers(name, port)}
    worker = VaultWorker()
    keep_off_error_output("uvicorn", "asyncio")
    # No line of a request reaches a log.
    config = uvicorn.Config(
        Gate(application(vault, scope, worker), token, hosts),
        access_log=False,
        log_config=None,
        server_header=False,
        lifespan="off",
        http=Connection,
        timeout_graceful_shutdown=LEAVING_SECONDS,
        ws="none",
        proxy_headers=False,
    )
    server = _Server(config)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, server.end)
    try:
        await server.serve(sockets=[listening])
    finally:
        worker.close()


class _Server(uvicorn.Server):
    """A server that a signal ends in good order; uvicorn's own raises the signal again when it has ended."""

    def end(self) -> None:
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _refuse_used(path: Path) -> None:
    """Raises an error if a server answers at a socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as tried:
        try:
            tried.connect(str(path))
        except OSError:
            return
    raise SettingsError(f"Another server uses {path}. Choose another path with --socket.")
