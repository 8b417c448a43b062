"""A command that the resident process runs: the same bytes, exit codes and ends as in a process of its own."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from interfaces.resident.conftest import PATIENCE_SECONDS, Command

from noderag_local.interfaces.cli.questions.demo_command import notes_folder
from noderag_local.interfaces.resident.asking import can_be_resident
from noderag_local.interfaces.resident.leaving import told_by_resident

QUESTION = "Who keeps the disk Borealis?"
TIMES = re.compile(rb'\d+ ms|"(?:search_ms|elapsed_ms|elapsed_seconds|first_token_seconds)": [\d.e-]+')

LINES = [
    ("search", QUESTION),
    ("search", QUESTION, "--why"),
    ("search", QUESTION, "--json"),
    ("search", QUESTION, "--context", "--limit", "1"),
    ("search", QUESTION, "--method", "bm25", "--set", "nonsense=1"),
    ("search", "qwertzuiop"),
    ("today",),
    ("search", QUESTION, "--tag", "peeple"),
    ("search", QUESTION, "--tag", "peeple", "--json"),
    ("search", ""),
    ("search", "--nonsense"),
    ("search", "--help"),
    ("ask", QUESTION, "--no-llm"),
    ("ask", QUESTION, "--no-llm", "--json"),
    ("search", "\udcff lease"),
]


def commands_run() -> int:
    last = time.monotonic() + PATIENCE_SECONDS
    # On a busy machine the process may answer later than a person would wait.
    while (told := told_by_resident("tell")) is None:
        assert time.monotonic() < last, "it does not answer"
    return int(told["commands"])


def parts(done: subprocess.CompletedProcess[bytes]) -> tuple[int, bytes, bytes]:
    return done.returncode, TIMES.sub(b"", done.stdout), TIMES.sub(b"", done.stderr)


@pytest.mark.usefixtures("resident")
def test_it_prints_what_the_command_prints_by_itself(noderag: Command, sample_vault: Path) -> None:
    for line in LINES:
        before = commands_run()
        by_resident = noderag(*line, "--vault", sample_vault)
        assert commands_run() == before + 1, line
        alone = noderag(*line, "--vault", sample_vault, XDG_RUNTIME_DIR="/nowhere", TMPDIR="/nowhere")
        assert parts(by_resident) == parts(alone), line


@pytest.mark.usefixtures("resident")
def test_paths_are_relative_to_the_folder_of_the_caller(noderag: Command, sample_vault: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "noderag_local",
            "search",
            QUESTION,
            "--vault",
            os.path.relpath(sample_vault, notes_folder()),
        ],
        capture_output=True,
        cwd=notes_folder(),
        text=True,
        timeout=PATIENCE_SECONDS,
        check=True,
    )
    assert commands_run() == 1
    assert re.search(r"^\[1\] (people|home|work)/", done.stdout)


def seen_at_terminal(words: list[str], width: int, **variables: str) -> bytes:
    """What a command writes to a terminal of this width."""
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    process = subprocess.Popen(
        [sys.executable, "-m", "noderag_local", *words],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={**environment, "TERM": "xterm-256color", **variables},
    )
    os.close(terminal)
    written = bytearray()
    try:
        while piece := os.read(controller, 1 << 16):
            written += piece
    except OSError:
        # The other side of the terminal is closed.
        pass
    os.close(controller)
    assert process.wait(PATIENCE_SECONDS) == 0
    return TIMES.sub(b"", bytes(written))


@pytest.mark.usefixtures("resident")
def test_colours_and_width_are_those_of_the_callers_terminal(sample_vault: Path) -> None:
    words = ["search", QUESTION, "--vault", str(sample_vault)]
    for width, variables in ((60, {}), (100, {}), (100, {"NO_COLOR": "1"})):
        by_resident = seen_at_terminal(words, width, **variables)
        assert by_resident == seen_at_terminal(words, width, **variables, XDG_RUNTIME_DIR="/nowhere", TMPDIR="/nowhere")
        assert (b"\x1b[" in by_resident) == (not variables) or b"\x1b[1m" in by_resident
    assert commands_run() == 3


@pytest.mark.usefixtures("resident")
def test_a_reader_that_has_left(sample_vault: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "noderag_local", "search", QUESTION, "--vault", str(sample_vault)],
        stdout=write,
        stderr=subprocess.PIPE,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr, commands_run()) == (141, b"", 1)


@pytest.mark.usefixtures("resident")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_a_command_that_waits_ends_with_its_caller(noderag: Command, sample_vault: Path, sent: signal.Signals) -> None:
    read, write = os.pipe()
    os.set_blocking(write, False)
    with pytest.raises(BlockingIOError):
        while True:
            os.write(write, b"x" * 4096)
    os.set_blocking(write, True)
    command = [sys.executable, "-m", "noderag_local", "search", QUESTION, "--vault", str(sample_vault)]
    with subprocess.Popen(command, stdout=write, stderr=subprocess.PIPE) as process:
        while not running_for_somebody():
            assert process.poll() is None
        process.send_signal(sent)
        if sent == signal.SIGINT:
            # Without the resident process, too, the first one stops the command, and the second one its last output.
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.3)
            process.send_signal(sent)
        _, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == (130 if sent == signal.SIGINT else -sent)
    assert b"Traceback" not in err
    for descriptor in (read, write):
        os.close(descriptor)
    # The resident process is free again.
    before = commands_run()
    assert noderag("search", QUESTION, "--vault", sample_vault).returncode == 0
    assert commands_run() == before + 1


def running_for_somebody() -> bool:
    """Whether the resident process does not answer, since it runs a command."""
    from noderag_local.interfaces.resident import leaving

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leaving, "ANSWER_SECONDS", 0.2)
        return told_by_resident("tell") is None


@pytest.mark.usefixtures("resident")
def test_json_stays_one_document(noderag: Command, sample_vault: Path) -> None:
    for _ in range(3):
        document = json.loads(noderag("search", QUESTION, "--vault", sample_vault, "--json").stdout)
        assert document["sources"]
    assert commands_run() == 3


@pytest.mark.parametrize(
    ("words", "may"),
    [
        (["search", "lease"], True),
        (["--vault", "v", "search", "lease"], True),
        (["--vault=v", "search", "lease"], True),
        (["ask", "lease", "--no-llm"], True),
        (["today", "--days", "31"], True),
        (["ask", "lease"], False),
        (["search", "-"], False),
        (["search", "lease", "--log", "f"], False),
        (["search", "lease", "--log-names"], False),
        (["index", "search"], False),
        (["--vault"], False),
        ([], False),
    ],
)
def test_which_commands_it_is_asked_for(words: list[str], may: bool) -> None:
    assert can_be_resident(words) is may
