"""Asks a model server which model it serves, how long its context is, and how many tokens a text has."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from noderag_local.domain.errors import ModelError
from noderag_local.models.llm.server.cancellable_socket import Watch
from noderag_local.models.llm.server.server_faults import RequestRefused, ServerBusy, ServerNonsense, ServerRefuses
from noderag_local.models.llm.server.server_http import ServerHttp
from noderag_local.system.printing.plain_text import printable

MODELS = "/v1/models"
ASSUMED_CONTEXT_TOKENS = 4096
"""Context assumed if the server does not say: Ollama's default, and more than the prompts here need."""
NAME_CHARACTERS = 100
BUSY_PAUSE_SECONDS = 0.3
"""Seconds to wait before a server that has too much to do is asked again, if it does not say."""
LISTED = 8
"""Maximum number of models that a message lists."""
_FLEETING = {"created", "permission", "permissions", "object", "status", "loaded", "in_cache"}
"""Fields of a model's entry that change although the model stays the same: vLLM creates times and permissions at each start."""


_Told = TypeVar("_Told")


@dataclass(frozen=True, slots=True)
class ServedModel:
    """The served model that requests are sent to."""

    id: str
    """Id to use in requests; it may contain unprintable characters."""
    name: str
    """Printable name for people, without folders."""
    identity: str
    """The id and a digest of everything that the server says about the model."""
    context_tokens: int
    """Maximum tokens of a prompt and its answer; 0 if the server does not say."""


def served_model(server: ServerHttp, wanted: str, watch: Callable[[], Watch]) -> ServedModel:
    """Returns the model to use on a server.

    Args:
        server: the connection.
        wanted: value of `server_model`; "" for the only one that is served.
        watch: creates the watch of one exchange.

    Raises:
        ModelError: the server fails, or does not serve the model, or serves several and none was chosen.
    """
    entry = _chosen(_entries(server, watch()), wanted, server.address.url)
    model_id = str(entry["id"])
    description = {
        **{name: value for name, value in entry.items() if name not in _FLEETING},
        **_ollama(server, model_id, watch),
    }
    digest = hashlib.sha256(json.dumps(description, sort_keys=True).encode()).hexdigest()[:16]
    return ServedModel(
        id=model_id,
        name=_name(model_id),
        identity=f"{printable(model_id)} served, {digest}",
        context_tokens=_context_tokens(server, entry, watch),
    )


def _entries(server: ServerHttp, watch: Watch) -> list[dict[str, Any]]:
    document = server.json(MODELS, watch)
    entries = document.get("data") if isinstance(document, dict) else None
    if not isinstance(entries, list) or not all(
        isinstance(one, dict) and isinstance(one.get("id"), str) for one in entries
    ):
        raise ServerNonsense(
            f"What listens at {server.address.url} does not list its models at {MODELS}, so it is no OpenAI-compatible "
            "server. Check server_url; for Ollama it ends with the port, without /api."
        )
    return entries


def _chosen(entries: list[dict[str, Any]], wanted: str, url: str) -> dict[str, Any]:
    fitting = [entry for entry in entries if wanted in (entry["id"], _name(entry["id"]))] if wanted else entries
    if len(fitting) == 1:
        return fitting[0]
    there = ", ".join(_name(entry["id"]) for entry in entries[:LISTED]) + (" and more" if len(entries) > LISTED else "")
    if not entries:
        raise ModelError(f"The server at {url} serves no model. Load one into it.")
    if fitting:
        raise ModelError(
            f"The server at {url} serves several models: {there}. Choose one with the setting server_model."
        )
    raise ModelError(f"The server at {url} serves no model {wanted!r}, but {there}. Set server_model to one of these.")


def _name(model_id: str) -> str:
    """Returns the model's name; llama-server and llama-cpp-python use the path of the file as its id."""
    shown = printable(model_id).replace("\n", " ").replace("\t", " ")
    if shown.lower().endswith(".gguf"):
        shown = shown.replace("\\", "/").rpartition("/")[2][: -len(".gguf")]
    return shown[:NAME_CHARACTERS]


def _context_tokens(server: ServerHttp, entry: dict[str, Any], watch: Callable[[], Watch]) -> int:
    """Returns the context length, which vLLM has in the model's entry and llama-server in /props for each slot."""
    in_entry = _count(entry.get("max_model_len"))
    if in_entry:
        return in_entry
    props = _asked(server, "/props", watch)
    settings = props.get("default_generation_settings")
    return _count(settings.get("n_ctx")) if isinstance(settings, dict) else 0


def _ollama(server: ServerHttp, model_id: str, watch: Callable[[], Watch]) -> dict[str, Any]:
    """Returns Ollama's digest of the model's content, since a name such as "qwen:latest" says little."""
    models = _asked(server, "/api/tags", watch).get("models")
    for model in models if isinstance(models, list) else []:
        if isinstance(model, dict) and model.get("name") == model_id and isinstance(model.get("digest"), str):
            return {"digest": model["digest"]}
    return {}


def _asked(server: ServerHttp, path: str, watch: Callable[[], Watch]) -> dict[str, Any]:
    """Returns a document that not all servers have; {} if it is missing."""
    found = _if_there(lambda one: server.json(path, one), watch)
    return found if isinstance(found, dict) else {}


def _if_there(ask: Callable[[Watch], _Told], watch: Callable[[], Watch]) -> _Told | None:
    """Returns what a server tells, None if it does not have it; a server with too much to do is asked again.

    Raises:
        ServerBusy: it had too much to do all the time, so that nobody knows what it has.
        ServerUnreachable, ServerSilent: the server does not answer.
    """
    waiting = watch()
    while True:
        try:
            return ask(watch())
        except ServerBusy as fault:
            if not fault.is_overloaded:
                return None
            if not waiting.left_seconds:
                raise
            time.sleep(min(max(fault.pause_seconds, BUSY_PAUSE_SECONDS), waiting.left_seconds))
        except (RequestRefused, ServerNonsense, ServerRefuses):
            return None


def _count(value: Any) -> int:
    """Returns the value as a number of tokens; 0 if it is not one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


@dataclass(frozen=True, slots=True)
class _Route:
    path: str
    question: Callable[[str, str], dict[str, Any]]
    """Returns the body to POST for a model and a text."""
    count: Callable[[dict[str, Any]], int]
    """Returns the tokens in the reply; raises KeyError or TypeError if it has another shape."""


_ROUTES = (
    # llama-server reads "content", vLLM reads "prompt".
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
    # llama-cpp-python's server; it also counts the token for the start of the text, if the model has one.
    _Route(
        "/extras/tokenize/count", lambda model, text: {"model": model, "input": text}, lambda reply: 0 + reply["count"]
    ),
)


class ServerTokens:
    """Counts with the tokenizer of a served model."""

    def __init__(self, server: ServerHttp, model: str, route: _Route) -> None:
        self._server, self._model, self._route = server, model, route

    def count(self, text: str, watch: Watch) -> int:
        """Returns the tokens of `text`; only llama-cpp-python's server recognises special tokens in it.

        Raises:
            ServerFault: the server does not answer, or answers differently than before.
            Cancelled: the caller has cancelled.
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
    """Returns an object that counts tokens as this server does, or None if the server cannot count.

    Args:
        server: the connection.
        model: id of the model.
        watch: creates the watch of one exchange.

    Raises:
        ServerBusy, ServerUnreachable, ServerSilent: the server does not answer.
    """
    for route in _ROUTES:
        tokens = ServerTokens(server, model, route)
        if _if_there(partial(tokens.count, "a b"), watch):
            return tokens
    return None
