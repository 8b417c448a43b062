"""A process that gave up files opens what it kept, for reading, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from noderag_local.system.walls.landlock import landlock_version

pytestmark = pytest.mark.skipif(not landlock_version(), reason="this kernel has no Landlock, or it is switched off")

TRIED = """
import os, socket, sys
from noderag_local.system.walls.landlock import open_only
kept, given_up = sys.argv[1:]
assert open_only([kept, "/no/such/place"])
def outcome(deed):
    try:
        deed()
    except PermissionError:
        return "refused"
    except OSError as error:
        return type(error).__name__
    return "done"
print(outcome(lambda: open(kept + "/below/note.md").close()))
print(outcome(lambda: os.listdir(kept)))
print(outcome(lambda: open(given_up).close()))
print(outcome(lambda: open(kept + "/new.md", "w").close()))
print(outcome(lambda: os.truncate(kept + "/below/note.md", 0)))
print(outcome(lambda: os.unlink(kept + "/below/note.md")))
print(outcome(lambda: socket.create_connection(("127.0.0.1", 9), 1)))
"""


def test_what_was_kept_is_read_and_nothing_written_or_reached(tmp_path: Path) -> None:
    note, diary = tmp_path / "kept" / "below" / "note.md", tmp_path / "diary.md"
    note.parent.mkdir(parents=True)
    for path in (note, diary):
        path.write_text("Dear diary", encoding="utf-8")
    command = [sys.executable, "-c", TRIED, tmp_path / "kept", diary]
    outcomes = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert outcomes[:4] == ["done", "done", "refused", "refused"]
    assert outcomes[4] == ("refused" if landlock_version() >= 3 else "done")
    assert outcomes[5] == "refused"
    assert outcomes[6] == ("refused" if landlock_version() >= 4 else "ConnectionRefusedError")
