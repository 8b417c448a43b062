"""What a long run does to its own priority, and to that of the terminal that it runs in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SEEN = """
import os
from noderag_local.interfaces.cli.low_priority import AUTOGROUP, low_priority

def group():
    return AUTOGROUP.read_text().split()[-1] if AUTOGROUP.exists() else ""

before = group()
with low_priority():
    print(os.getpriority(os.PRIO_PROCESS, 0), group())
print(before == group())
"""


def seen() -> list[str]:
    """What a process in a session of its own sees, so that nothing else is slowed."""
    ran = subprocess.run(
        [sys.executable, "-c", SEEN], start_new_session=True, capture_output=True, text=True, check=True
    )
    return ran.stdout.split()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no niceness")
def test_the_process_is_nice() -> None:
    assert int(seen()[0]) >= 10


@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="processes are not grouped by terminal here")
def test_so_is_its_terminal_until_the_end() -> None:
    _, meanwhile, as_before = seen()
    assert (int(meanwhile), as_before) == (10, "True")
