"""Python files in the folder of notes that one stands in are notes: no process of the program imports them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

import noderag_local
from noderag_local.interfaces.resident.leaving import told_by_resident

TRAP = "from pathlib import Path\nPath({marker!r}).touch()\n"
NAMES = ("json.py", "socket.py", "signal.py", "numpy/__init__.py", "pip/__init__.py", "noderag_local/__init__.py")
PATIENCE_SECONDS = 60
RAY_SECONDS = 400
"""Ray starts slowly where other programs run."""


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """Exists once a module of the notes has run."""
    return tmp_path / "has-run"


@pytest.fixture
def notes(tmp_path: Path, marker: Path) -> Path:
    folder = tmp_path / "notes"
    for name in NAMES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(TRAP.format(marker=str(marker)), encoding="utf-8")
    (folder / "disk.md").write_text("Mira Keller keeps the disk Borealis.\n", encoding="utf-8")
    return folder


def test_no_process_imports_what_lies_in_the_notes(
    notes: Path, marker: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noderag = str(Path(sys.executable).with_name("noderag"))
    with tempfile.TemporaryDirectory(prefix="nr", dir="/tmp") as meeting:
        monkeypatch.setenv("XDG_RUNTIME_DIR", meeting)
        monkeypatch.setenv("NODERAG_RESIDENT", "true")
        monkeypatch.setenv("NODERAG_MODELS_DIR", str(tmp_path / "none"))
        for words in (("index", "."), ("search", "Who keeps the disk?"), ("doctor",)):
            command = [noderag, *words, "--vault", str(tmp_path / "vault")]
            subprocess.run(
                command, cwd=notes, capture_output=True, timeout=PATIENCE_SECONDS, check=words != ("doctor",)
            )
        last = time.monotonic() + PATIENCE_SECONDS
        while told_by_resident("tell") is None and time.monotonic() < last and not os.path.exists(marker):
            time.sleep(0.05)
        assert told_by_resident("end") is not None
    assert not marker.exists()


def test_no_process_of_ray_imports_what_lies_in_the_notes(notes: Path, marker: Path, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    noderag = str(Path(sys.executable).with_name("noderag"))
    command = [noderag, "index", ".", "--on", "ray", "--vault", str(tmp_path / "vault")]
    subprocess.run(command, cwd=notes, capture_output=True, timeout=RAY_SECONDS, check=True)
    assert not marker.exists()


def test_every_process_in_python_is_told_where_modules_may_come_from() -> None:
    package = Path(noderag_local.__file__).parent
    starts = [
        (path.relative_to(package).as_posix(), flag)
        for path in sorted(package.rglob("*.py"))
        for flag in re.findall(r'\[sys\.executable, "([^"]*)"', path.read_text(encoding="utf-8"))
    ]
    assert len(starts) >= 5
    # -P leaves out the folder that one stands in, -I also the variables of the user.
    assert [start for start in starts if start[1] not in ("-P", "-I")] == []
