"""Asks a server to count tokens. OpenAI's interface has no way to ask; two kinds of servers have their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from noderag_local.models.llm.server.cancellable_socket import Watch
from noderag_local.models.llm.server.server_faults import RequestRefused, ServerBusy, ServerNonsense, ServerRefuses
from noderag_local.models.llm.server.server_http import ServerHttp


@dataclass(frozen=True, slots=True)
class _Route:
    path: str
    question: Callable[[str, str], dict[str, Any]]
    """(model, text) -> what to POST."""
    count: Callable[[dict[str, Any]], int]
    """Tokens of the reply; KeyError or TypeError where it has another shape."""


_ROUTES = (
    # llama-server and vLLM: the one reads "content", the other "prompt".
    _Route(
        "/tokenize",
        lambda model, text: {
            "model": model,
            "content": text,
            "prompt": text,
            "add_special": False,
            "add_special_tokens": False,
            "parse_special": False,
        },
        lambda reply: len(reply["tokens"]),
    ),
    # llama-cpp-python's own; it counts a token for the start of the text too, where the model wants one.
    _Route(
        "/extras/tokenize/count", lambda model, text: {"model": model, "input": text}, lambda reply: 0 + reply["count"]
    ),
)


class ServerTokens:
    """Counts with the tokenizer of a served model."""

    def __init__(self, server: ServerHttp, model: str, route: _Route) -> None:
        self._server, self._model, self._route = server, model, route

    def count(self, text: str, watch: Watch) -> int:
        """Counts the tokens of `text`; llama-cpp-python's server reads special tokens in it as such, the others do not.

        Raises:
            ServerFault: the server does not answer, or not as it did before.
            Cancelled: as the watch says.
        """
        reply = self._server.json(self._route.path, watch, self._route.question(self._model, text))
        try:
            return self._route.count(reply)
        except (KeyError, TypeError) as error:
            raise ServerNonsense(
                f"The model server at {self._server.address.url} no longer counts tokens at {self._route.path}. "
                "Was it replaced by another? Try again."
            ) from error


def server_tokens(server: ServerHttp, model: str, watch: Callable[[], Watch]) -> ServerTokens | None:
    """Returns the way in which this server counts tokens, or None when it cannot.

    Args:
        server: the connection.
        model: id of the model.
        watch: makes the watch of one exchange.

    Raises:
        ServerUnreachable, ServerSilent: the server does not answer at all.
    """
    for route in _ROUTES:
        tokens = ServerTokens(server, model, route)
        try:
            if tokens.count("a b", watch()) > 0:
                return tokens
        except (RequestRefused, ServerBusy, ServerNonsense, ServerRefuses):
            continue
    return None
