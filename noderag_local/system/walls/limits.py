"""Limits on the processor time, memory and descriptors of a process, where the system has them."""

from __future__ import annotations

import os
import sys
from functools import cache

if sys.platform != "win32":
    import resource

OPEN_FILES = 64
"""Most open descriptors: a few for the process itself, and one for a module that is imported late."""


def limit_process() -> None:
    """Stops this process from making files larger and from starting processes or threads."""
    if sys.platform == "win32":
        return
    for kind, most in ((resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_NPROC, 0), (resource.RLIMIT_NOFILE, OPEN_FILES)):
        _lower(kind, most, most)


def remember_size() -> None:
    """Opens the file that contains the memory size of this process; the walls prevent opening it later."""
    if sys.platform == "linux":
        _own_size()


def limit_memory(more_bytes: int) -> None:
    """Limits the growth of this process from now on, where the system tells its size."""
    if sys.platform == "linux":
        now = int(os.pread(_own_size(), 200, 0).split()[0]) * resource.getpagesize()
        _lower(resource.RLIMIT_AS, now + more_bytes, resource.RLIM_INFINITY)


def limit_cpu(seconds: int) -> None:
    """Limits the processor time of this process from now on, to within a second; the kernel ends it then."""
    if sys.platform != "win32":
        usage = resource.getrusage(resource.RUSAGE_SELF)
        used = int(usage.ru_utime + usage.ru_stime)
        _lower(resource.RLIMIT_CPU, used + seconds + 1, resource.RLIM_INFINITY)


@cache
def _own_size() -> int:
    """Returns a descriptor of the file that contains the memory size of this process."""
    return os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)


def _lower(kind: int, soft: int, hard: int) -> None:
    """Lowers a limit; does nothing where it is lower already or the system does not know it."""
    most = resource.getrlimit(kind)[1]
    if most != resource.RLIM_INFINITY:
        hard = most if hard == resource.RLIM_INFINITY else min(hard, most)
        soft = min(soft, most)
    try:
        resource.setrlimit(kind, (soft, hard))
    except (OSError, ValueError):
        return
