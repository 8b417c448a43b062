"""Where one path lies to another, by their spelling alone: no file is looked at."""

from __future__ import annotations

import os


def lies_in(path: str, folder: str) -> bool:
    """Whether a path is a folder itself or lies below it, at any depth; both absolute."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
