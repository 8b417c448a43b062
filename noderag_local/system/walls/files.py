"""Limits a process to reading the files of Python and its libraries."""

from __future__ import annotations

import os
import sys

from noderag_local.system.walls.landlock import open_only

SYSTEM_PLACES = (
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/gnu/store",
    "/home/linuxbrew/.linuxbrew",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/ssl/openssl.cnf",
    "/dev/null",
    "/dev/urandom",
)
"""Folders of libraries, and files that libraries read when they are loaded; none belongs to a user."""


def leave_files() -> bool:
    """Lets this process open only the files of Python and its libraries; returns whether the kernel enforces it.

    What the process is to read needs no opening: its bytes come from the parent. Has to come before any thread is started.
    """
    own = [f"{prefix}/{part}" for prefix in {sys.prefix, sys.base_prefix} for part in ("lib", "lib64", "share")]
    named = [path for path in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if path]
    return open_only([*SYSTEM_PLACES, *own, *sys.path, *named])
