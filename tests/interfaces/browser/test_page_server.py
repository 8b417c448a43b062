"""The interface in a browser: only whoever has the address gets in, and what is typed there arrives."""

from __future__ import annotations

import asyncio
import http.client
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, closing, contextmanager
from pathlib import Path

import aiohttp
import pytest

from noderag_local import Vault, load_settings
from noderag_local.domain.errors import SettingsError
from noderag_local.interfaces.browser.page_server import MOST_PAGES
from noderag_local.interfaces.http.loopback import host_headers, on_loopback

PATIENCE_SECONDS = 120
CLEAR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browser")
    (folder / "notes").mkdir()
    (folder / "notes" / "Oslo.md").write_text("# Oslo\n\nAnn Lee lives in Oslo, above the bakery.\n", "utf-8")
    with Vault(folder / "vault", load_settings(models_dir=folder / "no-models")) as vault:
        vault.index([folder / "notes"])
    return folder / "vault"


@pytest.fixture(scope="module")
def address(vault: Path) -> Iterator[str]:
    """Address of the page, as the command prints it."""
    with served(vault) as address:
        yield address


@contextmanager
def served(vault: Path, *options: str) -> Iterator[str]:
    """Address that the command prints; the command ends with the block."""
    command = [sys.executable, "-m", "noderag_local", "browser", "--vault", str(vault), *options]
    variables = {**os.environ, "NODERAG_MODELS_DIR": str(vault.parent)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=variables) as process:
        try:
            assert process.stderr is not None
            (found,) = re.findall(r"http://127\.0\.0\.1(?::\d+)?/\S+", process.stderr.readline())
            until_it_listens(found)
            yield found
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE_SECONDS) == 0
        finally:
            process.kill()


def until_it_listens(address: str) -> None:
    for _ in range(1000):
        try:
            get(address, "/")
            return
        except ConnectionRefusedError:
            time.sleep(0.05)
    raise AssertionError("it does not listen")


def get(address: str, path: str, **headers: str) -> http.client.HTTPResponse:
    host, _, _ = address.removeprefix("http://").partition("/")
    with closing(http.client.HTTPConnection(host, timeout=PATIENCE_SECONDS)) as connection:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        answer.read()
        return answer


def path_of(address: str) -> str:
    return "/" + address.removeprefix("http://").partition("/")[2]


def test_the_page_may_load_nothing_from_elsewhere(address: str) -> None:
    answer = get(address, path_of(address))
    assert answer.status == 200
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "http" not in policy
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/", "/ws", "/static/js/textual.js", "/download/1", "/wrong-key/", "/wrong-key/ws"])
def test_without_the_key_there_is_nothing(address: str, path: str) -> None:
    assert get(address, path).status == 404


def test_a_name_that_a_web_page_made_to_mean_this_machine_is_refused(address: str) -> None:
    assert get(address, path_of(address), Host="notes.example:80").status == 403


@pytest.mark.parametrize("origin", ["https://notes.example", "http://localhost:80", "null"])
def test_another_web_page_opens_no_connection(address: str, origin: str) -> None:
    async def attempt() -> None:
        async with aiohttp.ClientSession() as session:
            await session.ws_connect(f"{address}ws", origin=origin)

    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        asyncio.run(attempt())
    assert refused.value.status == 403


def test_the_usual_port_of_the_web_is_named_or_left_out() -> None:
    assert host_headers("127.0.0.1", 80) == {"127.0.0.1", "127.0.0.1:80"}
    # Plain HTTP leaves out no other port, not even that of HTTPS.
    assert host_headers("127.0.0.1", 443) == {"127.0.0.1:443"}


def test_a_browser_comes_in_at_port_80(vault: Path) -> None:
    async def attempt(address: str) -> None:
        async with aiohttp.ClientSession() as session, session.ws_connect(f"{address}ws", origin="http://127.0.0.1"):
            pass

    try:
        on_loopback(80).close()
    except SettingsError:
        pytest.skip("port 80 is taken, or not for everybody")
    with served(vault, "--port", "80") as address:
        assert address.startswith("http://127.0.0.1/"), "as a browser shows it"
        for host in ("127.0.0.1", "127.0.0.1:80"):
            answer = get(address, path_of(address), Host=host)
            assert answer.status == 200, host
            assert "connect-src ws://127.0.0.1;" in answer.headers["Content-Security-Policy"]
        assert get(address, path_of(address), Host="notes.example").status == 403
        asyncio.run(attempt(address))


def test_a_page_too_many_is_told_and_comes_in_when_another_is_closed(address: str) -> None:
    async def test() -> None:
        async with aiohttp.ClientSession() as session:
            async with AsyncExitStack() as pages:
                for _ in range(MOST_PAGES):
                    await pages.enter_async_context(session.ws_connect(f"{address}ws"))
                async with session.get(address) as answer:
                    assert answer.status == 503
                    assert "Close one of them" in await answer.text()
                with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                    await session.ws_connect(f"{address}ws")
                assert refused.value.status == 503
            async with asyncio.timeout(PATIENCE_SECONDS):
                while (await session.get(address)).status != 200:
                    await asyncio.sleep(0.05)

    asyncio.run(test())


def test_it_listens_on_loopback_alone(address: str) -> None:
    port = int(address.removeprefix("http://127.0.0.1:").partition("/")[0])
    tables = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
    if not tables[0].exists():
        pytest.skip("the table of sockets is Linux's")
    rows = [line.split() for table in tables if table.exists() for line in table.read_text().splitlines()[1:]]
    listening = {row[1] for row in rows if row[3] == "0A" and int(row[1].rpartition(":")[2], 16) == port}
    assert listening == {f"0100007F:{port:04X}"}


async def shown(socket: aiohttp.ClientWebSocketResponse, words: str) -> None:
    """Waits until the screen has drawn these words."""
    drawn = ""
    async with asyncio.timeout(PATIENCE_SECONDS):
        async for message in socket:
            if message.type is aiohttp.WSMsgType.BINARY:
                drawn += CLEAR.sub("", message.data.decode("utf-8", "replace"))
            if words in drawn:
                return
    raise AssertionError(f"{words!r} was not drawn: {drawn[-500:]}")


@pytest.mark.slow
def test_a_question_is_typed_and_answered(address: str) -> None:
    async def test() -> None:
        page = f"{address}ws?width=100&height=30"
        async with aiohttp.ClientSession() as session, session.ws_connect(page) as socket:
            await shown(socket, "Ask your notes")
            for key in (*"Where does Ann Lee live?", "\r"):
                await socket.send_json(["stdin", key])
            await shown(socket, "above the bakery")

    asyncio.run(test())
