"""One name stands for one thing: whoever reads a class name knows which one is meant."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import noderag_local

PACKAGE = Path(noderag_local.__file__).parent


def public_classes() -> dict[str, list[str]]:
    """Class name → the modules that define a class of this name, private ones left out."""
    found = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_bytes()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(path.relative_to(PACKAGE).as_posix())
    return found


def test_no_public_class_name_stands_twice() -> None:
    assert {name: places for name, places in public_classes().items() if len(places) > 1} == {}
