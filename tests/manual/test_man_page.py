"""The manual page noderag(1)."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import noderag_local

ROOT = Path(noderag_local.__file__).parents[1]
PAGE = "noderag_local/manual/noderag.1"


def test_it_is_that_of_the_commands() -> None:
    made = subprocess.run(
        [sys.executable, ROOT / "scripts/man_page.py"], capture_output=True, text=True, check=True, timeout=60, cwd=ROOT
    )
    told = f"make it anew: .venv/bin/python scripts/man_page.py > {PAGE}"
    assert made.stdout == (ROOT / PAGE).read_text(encoding="utf-8"), told


def test_it_is_installed_where_man_looks() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["setuptools"]["data-files"] == {"share/man/man1": [PAGE]}
