"""The routes: chat completions, models, embeddings and search over one vault and one scope."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from noderag_local.domain.errors import LayerMissing, NoderagError, NotFound, SettingsError
from noderag_local.domain.passages import Scope
from noderag_local.generation.answering import Answer
from noderag_local.interfaces.http.answers import ChatCompletion, embedding_list
from noderag_local.interfaces.http.gate import TooLarge, failure
from noderag_local.interfaces.http.requests import MODEL, ChatRequest, EmbeddingRequest
from noderag_local.interfaces.mcp.note_tools import NoteTools
from noderag_local.interfaces.mcp.tool_arguments import SearchArguments
from noderag_local.interfaces.mcp.vault_worker import VaultWorker
from noderag_local.system import offline
from noderag_local.system.printing.plain_text import printable_values
from noderag_local.system.printing.value_problems import problem_in_words
from noderag_local.vault.vault import Vault

_log = logging.getLogger(__name__)

Given = TypeVar("Given", bound=BaseModel)
T = TypeVar("T")
Tell = Callable[[str], None]
Cancelled = Callable[[], bool]


def application(vault: Vault, scope: Scope, worker: VaultWorker) -> Starlette:
    """Returns the application; its caller wraps it in a `Gate`."""
    served = _Served(vault, scope, worker)
    routes = [
        Route("/v1/chat/completions", served.chat, methods=["POST"]),
        Route("/v1/models", served.models),
        Route("/v1/models/{name}", served.models),
        Route("/v1/embeddings", served.embeddings, methods=["POST"]),
        Route("/v1/search", served.search, methods=["POST"]),
    ]
    # Starlette raises an error again after the handler of Exception, so known ones have a handler of their own.
    handlers = {HTTPException: _unknown, NoderagError: _refused, ClientDisconnect: _gone, Exception: _failed}
    return Starlette(routes=routes, exception_handlers=handlers)


class _Served:
    """Answers requests; only the worker's thread uses the vault."""

    def __init__(self, vault: Vault, scope: Scope, worker: VaultWorker) -> None:
        self._vault = vault
        self._scope = scope
        self._worker = worker
        self._tools = NoteTools(vault, scope)

    async def models(self, request: Request) -> Response:
        model = {"id": MODEL, "object": "model", "created": 0, "owned_by": "noderag"}
        name = request.path_params.get("name")
        if name is None:
            return JSONResponse({"object": "list", "data": [model]})
        return (
            JSONResponse(model) if name == MODEL else failure(404, f"There is no such model; the only one is {MODEL}.")
        )

    async def search(self, request: Request) -> Response:
        given = await _given(request, SearchArguments)
        found = await self._run(request, lambda tell, cancelled: self._tools.call(given, tell, cancelled))
        return JSONResponse(printable_values(found))

    async def embeddings(self, request: Request) -> Response:
        given = await _given(request, EmbeddingRequest)
        vectors = await self._run(request, lambda tell, cancelled: self._vault.embeddings(given.texts))
        return JSONResponse(embedding_list(given, vectors, given.model))

    async def chat(self, request: Request) -> Response:
        given = await _given(request, ChatRequest)
        work = partial(self._answer, given, given.question())
        if given.stream:
            return StreamingResponse(self._events(request, work), media_type="text/event-stream")
        return JSONResponse(ChatCompletion().whole(await self._run(request, work)))

    def _answer(self, given: ChatRequest, question: str, tell: Tell, cancelled: Cancelled) -> Answer:
        self._tools.check_scope()
        stream = self._vault.ask(question, earlier=given.earlier(), scope=self._scope, cancelled=cancelled)
        for piece in stream:
            tell(piece)
        return stream.result

    async def _events(self, request: Request, work: Callable[[Tell, Cancelled], Answer]) -> AsyncIterator[bytes]:
        """Yields the events of an answer; an error is the last one, since the status has been sent."""
        completion, pieces = ChatCompletion(), asyncio.Queue[str | None]()
        running = asyncio.create_task(self._run(request, work, pieces.put_nowait))
        running.add_done_callback(lambda _: pieces.put_nowait(None))
        try:
            is_first = True
            while (piece := await pieces.get()) is not None:
                yield completion.piece(piece, is_first=is_first)
                is_first = False
            yield completion.last(running.result())
        except (NoderagError, HTTPException) as error:
            yield b"data: " + bytes(_response_to(error).body) + b"\n\n"
        except ClientDisconnect:
            return
        except Exception as error:  # noqa: BLE001 - the status has been sent, so only an event can tell of the bug
            yield b"data: " + bytes(_unforeseen(error).body) + b"\n\n"
        finally:
            running.cancel()

    async def _run(self, request: Request, work: Callable[[Tell, Cancelled], T], tell: Tell = lambda _: None) -> T:
        """Does work in the vault's thread, after what came before; stops it when the other program leaves."""

        async def report(step: float, of: float | None, told: str | None) -> None:
            tell(told or "")

        working = asyncio.create_task(self._worker.run(work, report))
        leaving = asyncio.create_task(_left(request))
        try:
            await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                raise ClientDisconnect
            result = working.result()
        except NoderagError as error:
            _log.error("a request could not be answered", exc_info=error)
            raise HTTPException(_status(error), str(error)) from error
        finally:
            working.cancel()
            leaving.cancel()
        offline.raise_for_violations()
        return result


async def _left(request: Request) -> None:
    """Waits until the other program closes the connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _given(request: Request, kind: type[Given]) -> Given:
    """Returns what a request asks for.

    Raises:
        HTTPException: it is no JSON, or not what the route takes; the message does not quote it.
    """
    try:
        return kind.model_validate_json(await request.body())
    except TooLarge:
        raise HTTPException(413, "The request is too large.") from None
    except ValidationError as error:
        told = (
            f"{'.'.join(map(str, one['loc'])) or 'body'}: {problem_in_words(one)}"
            for one in error.errors(include_input=False)
        )
        raise HTTPException(400, f"Wrong request. {'; '.join(told)}"[:1000]) from None


def _status(error: NoderagError) -> int:
    match error:
        case NotFound():
            return 404
        case SettingsError() | LayerMissing():
            return 400
    return 503


async def _unknown(request: Request, error: Exception) -> Response:
    return _response_to(error)


def _response_to(error: Exception) -> JSONResponse:
    if isinstance(error, HTTPException):
        return failure(error.status_code, error.detail)
    return failure(400, str(error))


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, NoderagError)
    return failure(_status(error), str(error))


async def _gone(request: Request, error: Exception) -> Response:
    # Nobody reads it; 499 is what nginx calls a client that left.
    return Response(status_code=499)


async def _failed(request: Request, error: Exception) -> Response:
    return _unforeseen(error)


def _unforeseen(error: Exception) -> JSONResponse:
    _log.critical("an error that no one foresaw", exc_info=error)
    return failure(
        500, f"noderag failed because of a bug: {type(error).__name__}. Start it with --log FILE to see more."
    )
