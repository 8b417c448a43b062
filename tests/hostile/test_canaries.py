"""No piece of a word of a forgotten note stays: the small run of scripts/bench/canaries.py."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "bench" / "canaries.py"


@pytest.mark.parametrize("change", ["renamed and edited", "deleted"])
def test_no_canary_of_ten_places_is_left(change: str) -> None:
    form = "encrypted" if change == "deleted" else "plain"
    command = [sys.executable, SCRIPT, "--few", "--forms", form, "--changes", change]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert "10 of 10 places in files are seen" in done.stdout
