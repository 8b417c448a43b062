"""Asks whether a file or folder is there; what cannot be looked at counts as not there.

Up to Python 3.13, `Path.exists`, `Path.is_file` and `Path.is_dir` raise an OSError where the system cannot look: on a drive that was
lost, in a folder without permission, or for a name that is too long. These functions never do, so they suit paths that a person typed
or that were noted long ago.
"""

from __future__ import annotations

import os
from pathlib import Path


def is_there(path: str | Path) -> bool:
    """Returns whether anything is at a path."""
    return os.path.exists(path)


def is_file(path: str | Path) -> bool:
    """Returns whether a file is at a path."""
    return os.path.isfile(path)


def is_folder(path: str | Path) -> bool:
    """Returns whether a folder is at a path."""
    return os.path.isdir(path)
