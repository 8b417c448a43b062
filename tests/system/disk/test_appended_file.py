"""Appending to a file of the user's: nothing that stands in it is lost, whatever happens."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from noderag_local.system.disk.appended_file import append

BEFORE = b"What stood there.\n"


def line(_: bytes) -> bytes:
    return b"one more\n"


def test_it_is_appended_and_the_file_stays_the_same_file(tmp_path: Path) -> None:
    file = tmp_path / "inbox.md"
    file.write_bytes(BEFORE)
    file.chmod(0o664)
    before = file.stat()
    append(file, line)
    after = file.stat()
    assert file.read_bytes() == BEFORE + b"one more\n"
    assert (after.st_ino, after.st_mode) == (before.st_ino, before.st_mode)


def test_a_new_file_is_its_owners_alone(tmp_path: Path) -> None:
    append(tmp_path / "inbox.md", line)
    assert (tmp_path / "inbox.md").read_bytes() == b"one more\n"
    assert (tmp_path / "inbox.md").stat().st_mode & 0o077 == 0


def test_nothing_is_added_where_the_addition_fails(tmp_path: Path) -> None:
    (tmp_path / "inbox.md").write_bytes(BEFORE)
    with pytest.raises(ZeroDivisionError):
        append(tmp_path / "inbox.md", lambda content: b"x" * (1 // (len(content) - len(BEFORE))))
    assert (tmp_path / "inbox.md").read_bytes() == BEFORE


def test_what_is_no_file_of_its_own_is_refused(tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_bytes(BEFORE)
    (tmp_path / "link.md").symlink_to(outside)
    (tmp_path / "dangling.md").symlink_to(tmp_path / "nowhere.md")
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "folder.md").mkdir()
    codes = {"link.md": errno.ELOOP, "dangling.md": errno.ELOOP, "pipe.md": errno.EINVAL, "folder.md": errno.EISDIR}
    for name, code in codes.items():
        with pytest.raises(OSError) as told:
            append(tmp_path / name, line)
        assert told.value.errno == code
    assert outside.read_bytes() == BEFORE
    assert not (tmp_path / "nowhere.md").exists()


APPENDING = """
import sys
from pathlib import Path
from noderag_local.system.disk.appended_file import append
for number in range(int(sys.argv[2])):
    append(Path(sys.argv[1]), lambda content: f"{sys.argv[3]} {number} {'x' * 500}\\n".encode())
    print(number, flush=True)
"""


def appending(file: Path, times: int, name: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", APPENDING, str(file), str(times), name]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_two_at_once_lose_no_line(tmp_path: Path) -> None:
    file = tmp_path / "inbox.md"
    file.write_bytes(BEFORE)
    for process in [appending(file, 50, "a"), appending(file, 50, "b")]:
        process.communicate(timeout=60)
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines[0] == BEFORE.decode().strip()
    assert sorted(line.split(" x")[0] for line in lines[1:]) == sorted(f"{who} {n}" for who in "ab" for n in range(50))


def test_a_kill_loses_nothing_that_stood_there(tmp_path: Path) -> None:
    file = tmp_path / "inbox.md"
    file.write_bytes(BEFORE)
    with appending(file, 1_000_000, "a") as process:
        assert process.stdout is not None
        seen = [process.stdout.readline() for _ in range(20)]
        process.send_signal(signal.SIGKILL)
    lines = file.read_bytes().splitlines(keepends=True)
    assert lines[0] == BEFORE
    assert len(lines) > len(seen)
    assert all(line.endswith(b"x\n") for line in lines[1:])


FULL = """
import resource, signal, sys
from pathlib import Path
from noderag_local.system.disk.appended_file import append
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
append(Path(sys.argv[1]), lambda content: b"y" * 5000)
"""


def test_where_there_is_no_room_for_all_nothing_stays(tmp_path: Path) -> None:
    file = tmp_path / "inbox.md"
    file.write_bytes(BEFORE)
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(file)], capture_output=True, text=True, timeout=60, check=False
    )
    assert "No space left" in done.stderr
    assert file.read_bytes() == BEFORE
