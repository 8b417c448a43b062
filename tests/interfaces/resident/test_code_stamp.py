"""The resident process sees changes of its program, and takes compiled modules for none."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import noderag_local
from noderag_local.interfaces.resident.code_stamp import CodeStamp


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small program in the place of ours."""
    folder = tmp_path / "package"
    (folder / "inner").mkdir(parents=True)
    for name in ("__init__.py", "inner/words.py"):
        (folder / name).write_text("LIST = 1\n", encoding="utf-8")
    monkeypatch.setattr(noderag_local, "__file__", str(folder / "__init__.py"))
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    return folder


def is_compiled(package: Path) -> None:
    (package / "inner/__pycache__").mkdir()
    (package / "inner/__pycache__/words.cpython-311.pyc").write_bytes(b"compiled")


def comes_and_goes(package: Path) -> None:
    (package / "inner/words.py.new").touch()
    (package / "inner/words.py.new").unlink()


@pytest.mark.parametrize("happens", [is_compiled, comes_and_goes])
def test_what_changes_no_file_is_no_change(package: Path, happens: Callable[[Path], None]) -> None:
    stamp = CodeStamp()
    happens(package)
    assert not stamp.is_replaced()
    assert not stamp.is_changed()


def is_added(package: Path) -> None:
    (package / "inner/more.py").touch()


def is_removed(package: Path) -> None:
    (package / "inner/words.py").unlink()


def takes_the_place(package: Path) -> None:
    new = package / "inner/words.py.new"
    new.write_text("LIST = 2\n", encoding="utf-8")
    os.utime(new, ns=(1, 1))
    new.replace(package / "inner/words.py")


def pip_installs(package: Path) -> None:
    (package.parent / "numpy-9.0.dist-info").mkdir()


@pytest.mark.parametrize("happens", [is_added, is_removed, takes_the_place, pip_installs])
def test_another_file_is_seen_at_once(package: Path, happens: Callable[[Path], None]) -> None:
    stamp = CodeStamp()
    assert not stamp.is_replaced()
    happens(package)
    assert stamp.is_replaced()
    assert stamp.is_changed()


def test_what_an_editor_writes_into_a_file_is_seen_by_the_longer_look(package: Path) -> None:
    stamp = CodeStamp()
    (package / "inner/words.py").write_text("LIST = 2000\n", encoding="utf-8")
    assert stamp.is_changed()
