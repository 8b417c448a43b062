"""Protects the memory of this process from core dumps and from other programs of the same user."""

from __future__ import annotations

import sys

from noderag_local.system.walls.kernel import PR_SET_DUMPABLE, control_process

if sys.platform != "win32":
    import resource


def leave_no_dump() -> bool:
    """Makes the kernel write no core dump of this process, and stops other programs of this user from reading or stopping it.

    A limit of the size alone does not do: where dumps go to a program (`|/usr/lib/systemd/systemd-coredump`), the kernel sends
    them whatever the limit says. What it costs: debuggers and profilers that attach (gdb, strace, py-spy) need root.

    Returns:
        Whether the kernel sees to it; elsewhere than on Linux only the limit is set.
    """
    if sys.platform != "win32":
        _, most = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (0, most))
    return control_process(PR_SET_DUMPABLE, 0)
