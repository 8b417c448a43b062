"""Compares and completes paths by their text alone, without reading the file system."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable
from pathlib import Path


def absolute(path: Path) -> Path:
    """Returns the absolute path of a user's input; keeps an unknown "~name", for which `Path.expanduser` fails."""
    return Path(os.path.expanduser(path)).absolute()


def lies_in(path: str, folder: str) -> bool:
    """Returns whether a path is a folder or lies below it at any depth; both are absolute."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def outermost(paths: Iterable[str]) -> set[str]:
    """Returns the paths that lie in no other one of them; all are absolute."""
    all_paths = frozenset(paths)
    return {path for path in all_paths if path == os.sep or not nearest(os.path.dirname(path), all_paths)}


def nearest(path: str, folders: Container[str]) -> str:
    """Returns the longest folder that is, or contains, a path; "" if none does. The time does not grow with their number."""
    while path not in folders:
        above = os.path.dirname(path)
        if above == path:
            return ""
        path = above
    return path
