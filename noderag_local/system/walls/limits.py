"""Bounds of what a process may use: processor, memory, descriptors; where the system has them."""

from __future__ import annotations

import os
import sys
from functools import cache

if sys.platform != "win32":
    import resource

OPEN_FILES = 64
"""Descriptors: a few of its own, and the modules that are imported late, one at a time."""


def limit_process() -> None:
    """No file can grow, and no process or thread be started."""
    if sys.platform == "win32":
        return
    for kind, most in ((resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_NPROC, 0), (resource.RLIMIT_NOFILE, OPEN_FILES)):
        _lower(kind, most, most)


def remember_size() -> None:
    """Keeps open what tells how large this process is: behind the walls it cannot be opened."""
    if sys.platform == "linux":
        _own_size()


def limit_memory(more_bytes: int) -> None:
    """Lets the process grow by so much from here on, where the system tells how large it is."""
    if sys.platform == "linux":
        now = int(os.pread(_own_size(), 200, 0).split()[0]) * resource.getpagesize()
        _lower(resource.RLIMIT_AS, now + more_bytes, resource.RLIM_INFINITY)


def limit_cpu(seconds: int) -> None:
    """Ends the process when it has computed for so long from here on, by a second at most."""
    if sys.platform != "win32":
        usage = resource.getrusage(resource.RUSAGE_SELF)
        used = int(usage.ru_utime + usage.ru_stime)
        _lower(resource.RLIMIT_CPU, used + seconds + 1, resource.RLIM_INFINITY)


@cache
def _own_size() -> int:
    """Descriptor of the file that tells how large this process is."""
    return os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)


def _lower(kind: int, soft: int, hard: int) -> None:
    """Sets a limit, or leaves it where the one that holds is lower or the system does not know it."""
    most = resource.getrlimit(kind)[1]
    if most != resource.RLIM_INFINITY:
        hard = most if hard == resource.RLIM_INFINITY else min(hard, most)
        soft = min(soft, most)
    try:
        resource.setrlimit(kind, (soft, hard))
    except (OSError, ValueError):
        return
