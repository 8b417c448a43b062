#!/usr/bin/env python3
"""How soon the terminal interface is there, and how soon it answers a key, idle and at work.

    .venv/bin/python scripts/bench/interface.py [--vault DIR] [--times 10] [--keys 300] [--index PATH] [--ask QUESTION]

Each start is a process of its own on a pseudo-terminal of 80x24, as in tmux or over SSH. Prints
  first paint: from the start of the process to the first frame that names the screens (median, slowest)
  what the imports before it cost, by library (from -X importtime, which slows them by a few per cent)
  keys: from a letter sent to the letter shown in the question field (median, 99th percentile, slowest), idle and,
    with --index, while PATH is indexed in a scratch copy of the vault, with --ask, while an answer is written
Without --vault the sample notes are indexed into a scratch folder first.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NODERAG = [sys.executable, "-m", "noderag_local"]
NOTES = Path(__file__).resolve().parents[2] / "noderag_local" / "evaluation" / "demo" / "notes"
PAINTED = "Library"
"""Stands in the last line of the first frame of every screen."""
LETTERS = [chr(code) for code in range(0x0430, 0x0450)]
"""Of an alphabet that nothing else on the screen is written in."""
CLEAR = "\x15"
"""Ctrl-U: empties the field up to the cursor."""
PATIENCE_SECONDS = 30.0


@dataclass
class Terminal:
    """The program on a pseudo-terminal."""

    file: int
    started: float

    def send(self, keys: str) -> None:
        os.write(self.file, keys.encode())

    def wait_for(self, text: str, seconds: float = PATIENCE_SECONDS) -> float:
        """When the text was first there, by time.perf_counter; stops the script where it does not come."""
        wanted, seen = text.encode(), b""
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            seen = seen[-4096:] + self._read(0.05)
            if wanted in seen:
                return time.perf_counter()
        sys.exit(f"{text!r} did not come within {seconds:.0f} s")

    def drain(self, seconds: float) -> None:
        """Reads for so long whatever comes."""
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            self._read(0.05)

    def _read(self, seconds: float) -> bytes:
        ready, _, _ = select.select([self.file], [], [], seconds)
        return os.read(self.file, 1 << 16) if ready else b""


@contextmanager
def opened(vault: Path) -> Iterator[Terminal]:
    """The interface, from its start; ended with the block."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    variables = {**os.environ, "TERM": "xterm-256color", "NODERAG_VAULT": str(vault)}
    started = time.perf_counter()
    process = subprocess.Popen(
        NODERAG, stdin=theirs, stdout=theirs, stderr=theirs, env=variables, start_new_session=True
    )
    os.close(theirs)
    try:
        yield Terminal(ours, started)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        os.close(ours)


def first_paint(vault: Path) -> float:
    """Milliseconds from the start of the process."""
    with opened(vault) as terminal:
        return 1000 * (terminal.wait_for(PAINTED) - terminal.started)


def key_times(terminal: Terminal, keys: int) -> list[float]:
    """Milliseconds from each letter to its echo, slowest last. The question field must have the focus."""
    times = []
    for number in range(keys):
        if number % 20 == 0:
            terminal.send(CLEAR)
            terminal.drain(0.2)
        letter = LETTERS[number % len(LETTERS)]
        sent = time.perf_counter()
        terminal.send(letter)
        times.append(1000 * (terminal.wait_for(letter) - sent))
        # As fast as a quick typist.
        terminal.drain(0.05)
    return sorted(times)


def told(name: str, times: Sequence[float]) -> None:
    late = times[int(0.99 * (len(times) - 1))]
    print(f"{name}: median {median(times):.0f} ms, 99th percentile {late:.0f} ms, slowest {times[-1]:.0f} ms")


def import_times() -> Counter[str]:
    """Milliseconds that each library's own modules take when the first screen is imported."""
    code = "import noderag_local.__main__, noderag_local.interfaces.cli.run_command, noderag_local.interfaces.tui.shell.application, noderag_local.interfaces.tui.chat.chat_screen"
    done = subprocess.run([sys.executable, "-X", "importtime", "-c", code], capture_output=True, text=True, check=True)
    spent: Counter[str] = Counter()
    for own, name in re.findall(r"^import time:\s+(\d+) \|\s+\d+ \|\s*(\S+)$", done.stderr, re.MULTILINE):
        library = name.partition(".")[0]
        spent["standard library" if library.lstrip("_") in STANDARD else library] += int(own) / 1000
    return spent


STANDARD = {name.lstrip("_") for name in sys.stdlib_module_names} | {"zipimport", "site", "sitecustomize", "encodings"}


@contextmanager
def scratch_vault(source: Path | None) -> Iterator[Path]:
    """A copy of a vault, or one of the sample notes."""
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder) / "vault"
        if source is None:
            subprocess.run([*NODERAG, "index", str(NOTES), "--vault", str(vault)], check=True, capture_output=True)
        else:
            shutil.copytree(source, vault)
        yield vault


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vault", type=Path)
    parser.add_argument("--times", type=int, default=10, help="starts to take the median of")
    parser.add_argument("--keys", type=int, default=300)
    parser.add_argument("--index", type=Path, help="a folder or file to be indexed meanwhile")
    parser.add_argument("--ask", help="a question to be answered meanwhile")
    arguments = parser.parse_args()
    with scratch_vault(arguments.vault) as vault:
        first_paint(vault)  # reads the files from the disk once
        starts = sorted(first_paint(vault) for _ in range(arguments.times))
        print(f"first paint, {arguments.times} starts: median {median(starts):.0f} ms, slowest {starts[-1]:.0f} ms")
        for library, milliseconds in import_times().most_common(10):
            print(f"  {milliseconds:6.0f} ms  importing {library}")
        with opened(vault) as terminal:
            terminal.wait_for(PAINTED)
            terminal.drain(3)
            told("keys, idle", key_times(terminal, arguments.keys))
        if arguments.ask:
            with opened(vault) as terminal:
                terminal.wait_for(PAINTED)
                terminal.drain(10)  # the model is opened
                terminal.send(f"{arguments.ask}\r")
                told("keys, while an answer is written", key_times(terminal, arguments.keys))
        if arguments.index:
            with opened(vault) as terminal:
                terminal.wait_for(PAINTED)
                terminal.send("\x1bOR")  # F3, the library
                terminal.drain(1)
                terminal.send("a")
                terminal.drain(1)
                terminal.send(f"{arguments.index.resolve()}\r")
                terminal.wait_for("Enter begins.")
                terminal.send("\r")
                terminal.wait_for("embedding")
                terminal.send("\x1bOQ")  # F2, the chat
                terminal.drain(1)
                told("keys, while it indexes", key_times(terminal, arguments.keys))
                terminal.send("\x1bOR")
                terminal.wait_for("sentences", 2.0)  # it still does


if __name__ == "__main__":
    main()
