"""What Textual's workers are given: a function, never a coroutine that was made already.

A worker that is cancelled before its first step (by a newer one of its group, or because its screen closes) never awaits
a coroutine that it was given; Python then warns of it, wherever it happens to collect it.
"""

from __future__ import annotations

import ast
from pathlib import Path

import noderag_local

PACKAGE = Path(noderag_local.__file__).parent
MAKES_NO_COROUTINE = {"partial"}


def test_a_worker_is_given_a_function() -> None:
    starts = [
        (f"{path}:{node.lineno}", node.args[0])
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "run_worker"
    ]
    assert len(starts) > 5
    assert [
        place for place, given in starts if isinstance(given, ast.Call) and _name(given) not in MAKES_NO_COROUTINE
    ] == []


def _name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""
