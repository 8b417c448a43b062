"""`noderag serve` as another program sees it: what it answers, and whom it refuses."""

from __future__ import annotations

import base64
import http.client
import json
import os
import re
import signal
import socket
import stat
import struct
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from helpers.mcp_notes import NOTES, SECRETS

from noderag_local.interfaces.cli.run_command import run

pytest.importorskip("uvicorn")

PATIENCE_SECONDS = 60


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Not to be written to."""
    folder = tmp_path_factory.mktemp("http")
    for name, text in NOTES.items():
        path = folder / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as variables:
        variables.setenv("NODERAG_SETTINGS", str(folder / "none.toml"))
        variables.setenv("NODERAG_MODELS_DIR", str(folder))
        assert run(["index", str(folder / "notes"), "--vault", str(folder / "vault")]) == 0
    return folder / "vault"


@dataclass(frozen=True)
class Server:
    port: int
    token: str

    def ask(self, path: str, body: object = None, *, raw: bytes | None = None, **headers: str) -> tuple[int, Any]:
        """Status and document; a header of the value "" is left out."""
        given = {
            "Authorization": f"Bearer {self.token}",
            **{name.replace("_", "-"): text for name, text in headers.items()},
        }
        content = raw if raw is not None else None if body is None else json.dumps(body).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        try:
            wanted = {name: text for name, text in given.items() if text}
            connection.request("GET" if content is None else "POST", path, content, wanted)
            answer = connection.getresponse()
            text = answer.read().decode()
            return answer.status, json.loads(text) if text.startswith("{") else text
        finally:
            connection.close()


@contextmanager
def serving(vault: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process, and what it says first."""
    command = [sys.executable, "-m", "noderag_local", "serve", "--vault", str(vault), *options]
    variables = {**os.environ, "NODERAG_MODELS_DIR": str(vault.parent)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=variables) as process:
        try:
            assert process.stderr is not None
            yield process, process.stderr.readline()
        finally:
            process.kill()


@contextmanager
def on_loopback(vault: Path, *options: str) -> Iterator[Server]:
    with serving(vault, "--port", "0", *options) as (process, said):
        port = re.search(r"http://127\.0\.0\.1:(\d+)/v1", said)
        assert port is not None and process.stderr is not None
        (file,) = re.findall(r" is in (.+)\.$", process.stderr.readline())
        assert stat.S_IMODE(Path(file).stat().st_mode) == 0o600
        server = Server(int(port[1]), Path(file).read_text(encoding="ascii").strip())
        assert server.ask("/v1/models")[0] == 200
        yield server
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_SECONDS) == 0


@pytest.fixture(scope="module")
def server(vault: Path) -> Iterator[Server]:
    with on_loopback(vault) as started:
        yield started


def chat(text: str, **more: object) -> dict[str, object]:
    return {"model": "noderag", "messages": [{"role": "user", "content": text}], **more}


def test_a_completion_names_its_sources(server: Server) -> None:
    status, told = server.ask("/v1/chat/completions", chat("When does Ana Lucas plant the pear trees?"))
    assert status == 200
    (choice,) = told["choices"]
    text, marks = choice["message"]["content"], choice["message"]["annotations"]
    assert "pear trees" in text
    assert marks and all(mark["url_citation"]["url"].startswith("file:///") for mark in marks)
    for mark in (one["url_citation"] for one in marks):
        assert re.fullmatch(r"(\[\d+\])?", text[mark["start_index"] : mark["end_index"]])
    assert told["noderag"]["passages"][0]["place"]


def test_the_pieces_of_a_stream_are_the_answer(server: Server) -> None:
    question = "When does Ana Lucas plant the pear trees?"
    _, whole = server.ask("/v1/chat/completions", chat(question))
    status, text = server.ask("/v1/chat/completions", chat(question, stream=True))
    events = [line.removeprefix("data: ") for line in text.splitlines() if line]
    assert (status, events[-1]) == (200, "[DONE]")
    chunks = [json.loads(event)["choices"][0] for event in events[:-1]]
    written = "".join(chunk["delta"].get("content", "") for chunk in chunks)
    assert written.strip() == whole["choices"][0]["message"]["content"].strip()
    assert chunks[0]["delta"]["role"] == "assistant"
    assert chunks[-1]["finish_reason"] == "stop"
    assert chunks[-1]["delta"]["annotations"] == whole["choices"][0]["message"]["annotations"]


