"""What a path means, and where it lies to another, by their spelling alone: no file is looked at."""

from __future__ import annotations

import os
from collections.abc import Container
from pathlib import Path


def absolute(path: Path) -> Path:
    """A path as a person writes it, from the root; a "~name" of nobody stays as it is, where `Path.expanduser` fails."""
    return Path(os.path.expanduser(path)).absolute()


def lies_in(path: str, folder: str) -> bool:
    """Whether a path is a folder itself or lies below it, at any depth; both absolute."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def nearest(path: str, folders: Container[str]) -> str:
    """The longest of some folders that hold a path, or are it; "" where none does. However many they are, it costs the same."""
    while path not in folders:
        above = os.path.dirname(path)
        if above == path:
            return ""
        path = above
    return path
