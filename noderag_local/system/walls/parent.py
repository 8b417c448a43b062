"""Makes a process end with the one that started it."""

from __future__ import annotations

import os
import signal
import sys

from noderag_local.system.walls.kernel import PR_SET_PDEATHSIG, control_process


def die_with(parent: int) -> None:
    """Makes the kernel end this process as soon as its parent ends, even within a loop; works on Linux only.

    Call it after a change of namespaces, since the kernel forgets it when a process gains rights.
    """
    if sys.platform != "linux":
        return
    control_process(PR_SET_PDEATHSIG, signal.SIGKILL)
    # The parent may have gone before the kernel was asked.
    if os.getppid() != parent:
        os._exit(1)