def test_vectors_as_numbers_and_in_base64(server: Server) -> None:
    asked = {"model": "any", "input": ["a pear tree", "a bet"]}
    _, plain = server.ask("/v1/embeddings", asked)
    _, packed = server.ask("/v1/embeddings", {**asked, "encoding_format": "base64"})
    for one, other in zip(plain["data"], packed["data"], strict=True):
        unpacked = struct.unpack(f"<{len(one['embedding'])}f", base64.b64decode(other["embedding"]))
        assert list(unpacked) == pytest.approx(one["embedding"])
        assert sum(value * value for value in unpacked) == pytest.approx(1, abs=1e-3)


def test_models_and_search(server: Server) -> None:
    assert [one["id"] for one in server.ask("/v1/models")[1]["data"]] == ["noderag"]
    assert server.ask("/v1/models/gpt-4")[0] == 404
    status, found = server.ask("/v1/search", {"query": "pear trees", "limit": 1})
    assert status == 200
    assert "pear trees" in found["passages"][0]["text"]


def test_a_file_name_that_is_no_utf_8(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    try:
        Path(os.fsdecode(os.fsencode(tmp_path / "notes") + b"/caf\xe9.md")).write_text("Ana plants the pear trees.\n")
    except OSError:
        pytest.skip("the file system refuses it")
    assert run(["index", str(tmp_path / "notes"), "--vault", str(tmp_path / "vault")]) == 0
    with on_loopback(tmp_path / "vault") as own:
        found = own.ask("/v1/search", {"query": "pear trees"})
        assert (found[0], Path(found[1]["passages"][0]["path"]).name) == (200, "caf\ufffd.md")
        status, told = own.ask("/v1/chat/completions", chat("Who plants the pear trees?"))
        assert status == 200 and "pear trees" in told["choices"][0]["message"]["content"]


REFUSED: list[tuple[int, dict[str, str]]] = [
    (401, {"Authorization": ""}),
    (401, {"Authorization": "Bearer wrong"}),
    (401, {"Authorization": "Bearer \xff"}),
    (403, {"Host": "evil.example"}),
    (403, {"Host": "evil.example:80"}),
    (403, {"Origin": "http://evil.example"}),
    (403, {"Origin": "null"}),
    (403, {"Sec_Fetch_Site": "cross-site"}),
]


def test_the_scheme_of_the_token_is_needed_in_any_case(server: Server) -> None:
    for given, status in (("bearer ", 200), ("BEARER  ", 200), ("", 401), ("Basic ", 401), ("Bearer", 401)):
        assert server.ask("/v1/models", Authorization=f"{given}{server.token}")[0] == status, given


@pytest.mark.parametrize(("status", "headers"), REFUSED, ids=str)
def test_who_is_refused(server: Server, status: int, headers: dict[str, str]) -> None:
    for path, body in (("/v1/models", None), ("/v1/search", {"query": "pear"}), ("/nothing", None)):
        told = server.ask(path, body, **headers)
        assert (told[0], "error" in told[1]) == (status, True)
        assert "pear" not in json.dumps(told[1])


WRONG: list[tuple[str, bytes, int]] = [
    ("/v1/search", b"", 400),
    ("/v1/search", b"{", 400),
    ("/v1/search", b"\xff\xfe", 400),
    ("/v1/search", b"[" * 100_000, 400),
    ("/v1/search", b'{"query": "x", "folder": "/"}', 400),
    ("/v1/search", b'{"query": "' + b"x" * 3000 + b'"}', 400),
    ("/v1/search", b" " * (2 << 20), 413),
    ("/v1/chat/completions", b'{"model": "gpt-4", "messages": [{"role": "user", "content": "x"}]}', 400),
    ("/v1/chat/completions", b'{"model": "noderag", "messages": []}', 400),
    ("/v1/chat/completions", b'{"model": "noderag", "messages": [{"role": "assistant", "content": "x"}]}', 400),
    ("/v1/chat/completions", b'{"model": "noderag", "messages": [{"role": "user", "content": " "}]}', 400),
    ("/v1/embeddings", b'{"model": "x", "input": []}', 400),
    ("/v1/models", b"{}", 405),
    ("/v1/nothing", b"{}", 404),
]


@pytest.mark.parametrize(("path", "content", "status"), WRONG, ids=range(len(WRONG)))
def test_wrong_requests(server: Server, path: str, content: bytes, status: int) -> None:
    try:
        told = server.ask(path, raw=content)
    except (BrokenPipeError, ConnectionResetError):
        # Refused by its length, before all of it was sent.
        assert status == 413
    else:
        assert (told[0], told[1]["error"]["type"]) == (status, "invalid_request_error")
    assert server.ask("/v1/models")[0] == 200


def test_many_at_once_and_some_that_leave(server: Server) -> None:
    for _ in range(8):
        with socket.create_connection(("127.0.0.1", server.port), PATIENCE_SECONDS) as leaving:
            content = json.dumps(chat("What did Ana Lucas do?", stream=True)).encode()
            head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
            given = f"Authorization: Bearer {server.token}\r\nContent-Length: {len(content)}\r\n\r\n"
            leaving.sendall((head + given).encode() + content)
    with ThreadPoolExecutor(8) as threads:
        done = list(threads.map(lambda _: server.ask("/v1/search", {"query": "pear trees"})[0], range(16)))
    assert done == [200] * 16


def test_what_goes_wrong_with_requests_leaves_the_error_output_alone(vault: Path) -> None:
    """Others may start the server with a pipe that they do not read."""
    with serving(vault, "--port", "0") as (process, said):
        port = re.search(r"http://127\.0\.0\.1:(\d+)/v1", said)
        assert port is not None and process.stderr is not None
        process.stderr.readline()
        with socket.create_connection(("127.0.0.1", int(port[1])), PATIENCE_SECONDS) as connection:
            connection.sendall(b"no HTTP\r\n\r\n")
            assert b"400" in connection.recv(1 << 16)
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == ""


def test_connections_without_a_request_shut_nobody_out_and_are_closed(server: Server) -> None:
    with ExitStack() as stack:
        idle = [
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port), PATIENCE_SECONDS))
            for _ in range(70)
        ]
        idle[0].sendall(b"GET /v1/models HTTP/1.1\r\nHost:")
        assert server.ask("/v1/models")[0] == 200
        assert [one.recv(1) for one in idle] == [b""] * 70


