"""Calls of the Linux kernel that Python has no function for."""

from __future__ import annotations

import ctypes
import sys
from functools import cache

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38
"""Numbers of linux/prctl.h."""


def control_process(option: int, value: int) -> bool:
    """Calls prctl(2) with one value; returns whether the kernel did it, False on other systems than Linux."""
    if sys.platform != "linux":
        return False
    # Longs: of an int the upper half would be whatever the register held.
    return bool(_library().prctl(option, *map(ctypes.c_ulong, (value, 0, 0, 0))) == 0)


def unshare(flags: int) -> bool:
    """Calls the system call `unshare`; returns whether the kernel did it, False on other systems than Linux."""
    return sys.platform == "linux" and bool(_library().unshare(flags) == 0)


def system_call(number: int, *arguments: object) -> int:
    """Calls syscall(2); returns the kernel's answer, -1 where it refused and on other systems than Linux."""
    return int(_library().syscall(ctypes.c_long(number), *arguments)) if sys.platform == "linux" else -1


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
