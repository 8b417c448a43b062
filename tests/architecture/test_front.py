"""What another program imports from the package: every name is there, and importing it loads nothing else."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import noderag_local
from noderag_local.domain import errors

FRONT = ast.parse(Path(noderag_local.__file__).read_bytes())


@pytest.mark.parametrize("name", noderag_local.__all__)
def test_a_public_name_is_the_thing_of_its_module(name: str) -> None:
    thing = getattr(noderag_local, name)
    module = sys.modules[thing.__module__]
    assert getattr(module, thing.__name__) is thing
    assert thing.__name__ == name


def test_the_three_lists_of_names_agree() -> None:
    (block,) = [node for node in FRONT.body if isinstance(node, ast.If)]
    imported = {
        alias.name: f"noderag_local.{noderag_local._MODULE_OF[alias.name]}" == statement.module
        for statement in block.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }
    assert sorted(imported) == sorted(noderag_local._MODULE_OF) == sorted(noderag_local.__all__)
    assert all(imported.values())


def test_every_error_can_be_imported() -> None:
    tree = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert tree <= set(noderag_local.__all__)


def test_a_name_that_is_not_there_is_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Volt'"):
        noderag_local.Volt  # noqa: B018


def test_importing_the_package_imports_no_other_module_of_it() -> None:
    code = "import sys, noderag_local; print(*[name for name in sys.modules if name.startswith('noderag_local.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == []
