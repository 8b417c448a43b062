"""Opens the engine for the model server, or the servers, that the settings name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from noderag_local.config import Settings
from noderag_local.models.llm.server.openai_server import START_SECONDS, OpenAIServerEngine
from noderag_local.models.llm.server.server_pool import ServerPool


def server_addresses(settings: Settings) -> list[str]:
    """Returns the addresses in `server_url`, each once, in their order."""
    return list(dict.fromkeys(settings.server_url.split())) or [settings.server_url]


def opening(settings: Settings, start_seconds: float = START_SECONDS) -> list[Callable[[], OpenAIServerEngine]]:
    """Returns a function for each address that opens its server, and raises the errors of OpenAIServerEngine.

    Args:
        settings: settings with the addresses.
        start_seconds: maximum seconds for each of the first queries to a server.
    """
    return [
        partial(
            OpenAIServerEngine,
            address,
            model=settings.server_model,
            key=settings.server_key.get_secret_value(),
            private_network=settings.server_private_network,
            concurrency=settings.server_concurrency,
            timeout_seconds=settings.server_timeout_seconds,
            start_seconds=start_seconds,
        )
        for address in server_addresses(settings)
    ]


def server_engine(settings: Settings) -> OpenAIServerEngine | ServerPool:
    """Returns the engine for what `server_url` names, which must be set.

    Raises:
        SettingsError, ModelError: as for OpenAIServerEngine and ServerPool.
    """
    servers = opening(settings)
    return servers[0]() if len(servers) == 1 else ServerPool(servers, settings.server_concurrency)
