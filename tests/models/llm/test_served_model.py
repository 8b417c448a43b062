"""A model server that is busy when it is opened is asked again for its context, its tokenizer and its models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, repeat

import pytest
from helpers.model_server import Exchange, ModelServer, serving

from noderag_local.models.llm.engine import never
from noderag_local.models.llm.server.cancellable_socket import Watch
from noderag_local.models.llm.server.served_model import served_model, server_tokens
from noderag_local.models.llm.server.server_address import resolve_server
from noderag_local.models.llm.server.server_faults import ServerBusy
from noderag_local.models.llm.server.server_http import ServerHttp

WAITING_SECONDS = 0.1
PATIENCE_SECONDS = 300.0


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving() as site:
        yield site


def http(server: ModelServer) -> ServerHttp:
    return ServerHttp(resolve_server(server.url, False))


def watches() -> Callable[[], Watch]:
    """The first watch is that of all the waiting, the others those of an exchange each."""
    seconds = chain([WAITING_SECONDS], repeat(PATIENCE_SECONDS))
    return lambda: Watch(never, next(seconds))


def busy(exchange: Exchange) -> None:
    exchange.send_document({"error": "Loading model"}, 503)


def test_one_that_is_always_busy_at_rare_paths_does_not_have_them(server: ModelServer) -> None:
    server.routes |= {"/api/tags": busy, "/extras/tokenize/count": busy}
    assert served_model(http(server), "", watches()).id == "fake"
    assert server_tokens(http(server), "fake", watches()) is None


@pytest.mark.parametrize("path", ["/props", "/tokenize"])
def test_one_that_is_always_busy_elsewhere_cannot_be_used(server: ModelServer, path: str) -> None:
    server.routes[path] = busy
    with pytest.raises(ServerBusy, match="Loading model"):
        served_model(http(server), "", watches())
        server_tokens(http(server), "fake", watches())
