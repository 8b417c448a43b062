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
    url, optional = server.address.url, _OptionalRoutes(server, watch)
    entry = _chosen(_entries(server, watch()), wanted, url)
    # Asked first: a server that is loading its model says so here, and still says little about the model elsewhere.
    context_tokens = _context_tokens(entry, optional)
    digest_of_content = _ollama(entry["id"], optional)
    if optional.has_waited:
        entry = _chosen(_entries(server, watch()), wanted, url)
    description = {**{name: value for name, value in entry.items() if name not in _FLEETING}, **digest_of_content}
    digest = hashlib.sha256(json.dumps(description, sort_keys=True).encode()).hexdigest()[:16]
    return ServedModel(
        id=entry["id"],
        name=_name(entry["id"]),
        identity=f"{printable(entry['id'])} served, {digest}",
        context_tokens=context_tokens,
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


class _OptionalRoutes:
    """Asks a server for what not all servers have; waits a while, in all, if it has too much to do."""

    def __init__(self, server: ServerHttp, watch: Callable[[], Watch]) -> None:
        self._server, self._watch = server, watch
        self._waiting = watch()
        self.has_waited = False

    def document(self, path: str, *, is_rare: bool = False) -> dict[str, Any]:
        """Returns a document; {} if it is missing. See `answer`."""
        found = self.answer(lambda one: self._server.json(path, one), is_rare=is_rare)
        return found if isinstance(found, dict) else {}

    def answer(self, ask: Callable[[Watch], _Told], *, is_rare: bool) -> _Told | None:
        """Returns what a server tells; None if it does not have it.

        Args:
            ask: makes one exchange.
            is_rare: whether few servers have it. One that has too much to do all the time is then taken to lack it, since some
                answer so at every path that they do not know.

        Raises:
            ServerBusy: the server answers all the time that it has too much to do.
            ServerUnreachable, ServerSilent: the server does not answer.
        """
        while True:
            try:
                return ask(self._watch())
            except ServerBusy as fault:
                if not fault.is_overloaded or (is_rare and not self._waiting.left_seconds):
                    return None
                if not self._waiting.left_seconds:
                    raise
                self.has_waited = True
                time.sleep(min(max(fault.pause_seconds, BUSY_PAUSE_SECONDS), self._waiting.left_seconds))
            except (RequestRefused, ServerNonsense, ServerRefuses):
                return None


def _context_tokens(entry: dict[str, Any], optional: _OptionalRoutes) -> int:
    """Returns the context length, which vLLM has in the model's entry and llama-server in /props for each slot."""
    in_entry = _count(entry.get("max_model_len"))
    if in_entry:
        return in_entry
    settings = optional.document("/props").get("default_generation_settings")
    return _count(settings.get("n_ctx")) if isinstance(settings, dict) else 0


def _ollama(model_id: str, optional: _OptionalRoutes) -> dict[str, Any]:
    """Returns Ollama's digest of the model's content, since a name such as "qwen:latest" says little."""
    models = optional.document("/api/tags", is_rare=True).get("models")
    for model in models if isinstance(models, list) else []:
        if isinstance(model, dict) and model.get("name") == model_id and isinstance(model.get("digest"), str):
            return {"digest": model["digest"]}
    return {}


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
    is_rare: bool
    """Whether few servers have it."""


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
        is_rare=False,
    ),
    # llama-cpp-python's server; it also counts the token for the start of the text, if the model has one.
    _Route(
        "/extras/tokenize/count",
        lambda model, text: {"model": model, "input": text},
        lambda reply: 0 + reply["count"],
        is_rare=True,
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
        ServerBusy: the server answers all the time that it has too much to do.
        ServerUnreachable, ServerSilent: the server does not answer.
    """
    optional = _OptionalRoutes(server, watch)
    for route in _ROUTES:
        tokens = ServerTokens(server, model, route)
        if optional.answer(partial(tokens.count, "a b"), is_rare=route.is_rare):
            return tokens
    return None
