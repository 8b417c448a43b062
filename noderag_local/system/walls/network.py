"""Cuts a process off the network by a network namespace without devices; `system_calls` is a second barrier."""

from __future__ import annotations

from noderag_local.system.walls.kernel import unshare

_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000


def leave_network() -> bool:
    """Moves this process to a network without devices, before any thread starts; returns whether the kernel allowed it.

    Containers and some distributions allow no namespaces.
    """
    return any(unshare(flags) for flags in (_CLONE_NEWUSER | _CLONE_NEWNET, _CLONE_NEWNET))
