"""A few of the files of scripts/bench/many_files.py."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parents[2] / "scripts" / "bench"


def test_many_small_files_are_indexed_and_passed_over_when_nothing_changed() -> None:
    command = [sys.executable, "many_files.py", "--files", "120", "--in-a-folder", "50"]
    done = subprocess.run(command, cwd=BENCH, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    _, first, unchanged, changed, _ = done.stdout.splitlines()
    assert "120 documents added" in first
    assert "0 documents added, 120 files unchanged" in unchanged
    assert "1 files changed" in changed or "1 file changed" in changed
