"""A few of the blows of scripts/bench/kills.py: kills, writes that fail, and what must be there afterwards."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_killed_and_refused_writes_at_every_step_of_a_vault_s_life() -> None:
    script = Path(__file__).parents[1] / "scripts" / "bench" / "kills.py"
    command = [sys.executable, script, "--kills", "12", "--errors", "4", "--full-disks", "0", "--notes", "8"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
