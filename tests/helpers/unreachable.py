"""Paths that the system cannot look at, as on a drive that was lost; also for root, who is never refused."""

from __future__ import annotations

from pathlib import Path

TOO_LONG = "n" * 300
"""No file system has such a name."""


def make_unreachable(path: Path) -> Path:
    """Makes a path fail whenever it is looked at: it becomes a link to a name that is too long."""
    path.symlink_to(path.with_name(TOO_LONG))
    return path
