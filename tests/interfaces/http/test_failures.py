"""Requests that fail: what the other program is told."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

pytest.importorskip("starlette")

from noderag_local.domain.passages import Scope
from noderag_local.interfaces.http.application import application
from noderag_local.interfaces.http.gate import MOST_REQUESTS, Gate
from noderag_local.interfaces.mcp.vault_worker import VaultWorker
from noderag_local.vault.vault import Vault


class BrokenWorker:
    """Fails by a bug in all work."""

    async def run(self, work: Callable[..., object], report: Callable[..., object]) -> object:
        raise RuntimeError("secret")


class SlowWorker:
    """Never ends its work."""

    async def run(self, work: Callable[..., object], report: Callable[..., object]) -> object:
        await asyncio.Event().wait()
        raise AssertionError


def told(body: dict[str, Any], *, worker: object = None, then_leaves: bool = False) -> tuple[int, str]:
    """Returns the status and the text of the application's answer to a chat completion."""
    sent: list[dict[str, Any]] = []
    waiting = [{"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}]

    async def receive() -> dict[str, Any]:
        if waiting:
            return waiting.pop()
        if then_leaves:
            return {"type": "http.disconnect"}
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    vault = SimpleNamespace(atlas=SimpleNamespace(within=lambda _: None))
    served = application(cast(Vault, vault), Scope(), cast(VaultWorker, worker or BrokenWorker()))
    http = {"type": "http", "method": "POST", "path": "/v1/chat/completions", "headers": [], "query_string": b""}
    asyncio.run(served(http, receive, cast(Any, send)))
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent).decode()


def chat(text: str, *, stream: bool = True) -> dict[str, Any]:
    return {"model": "noderag", "messages": [{"role": "user", "content": text}], "stream": stream}


def test_a_bug_ends_a_stream_with_an_error() -> None:
    status, text = told(chat("Who is Ann?"))
    assert status == 200
    event = json.loads(text.removeprefix("data: "))
    assert "RuntimeError" in event["error"]["message"]
    assert "secret" not in text


def test_a_question_that_is_refused_is_no_bug_of_the_server() -> None:
    status, text = told(chat(" "))
    assert status == 400
    assert json.loads(text)["error"]["message"]


def test_a_program_that_leaves_is_no_bug(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        assert told(chat("Who is Ann?", stream=False), worker=SlowWorker(), then_leaves=True) == (499, "")
    assert not [one for one in caplog.records if one.name.startswith("noderag_local")]


def test_too_many_requests_at_a_time_are_refused_as_the_api_refuses() -> None:
    async def statuses() -> list[int]:
        sent = list[int]()
        freed = asyncio.Event()

        async def waits(scope: object, receive: object, send: object) -> None:
            await freed.wait()

        async def send(message: dict[str, Any]) -> None:
            sent.append(message.get("status", 0))

        gate = Gate(waits, "", ())
        http = {"type": "http", "headers": []}
        running = [asyncio.create_task(gate(http, cast(Any, None), cast(Any, send))) for _ in range(MOST_REQUESTS)]
        await asyncio.sleep(0)
        await gate(http, cast(Any, None), cast(Any, send))
        freed.set()
        await asyncio.gather(*running)
        return sent

    assert asyncio.run(statuses()) == [503, 0]
