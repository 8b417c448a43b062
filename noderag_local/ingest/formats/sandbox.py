"""What the reading process gives up before it meets a file: network, the person's files, writing, other processes, memory
without end.

The libraries that read files are C and Python of many hands. What the operating system refuses holds for both: limits of
resources, and on Linux, where the kernel lets us, a network of its own without a way out, and no file but those that the
libraries are made of. What is refused in the interpreter holds for Python code. Where a system lacks one of them the others
stand.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

from noderag_local.ingest.formats.landlock import open_only

if sys.platform != "win32":
    import resource

OPEN_FILES = 64
"""Descriptors: a few of its own, and the modules that are imported late, one at a time."""

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
"""Where libraries lie, and what they read when they are loaded; nothing of a person's."""

_PR_SET_PDEATHSIG = 1
_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_REFUSED = (
    "socket.",
    "subprocess.",
    "os.",
    "shutil.",
    "tempfile.",
    "pty.",
    "ftplib.",
    "http.client.",
    "urllib.",
    "smtplib.",
)
_ALLOWED = frozenset({"os.add_dll_directory", "os.listdir", "os.putenv", "os.scandir", "os.unsetenv", "os.walk"})
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Refused(PermissionError):
    """A library wanted to do what no reader of a file needs."""


def die_with(parent: int) -> None:
    """Ends this process at the moment its parent is gone, even in the middle of a loop; Linux alone knows how."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # The parent may have gone before the kernel was asked.
    if os.getppid() != parent:
        os._exit(1)


def leave_network() -> bool:
    """Goes where there is no network device; whether the kernel let us. Has to come before any thread is started."""
    if sys.platform != "linux":
        return False
    unshare = ctypes.CDLL(None, use_errno=True).unshare
    return any(unshare(flags) == 0 for flags in (_CLONE_NEWUSER | _CLONE_NEWNET, _CLONE_NEWNET))


def leave_files() -> bool:
    """Opens no file from here on but those of Python and of its libraries; whether the kernel sees to it.

    The file that is to be read needs no opening: its bytes come from the parent. Has to come before any thread is started.
    """
    if sys.platform == "linux":
        _own_size()
    own = [f"{prefix}/{part}" for prefix in {sys.prefix, sys.base_prefix} for part in ("lib", "lib64", "share")]
    named = [path for path in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if path]
    return open_only([*SYSTEM_PLACES, *own, *sys.path, *named])


def refuse_actions() -> None:
    """Lets no Python code open a connection, start a process, or write, move or remove a file, to the end of the process."""
    sys.addaudithook(_audit)


def limit_process() -> None:
    """No file can grow, no process or thread be started, no image of the memory be left behind."""
    if sys.platform == "win32":
        return
    for kind, most in (
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
    ):
        _lower(kind, most, most)


def limit_memory(more_bytes: int) -> None:
    """Lets the process grow by so much from here on, where the system tells how large it is."""
    if sys.platform == "linux":
        now = int(os.pread(_own_size(), 200, 0).split()[0]) * resource.getpagesize()
        _lower(resource.RLIMIT_AS, now + more_bytes, resource.RLIM_INFINITY)


@cache
def _own_size() -> int:
    """Descriptor of the file that tells how large this process is; it stays open, for later it could not be opened."""
    return os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)


def limit_cpu(seconds: int) -> None:
    """Ends the process when it has computed for so long from here on, by a second at most."""
    if sys.platform != "win32":
        usage = resource.getrusage(resource.RUSAGE_SELF)
        used = int(usage.ru_utime + usage.ru_stime)
        _lower(resource.RLIMIT_CPU, used + seconds + 1, resource.RLIM_INFINITY)


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


def _audit(event: str, arguments: Sequence[Any]) -> None:
    if event == "open":
        _, mode, flags = arguments
        if flags & _WRITING or (isinstance(mode, str) and set(mode) & set("wax+")):
            raise Refused(f"a reader wanted to write to {arguments[0]}")
    elif event.startswith(_REFUSED) and event not in _ALLOWED:
        raise Refused(f"a reader wanted {event}")
