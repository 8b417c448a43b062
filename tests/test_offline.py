"""The guard against connections outside this machine, in processes of their own: it can never be taken off again."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest


def run(script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, **variables},
    )


OUTSIDE = {
    "connect": "socket.socket().connect(('192.0.2.1', 80))",
    "connect by name": "socket.socket().connect_ex(('192.0.2.1', 80))",
    "IPv6": "socket.socket(socket.AF_INET6).connect(('2001:db8::1', 80))",
    "mapped IPv4": "socket.socket(socket.AF_INET6).connect(('::ffff:192.0.2.1', 80))",
    "private address": "socket.socket().connect(('10.0.0.1', 80))",
    "any address": "socket.socket().connect(('0.0.0.0', 80))",
    "datagram": "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
    "message": "socket.socket(type=socket.SOCK_DGRAM).sendmsg([b'x'], [], 0, ('192.0.2.1', 53))",
    "create_connection": "socket.create_connection(('example.org', 443), timeout=1)",
    "name": "socket.getaddrinfo('example.org', 443)",
    "name as bytes": "socket.getaddrinfo(b'example.org', 443)",
    "name that starts like ours": "socket.getaddrinfo('localhost.example.org', 443)",
    "old look-up": "socket.gethostbyname('example.org')",
    "reverse look-up": "socket.gethostbyaddr('192.0.2.1')",
    "name of an address": "socket.getnameinfo(('192.0.2.1', 80), 0)",
    "urllib": "urllib.request.urlopen('https://example.org', timeout=1)",
    "asyncio": "asyncio.run(asyncio.open_connection('192.0.2.1', 80))",
}


@pytest.mark.parametrize("call", OUTSIDE.values(), ids=OUTSIDE.keys())
def test_every_way_out_is_refused_and_noted(call: str) -> None:
    done = run(f"""
        import asyncio, socket, urllib.request
        from noderag_local.system import offline
        from noderag_local.domain.errors import OfflineViolation
        offline.install()
        try:
            {call}
        except OfflineViolation as error:
            print(len(offline.violations()), error)
    """)
    assert done.stdout.startswith("1 "), done.stderr
    assert "outside this machine" in done.stdout
    assert "noderag models get" in done.stdout


INSIDE = {
    "loopback": "listening = socket.create_server(('127.0.0.1', 0)); socket.create_connection(listening.getsockname())",
    "localhost": """
listening = socket.create_server(('127.0.0.1', 0))
socket.create_connection(('localhost', listening.getsockname()[1]))
""",
    "whole loopback net": "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.8.9.1', 9))",
    "Unix sockets": """
path = tempfile.mkdtemp() + '/s'
listening = socket.socket(socket.AF_UNIX)
listening.bind(path)
listening.listen()
socket.socket(socket.AF_UNIX).connect(path)
""",
    "socket pairs": "a, b = socket.socketpair(); a.sendmsg([b'x']); b.recv(1)",
    "own name": "socket.getaddrinfo('localhost', 80); socket.getaddrinfo(None, 80); socket.gethostname()",
    "numbers": "socket.getaddrinfo('127.0.0.1', 80); socket.getaddrinfo('::1', 80)",
}


@pytest.mark.parametrize("code", INSIDE.values(), ids=INSIDE.keys())
def test_what_stays_on_this_machine_goes_through(code: str) -> None:
    done = run("import socket, tempfile\nfrom noderag_local.system import offline\noffline.install()\n" + code)
    assert (done.returncode, done.stderr.replace("ResourceWarning", "")) == (0, "")


def test_a_refusal_that_a_library_swallows_still_ends_the_run_loudly() -> None:
    done = run("""
        import socket
        from noderag_local.system import offline
        offline.install()
        for address in (('192.0.2.1', 80), ('192.0.2.2', 80)):
            try:
                socket.socket().connect(address)
            except Exception:
                pass
        assert [v.call for v in offline.violations()] == ['connect', 'connect']
        offline.raise_for_violations()
    """)
    assert done.returncode != 0
    assert "OfflineViolation" in done.stderr
    assert "connect to ('192.0.2.1', 80), from <string>:7 (1 more were refused)" in done.stderr


def test_a_clean_run_ends_as_it_is() -> None:
    assert (
        run("from noderag_local.system import offline; offline.install(); offline.raise_for_violations()").returncode
        == 0
    )


def test_patching_the_socket_module_does_not_help() -> None:
    done = run("""
        import importlib, socket, sys
        from noderag_local.system import offline
        offline.install()
        del sys.modules['socket'], sys.modules['_socket']
        import _socket
        _socket.socket().connect(('192.0.2.1', 80))
    """)
    assert "OfflineViolation" in done.stderr


def test_the_network_is_open_inside_the_block_alone() -> None:
    done = run("""
        import socket
        from noderag_local.system import offline
        from noderag_local.domain.errors import OfflineViolation
        offline.install()
        def reach():
            # A closed socket: the call is audited, and then fails before anything leaves the machine.
            sock = socket.socket()
            sock.close()
            try:
                sock.connect(('192.0.2.1', 80))
            except OfflineViolation:
                return 'refused'
            except OSError:
                return 'let through'
        print(reach())
        with offline.network_allowed('a test'):
            print(reach())
        print(reach())
    """)
    assert done.stdout.split("\n")[:3] == ["refused", "let through", "refused"]


def test_an_error_inside_the_block_closes_it_too() -> None:
    done = run("""
        import socket
        from noderag_local.system import offline
        offline.install()
        try:
            with offline.network_allowed('a test'):
                raise RuntimeError
        except RuntimeError:
            pass
        socket.getaddrinfo('example.org', 80)
    """)
    assert "OfflineViolation" in done.stderr


def test_libraries_are_told() -> None:
    done = run(
        """
        import os
        from noderag_local.system import offline
        offline.install()
        for name in (*offline.TOLD_OFFLINE, 'TRANSFORMERS_VERBOSITY'):
            print(name, os.environ[name])
    """,
        HF_HUB_OFFLINE="0",
        TRANSFORMERS_VERBOSITY="debug",
    )
    assert "HF_HUB_OFFLINE 1\n" in done.stdout
    assert "TRANSFORMERS_VERBOSITY debug\n" in done.stdout


def test_installing_it_twice_refuses_once() -> None:
    done = run("""
        import socket
        from noderag_local.system import offline
        offline.install(); offline.install()
        try:
            socket.getaddrinfo('example.org', 80)
        finally:
            print(len(offline.violations()))
    """)
    assert done.stdout == "1\n"
