"""Writes paths as people read them."""

from __future__ import annotations

import os

from noderag_local.system.paths import lies_in


def from_home(path: str | os.PathLike[str]) -> str:
    """Returns a path with "~" for the home folder."""
    written, home = os.fspath(path), os.path.expanduser("~")
    return f"~{written[len(home) :]}" if lies_in(written, home) and home != os.sep else written