@pytest.mark.parametrize("limit", ["folder", "tag"])
def test_no_request_reaches_outside(vault: Path, limit: str) -> None:
    options = ("--folder", str(vault.parent / "notes" / "work")) if limit == "folder" else ("--tag", "shared")
    with on_loopback(vault, *options) as limited:
        for word in (*SECRETS, "What did Ana Lucas lose?", "What is still to do?"):
            for path, body in (
                ("/v1/search", {"query": word, "budget_tokens": 20000}),
                ("/v1/chat/completions", chat(f"What do my notes say about {word}?")),
            ):
                status, told = limited.ask(path, body)
                assert status == 200
                shown = json.dumps(told).lower().replace(word.lower(), "")
                assert not [secret for secret in SECRETS if secret in shown]


def test_a_unix_socket_needs_no_token_and_is_its_owners_alone(vault: Path, tmp_path: Path) -> None:
    path = Path(os.path.relpath(tmp_path / "s"))
    with serving(vault, "--socket", str(path)) as (process, said):
        assert said.startswith("Listening on ")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
            connection.sendall(b"GET /v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            assert b"200 OK" in connection.recv(1 << 16)
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_SECONDS)
    assert not path.exists()


def test_a_port_that_is_taken(vault: Path, server: Server) -> None:
    with serving(vault, "--port", str(server.port)) as (process, said):
        assert process.wait(PATIENCE_SECONDS) == 2
        assert "Choose another one with --port" in said
