"""Drives that tests take in and out, on machines where the one who runs them may mount."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


class Drive:
    """What lies in one folder is seen in another, its place, while the drive is plugged in."""

    def __init__(self, content: Path, place: Path) -> None:
        self.content = content
        self.place = place
        self._is_in = False

    def plug(self) -> None:
        """Skips the test where that is not allowed."""
        self.place.mkdir(parents=True, exist_ok=True)
        mount(self.place, "--bind", str(self.content))
        self._is_in = True

    def pull(self) -> None:
        """Harmless when it is out."""
        if self._is_in:
            subprocess.run(["umount", str(self.place)], check=True)
            self._is_in = False


def mount(place: Path, *what: str) -> None:
    """Mounts something at a folder; skips the test where that is not allowed."""
    try:
        done = subprocess.run(["mount", *what, str(place)], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount here")
    if done.returncode:
        pytest.skip(f"mounting is not allowed here: {done.stderr.strip()}")


@contextmanager
def memory_drive(place: Path) -> Iterator[None]:
    """An empty file system of its own at a folder."""
    mount(place, "-t", "tmpfs", "none")
    try:
        yield
    finally:
        subprocess.run(["umount", str(place)], check=True)


@contextmanager
def drive(content: Path, place: Path) -> Iterator[Drive]:
    """A drive that is out, and is out afterwards."""
    one = Drive(content, place)
    try:
        yield one
    finally:
        one.pull()
