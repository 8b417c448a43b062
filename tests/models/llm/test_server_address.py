"""Where a model server may be: this machine, a private network when allowed, never the internet."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

from noderag_local.domain.errors import SettingsError
from noderag_local.models.llm.server.server_address import resolve_server
from noderag_local.system import offline


@pytest.mark.parametrize(
    ("url", "read"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080"),
        ("http://127.9.9.9/llm/v1", "http://127.9.9.9:80/llm"),
        ("http://[::1]:8080", "http://[::1]:8080"),
        ("http://localhost:11434/", "http://localhost:11434"),
        ("https://LOCALHOST", "https://localhost:443"),
    ],
)
def test_this_machine_may_always_be_reached(url: str, read: str) -> None:
    address = resolve_server(url, private_network=False)
    assert address.url == read
    assert address.endpoints
    assert all(offline.is_loopback(endpoint.address[0]) for endpoint in address.endpoints)


@pytest.mark.parametrize("private_network", [False, True])
@pytest.mark.parametrize(
    "host",
    [
        "8.8.8.8",
        "192.0.2.1",
        "172.32.0.1",
        "100.64.0.1",
        "[2001:db8::1]",
        "[::ffff:8.8.8.8]",
        "0.0.0.0",
        "[::]",
        "224.0.0.1",
    ],
)
def test_the_internet_is_never_reached(host: str, private_network: bool) -> None:
    with pytest.raises(SettingsError, match="server_url"):
        resolve_server(f"http://{host}:8080", private_network)


PRIVATE = [
    "10.0.0.7",
    "172.16.3.4",
    "172.31.255.1",
    "192.168.1.5",
    "169.254.1.1",
    "[fd00::5]",
    "[fe80::1]",
    "[::ffff:10.0.0.7]",
]


@pytest.mark.parametrize("host", PRIVATE)
def test_a_private_network_is_reached_only_when_allowed(host: str) -> None:
    with pytest.raises(SettingsError, match="server_private_network = true"):
        resolve_server(f"http://{host}:8080", private_network=False)


def test_a_name_is_not_even_looked_up_unless_allowed() -> None:
    before = offline.violations()
    with pytest.raises(SettingsError, match=r"Names other than localhost.*server_private_network"):
        resolve_server("http://gpu.example.org:8080", private_network=False)
    assert offline.violations() == before


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1:8080",
        "localhost",
        "ftp://127.0.0.1",
        "file:///etc/passwd",
        "http://",
        "http:///v1",
        "http://127.0.0.1:0",
        "http://127.0.0.1:99999",
        "http://127.0.0.1:port",
        "http://[::1",
        "http://local host",
        "http://127.0.0.1/a b",
        "http://127.0.0.1/%0d%0aX: y",
        "http://\x1b]0;owned\x07",
    ],
)
def test_what_is_no_address_is_told_with_an_example(url: str) -> None:
    with pytest.raises(SettingsError, match=r"It looks like http://127\.0\.0\.1:8080") as caught:
        resolve_server(url, private_network=True)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "url", ["http://me:secret@127.0.0.1", "http://127.0.0.1?key=secret", "http://127.0.0.1#secret", "ftp://me:secret@x"]
)
def test_what_may_be_secret_is_not_repeated(url: str) -> None:
    with pytest.raises(SettingsError) as caught:
        resolve_server(url, private_network=False)
    assert "secret" not in str(caught.value)


def in_a_process(script: str) -> str:
    """What the script prints; the guard opens for the rest of a process, so each gets its own."""
    head = """
        import socket, sys
        from noderag_local.system import offline
        from noderag_local.domain.errors import NoderagError, OfflineViolation
        from noderag_local.models.llm.server.server_address import resolve_server
        offline.install()
        def reach(host, port, kind=socket.SOCK_STREAM):
            # A closed socket: the call is audited, and then fails before anything leaves the machine.
            sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, kind)
            sock.close()
            try:
                sock.connect((host, port))
            except OfflineViolation:
                return "refused"
            except OSError:
                return "through"
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(head) + textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=dict(os.environ),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("host", PRIVATE)
def test_the_guard_opens_for_exactly_that_address_and_port(host: str) -> None:
    bare = host.strip("[]")
    out = in_a_process(f"""
        print(reach({bare!r}, 8080))
        resolve_server("http://{host}:8080", private_network=True)
        print(reach({bare!r}, 8080))
        print(reach({bare!r}, 8081))
        print(reach("10.0.0.8", 8080), reach("fd00::6", 8080))
        print(reach({bare!r}, 8080, socket.SOCK_DGRAM))
    """)
    assert out.split() == ["refused", "through", "refused", "refused", "refused", "refused"]


def test_the_guard_itself_opens_for_no_public_address() -> None:
    out = in_a_process("""
        for address in ("8.8.8.8", "example.org", "", "0.0.0.0", "2001:db8::1"):
            try:
                offline.allow_server(address, 80)
            except OfflineViolation:
                print("refused", end=" ")
        print(reach("8.8.8.8", 80))
    """)
    assert out.split() == ["refused"] * 6


def test_one_name_can_be_looked_up_and_no_other() -> None:
    out = in_a_process("""
        with offline.look_up_allowed("printer.invalid"):
            for name in ("printer.invalid", "other.invalid"):
                try:
                    socket.getaddrinfo(name, 80)
                except OfflineViolation:
                    print("refused")
                except OSError:
                    print("asked")
        try:
            socket.getaddrinfo("printer.invalid", 80)
        except OfflineViolation:
            print("refused")
    """)
    assert out.split() == ["asked", "refused", "refused"]


def test_a_name_that_nobody_knows() -> None:
    out = in_a_process("""
        try:
            resolve_server("http://printer.invalid:8080", private_network=True)
        except NoderagError as error:
            print(type(error).__name__, error)
    """)
    assert out.startswith("ModelError The host printer.invalid of server_url cannot be resolved")


def own_private_addresses() -> list[str]:
    """As Linux tells them; elsewhere none."""
    if sys.platform != "linux":
        return []
    done = subprocess.run(["hostname", "-I"], capture_output=True, text=True, check=False)
    return [address for address in done.stdout.split() if offline.is_private(address)]


def test_a_server_on_an_own_private_address_is_really_reached() -> None:
    addresses = own_private_addresses()
    if not addresses:
        pytest.skip("this machine has no private address")
    host = f"[{addresses[0]}]" if ":" in addresses[0] else addresses[0]
    family = "AF_INET6" if ":" in addresses[0] else "AF_INET"
    out = in_a_process(f"""
        import threading
        from noderag_local.models.llm.server.openai_server import OpenAIServerEngine
        listening = socket.create_server(({addresses[0]!r}, 0), family=socket.{family})
        body = b'{{"data": [{{"id": "far"}}]}}'
        def serve():
            while True:
                connection, _ = listening.accept()
                with connection:
                    asked = connection.recv(65536)
                    found = asked.startswith(b"GET /v1/models ")
                    head = b"200 OK" if found else b"404 Not Found"
                    connection.sendall(b"HTTP/1.1 " + head + b"\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body) + body)
        threading.Thread(target=serve, daemon=True).start()
        url = "http://{host}:%d" % listening.getsockname()[1]
        print(OpenAIServerEngine(url, private_network=True).name)
        offline.raise_for_violations()
    """)
    assert out == "far\n"
