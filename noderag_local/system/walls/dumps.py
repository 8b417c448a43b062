"""Protects the memory of this process from core dumps and from other programs of the same user."""

from __future__ import annotations

import sys

from noderag_local.system.walls.kernel import PR_SET_DUMPABLE, control_process

if sys.platform != "win32":
    import resource


def leave_no_dump() -> bool:
    """Makes the kernel write no core dump of this process, and stops other programs of this user from reading or stopping it.

    A limit on their size is not enough: if dumps are piped to a program (`|/usr/lib/systemd/systemd-coredump`), the kernel
    ignores the limit. Debuggers and profilers that attach to a process (gdb, strace, py-spy) then need root.

    Returns:
        Whether the kernel enforces it; on other systems than Linux only the limit is set.
    """
    if sys.platform != "win32":
        _, most = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (0, most))
    return control_process(PR_SET_DUMPABLE, 0)
