"""Gives up a process's access to files, and on newer kernels to connections and signals, by Landlock of Linux 5.13 and later.

No code that runs in the process later can get the access back. Landlock restricts only the opening of files: files that are
already open stay usable. Numbers and structures are those of linux/landlock.h.
"""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Iterable

from noderag_local.system.walls.kernel import PR_SET_NO_NEW_PRIVS, control_process, system_call

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""Numbers of the calls, the same on every processor that Python runs on."""
_VERSION = 1
_PATH_BENEATH = 1

_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_FILE_RIGHTS_BY_VERSION = {1: 13, 2: 14, 3: 15, 5: 16}
"""Version of the interface -> number of rights over files that it knows, from the lowest bit on."""
_NETWORK_SINCE, _NETWORK_RIGHTS = 4, 0b11
"""Rights to bind and connect with TCP, and the version that knows them."""
_SCOPES_SINCE, _SCOPES = 6, 0b11
"""Limits on abstract sockets and on signals to other processes, and the version that knows them."""


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def landlock_version() -> int:
    """Returns the version of the kernel's interface; 0 where there is none or it is switched off."""
    return max(system_call(_CREATE_RULESET, None, 0, _VERSION), 0)


def open_only(readable: Iterable[str]) -> bool:
    """Limits this process to opening the given files and folders for reading. Must be called before any thread starts.

    Args:
        readable: absolute paths; a folder includes everything below it. Missing paths are ignored.

    Returns:
        Whether the kernel enforces the limit.
    """
    version = landlock_version()
    if not version:
        return False
    ruleset = system_call(_CREATE_RULESET, *_what_is_given_up(version), 0)
    if ruleset < 0:
        return False
    try:
        for path in readable:
            _allow(ruleset, path)
        return control_process(PR_SET_NO_NEW_PRIVS, 1) and system_call(_RESTRICT_SELF, ruleset, 0) == 0
    finally:
        os.close(ruleset)


def _what_is_given_up(version: int) -> tuple[object, int]:
    """Returns a reference to the structure of this version, and its size in bytes."""
    rights = max(count for since, count in _FILE_RIGHTS_BY_VERSION.items() if since <= version)
    ruleset = _Ruleset(files=(1 << rights) - 1)
    size = ctypes.sizeof(ctypes.c_uint64)
    if version >= _NETWORK_SINCE:
        ruleset.network = _NETWORK_RIGHTS
        size *= 2
    if version >= _SCOPES_SINCE:
        ruleset.scoped = _SCOPES
        size = ctypes.sizeof(_Ruleset)
    return ctypes.byref(ruleset), size


def _allow(ruleset: int, path: str) -> None:
    try:
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        is_folder = stat.S_ISDIR(os.fstat(parent).st_mode)
        rule = _PathBeneath(allowed=_READ_FILE | _READ_DIR if is_folder else _READ_FILE, parent=parent)
        system_call(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(parent)
