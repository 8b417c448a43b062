"""A few of the blows of scripts/bench: kills, calls that fail, power cuts, and what must be there afterwards."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "scripts" / "bench"


def run(*command: str) -> None:
    done = subprocess.run([sys.executable, *command], cwd=BENCH, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]


@pytest.mark.slow
def test_killed_and_refused_writes_at_every_step_of_a_vault_s_life() -> None:
    run("kills.py", "--kills", "10", "--errors", "4", "--full-disks", "0", "--notes", "5")


@pytest.mark.slow
def test_the_same_of_an_encrypted_vault_of_which_nothing_can_be_read() -> None:
    run("kills.py", "--encrypted", "--kills", "10", "--errors", "4", "--full-disks", "0", "--notes", "4", "--seed", "2")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="without strace nobody notes down what is written")
def test_power_cuts_at_every_step_of_a_vault_s_life() -> None:
    run("power_cuts.py", "--cuts", "2", "--notes", "4")
