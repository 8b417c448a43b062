"""Ctrl-C, in a process of its own."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from noderag_local.interfaces.cli.interruption import clean_stop

PATIENCE_SECONDS = 300
LOOP = f"""
import signal, sys, time
from noderag_local.interfaces.cli.interruption import clean_stop
with clean_stop("Stopping.") as stop:
    print("ready", flush=True)
    until = time.monotonic() + {PATIENCE_SECONDS}
    while time.monotonic() < until and not (stop.asked() and sys.argv[1] == "obeys"):
        time.sleep(0.01)
print("cleaned up", signal.getsignal(signal.SIGINT) is signal.default_int_handler, flush=True)
"""


@contextmanager
def started(how: str) -> Iterator[subprocess.Popen[str]]:
    """A process that waits for Ctrl-C, and is gone afterwards whatever the test found."""
    command = [sys.executable, "-c", LOOP, how]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def test_once_lets_the_work_end_in_its_own_way() -> None:
    with started("obeys") as process:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, out, err) == (0, "cleaned up True\n", "Stopping.\n")


def test_twice_ends_the_process_at_once() -> None:
    with started("is deaf") as process:
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert process.stderr.readline() == "Stopping.\n"
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, out) == (-signal.SIGINT, "")


class _InterruptedWhileWriting(io.RawIOBase):
    """A stream during whose first write Ctrl-C is pressed."""

    def __init__(self) -> None:
        self.writes = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.writes += 1
        if self.writes == 1:
            os.kill(os.getpid(), signal.SIGINT)
        return len(data)


@pytest.mark.skipif(sys.platform == "win32", reason="os.kill ends the process there")
def test_ctrl_c_while_a_line_is_written_stops_cleanly(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with clean_stop("Stopping.") as stop:
        monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(io.BufferedWriter(_InterruptedWhileWriting())))
        print("reading: 1 file", file=sys.stderr, flush=True)
        assert stop.asked()
    assert "Stopping." in capfd.readouterr().err
