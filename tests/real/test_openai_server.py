"""The engine for a served model, against llama-cpp-python's own server with the smallest model that is installed."""

from __future__ import annotations

import importlib.util
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from noderag_local.config import load_settings
from noderag_local.domain.errors import ModelError
from noderag_local.models.llm.engine import Finish, Message, Request, Role
from noderag_local.models.llm.gguf_files.installed import installed_models
from noderag_local.models.llm.server.openai_server import OpenAIServerEngine
from noderag_local.models.llm.server.server_pool import ServerPool

pytestmark = pytest.mark.real
KEY = "a-key-for-the-test"
START_SECONDS = 300


@pytest.fixture(scope="module")
def small_model() -> Path:
    if importlib.util.find_spec("sse_starlette") is None:
        pytest.skip("llama-cpp-python's server is not installed")
    usable = [model for model in installed_models(load_settings().models_dir) if model.header and not model.problem]
    if not usable:
        pytest.skip("no language model is installed")
    return min(usable, key=lambda model: model.size_bytes).path


@contextmanager
def serving(model: Path, *options: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(model), "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--n_ctx", "2048", "--api_key", KEY, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_for(port, process)
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait()


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(START_SECONDS * 10):
        assert process.poll() is None, "llama_cpp.server ended at once"
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("llama_cpp.server did not start")


@pytest.fixture(scope="module")
def url(small_model: Path) -> Iterator[str]:
    with serving(small_model) as (address, _):
        yield address


@pytest.fixture(scope="module")
def engine(url: str) -> OpenAIServerEngine:
    return OpenAIServerEngine(url, key=KEY)


def request(question: str, max_tokens: int = 16, stop: tuple[str, ...] = ()) -> Request:
    return Request((Message(Role.SYSTEM, "Be brief."), Message(Role.USER, question)), max_tokens, stop)


def test_it_answers_in_pieces(engine: OpenAIServerEngine) -> None:
    stream = engine.stream(request("What is the capital of France?"))
    pieces = list(stream)
    assert "Paris" in "".join(pieces)
    assert len(pieces) > 2
    assert stream.result.finish is Finish.STOP


def test_it_is_cut_where_asked(engine: OpenAIServerEngine) -> None:
    stream = engine.stream(request("Count from one to twenty in words.", 4))
    list(stream)
    assert (stream.result.finish, stream.result.generated_tokens) == (Finish.LENGTH, 4)
    text = "".join(engine.stream(request("Write: red, green, blue", stop=("green",))))
    assert "green" not in text


def test_it_tells_its_model_and_counts(engine: OpenAIServerEngine, small_model: Path) -> None:
    assert engine.name == small_model.stem
    assert engine.counts_exactly
    assert engine.count_many(["one two three", "one"]) == [3, 1]


def test_the_wrong_key_is_told(url: str) -> None:
    with pytest.raises(ModelError, match=r"401.*server_key"):
        list(OpenAIServerEngine(url, key="wrong").stream(request("Hello?")))


def test_a_stop_is_at_once_and_the_next_question_is_answered(engine: OpenAIServerEngine) -> None:
    cancelled = threading.Event()
    stream = engine.stream(request("Tell me a very long story.", 400), cancelled.is_set)
    next(stream)
    cancelled.set()
    list(stream)
    assert stream.result.finish is Finish.CANCELLED
    assert "Paris" in "".join(engine.stream(request("What is the capital of France?")))


def test_many_requests_though_it_turns_to_whoever_asks_last(engine: OpenAIServerEngine) -> None:
    # Its --interrupt_requests is on unless told otherwise: a new request ends the answer that is being written.
    outcomes = list(engine.generate(request(f"Repeat this number: {n}", 8) for n in range(10, 18)))
    assert sorted(outcome.number for outcome in outcomes) == list(range(8))
    assert all(str(10 + outcome.number) in outcome.text for outcome in outcomes), outcomes


def test_too_long_for_its_context_is_an_error_with_a_way_out(engine: OpenAIServerEngine) -> None:
    with pytest.raises(ModelError, match="too long for its context"):
        list(engine.stream(request("word " * 3000)))


def test_one_that_dies_while_it_writes(small_model: Path) -> None:
    with serving(small_model) as (address, process):
        stream = OpenAIServerEngine(address, key=KEY).stream(request("Tell me a very long story.", 400))
        next(stream)
        process.kill()
        with pytest.raises(ModelError, match=address):
            list(stream)


def test_one_that_hangs_while_it_writes(small_model: Path) -> None:
    with serving(small_model) as (address, process):
        stream = OpenAIServerEngine(address, key=KEY, timeout_seconds=300).stream(request("Tell me a long story.", 400))
        next(stream)
        process.send_signal(signal.SIGSTOP)
        started = time.monotonic()
        stream.close()
        assert time.monotonic() - started < 300


def test_two_share_the_work_and_one_takes_over_when_the_other_dies(
    engine: OpenAIServerEngine, small_model: Path
) -> None:
    asked = [request(f"Repeat this number: {n}", 8) for n in range(10, 16)]
    alone = {outcome.number: outcome.text for outcome in engine.generate(asked)}
    with serving(small_model) as (dying, process):
        both = ServerPool([partial(OpenAIServerEngine, address, key=KEY) for address in (engine.url, dying)], 1)
        shared = {}
        for outcome in both.generate(asked):
            shared[outcome.number] = outcome.text
            if len(shared) == 2:
                process.kill()
        both.close()
    assert shared == alone
