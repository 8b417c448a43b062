"""Textual's workers are started in one place, which is given a function and never a coroutine that was made already."""

from __future__ import annotations

import ast
from pathlib import Path

import noderag_local

PACKAGE = Path(noderag_local.__file__).parent
STARTS = "interfaces/tui/shared/workers.py"


def test_a_worker_is_given_a_function() -> None:
    started = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "run_worker"
        # What runs in a thread is a plain function.
        and not any(keyword.arg == "thread" for keyword in node.keywords)
    }
    assert started == {STARTS}
