"""Compares and completes paths by their spelling alone: no file is looked at."""

from __future__ import annotations

import os
from collections.abc import Container
from pathlib import Path


def absolute(path: Path) -> Path:
    """Returns the absolute path of what a person wrote; keeps a "~name" of nobody, for which `Path.expanduser` fails."""
    return Path(os.path.expanduser(path)).absolute()


def lies_in(path: str, folder: str) -> bool:
    """Whether a path is a folder itself or lies below it, at any depth; both absolute."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def nearest(path: str, folders: Container[str]) -> str:
    """Returns the longest of some folders that contain or are a path; "" if none does. The time does not grow with their number."""
    while path not in folders:
        above = os.path.dirname(path)
        if above == path:
            return ""
        path = above
    return path
