"""Indexing by a real Ray of two workers: the vault is the same, also when a worker is killed in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers import musique

from noderag_local.config import Settings
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.store import Store
from noderag_local.vault.vault import Vault

pytest.importorskip("ray", reason="Ray is not installed, as scripts/test would")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="the workers are found in /proc"),
]

# Two blocks, so that both workers have one.
NOTES = 300
INDEXED = """
import sys
from pathlib import Path
from noderag_local.system import offline
offline.install()
from noderag_local.config import Settings
from noderag_local.vault.vault import Vault
told = lambda progress: print(progress.stage, progress.done, progress.total, flush=True)
with Vault(Path(sys.argv[2]), Settings(threads=2, automatic_backups=False)) as vault:
    vault.index([Path(sys.argv[1])], on="ray", progress=told)
offline.raise_for_violations()
"""


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Short notes of the sentences of a corpus, among them some of another format than text."""
    folder = tmp_path_factory.mktemp("notes")
    sentences = [line for one in musique.records() for line in one["text"].split(". ") if len(line) > 30]
    for number in range(NOTES):
        text = f"{sentences[number % len(sentences)]}. It is note {number}."
        (folder / f"{number:03}.md").write_text(text, "utf-8")
    (folder / "page.html").write_text("<h1>A page</h1><p>Its first sentence. Its second one.</p>", "utf-8")
    return folder


@pytest.fixture
def running(notes: Path, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that indexes by Ray and prints how far it is; it is asked to end after the test."""
    command = [sys.executable, "-c", INDEXED, str(notes), str(tmp_path / "by ray")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        yield process
        process.terminate()


def workers_below(process: int) -> list[int]:
    """Ids of the processes below this one in which Ray runs our work."""
    found = []
    for child in children(process):
        title = Path(f"/proc/{child}/cmdline").read_bytes() if Path(f"/proc/{child}").exists() else b""
        found += [child] if title.startswith(b"ray::") and b"Agent" not in title else []
        found += workers_below(child)
    return found


def children(process: int) -> list[int]:
    try:
        threads = list(Path(f"/proc/{process}/task").iterdir())
        return [int(one) for thread in threads for one in (thread / "children").read_text().split()]
    except OSError:
        return []  # it has ended meanwhile


def killed_one(process: int) -> int:
    """Kills a worker as soon as there is one; returns its id."""
    while not (workers := workers_below(process)):
        time.sleep(0.05)
    os.kill(workers[0], signal.SIGKILL)
    return workers[0]


def test_a_worker_that_is_killed_costs_nothing(running: subprocess.Popen[str], notes: Path, tmp_path: Path) -> None:
    assert running.stdout is not None
    told = []
    killed = 0
    for line in running.stdout:
        told.append(line.split())
        if told[-1][0] == "embedding" and not killed:
            killed = killed_one(running.pid)
    _, complaints = running.communicate()
    if "Ray cannot be started" in complaints:
        pytest.skip("Ray gives its start 30 seconds and no more, and this machine is too busy for that")
    assert (complaints, running.returncode) == ("", 0), complaints[-400:]
    assert killed
    done = [int(words[-2]) for words in told if words[0] == "embedding"]
    assert done == sorted(done)

    with Vault(tmp_path / "here", Settings(threads=2, automatic_backups=False)) as vault:
        assert vault.index([notes]).added == NOTES + 1
    digests = []
    for name in ("here", "by ray"):
        with Store.open(tmp_path / name, write=False) as store:
            digests.append(digest(store))
    assert digests[0] == digests[1]
