"""Calls of the Linux kernel that Python has no function for."""

from __future__ import annotations

import ctypes
import sys
from functools import cache

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38
"""Numbers of linux/prctl.h."""


def control_process(option: int, value: int) -> bool:
    """prctl(2) with one value; whether the kernel did it. False where there is no Linux."""
    if sys.platform != "linux":
        return False
    # Longs: of an int the upper half would be whatever the register held.
    return bool(_library().prctl(option, *map(ctypes.c_ulong, (value, 0, 0, 0))) == 0)


def unshare(flags: int) -> bool:
    """unshare(2); whether the kernel did it. False where there is no Linux."""
    return sys.platform == "linux" and bool(_library().unshare(flags) == 0)


def system_call(number: int, *arguments: object) -> int:
    """syscall(2): what the kernel answers, -1 where it refused. -1 where there is no Linux."""
    return int(_library().syscall(ctypes.c_long(number), *arguments)) if sys.platform == "linux" else -1


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
