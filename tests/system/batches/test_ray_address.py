"""The value of `--on`: which addresses are taken, and that the guard opens to the one that is named alone."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from noderag_local.domain.errors import ClusterError, SettingsError
from noderag_local.system.batches.ray_address import check_answers, ray_address

GUARDED = """
from noderag_local.system import offline
offline.install()
import contextlib, socket
from noderag_local.domain.errors import OfflineViolation
from noderag_local.system.batches.ray_address import ray_address
print(ray_address("ray://10.254.254.7:10001").url)
for address in [("10.254.254.7", 10001), ("10.254.254.7", 10002), ("10.254.254.8", 10001)]:
    opened = socket.socket()
    opened.settimeout(0.01)
    try:
        with contextlib.suppress(OSError):
            opened.connect(address)
        print("let through")
    except OfflineViolation:
        print("refused")
"""


@pytest.mark.parametrize(
    ("named", "url"),
    [
        ("ray://127.0.0.1:10001", "ray://127.0.0.1:10001"),
        ("ray://[::1]:10001/", "ray://[::1]:10001"),
        ("ray://localhost:7", "ray://127.0.0.1:7"),
    ],
)
def test_an_address_of_this_machine_is_taken(named: str, url: str) -> None:
    assert ray_address(named).url in (url, url.replace("127.0.0.1", "[::1]"))


@pytest.mark.parametrize(
    "named",
    [
        "rays",
        "http://127.0.0.1:10001",
        "ray://127.0.0.1",
        "ray://:10001",
        "ray://me@127.0.0.1:1",
        "ray://[:1",
        "ray://h:1/x",
    ],
)
def test_what_is_no_address_is_refused(named: str) -> None:
    with pytest.raises(SettingsError, match="takes `ray` or the address of a Ray cluster"):
        ray_address(named)


def test_an_address_on_the_internet_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"192\.0\.2\.1, which is neither this machine nor a private network"):
        ray_address("ray://192.0.2.1:10001")


def test_the_guard_opens_to_this_address_and_port_alone() -> None:
    done = subprocess.run([sys.executable, "-c", GUARDED], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines() == ["ray://10.254.254.7:10001", "let through", "refused", "refused"]


def test_where_nothing_answers_it_says_so() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(ClusterError, match=f"Nothing answers at ray://127.0.0.1:{port}.*ray start --head"):
        check_answers(ray_address(f"ray://127.0.0.1:{port}"))
