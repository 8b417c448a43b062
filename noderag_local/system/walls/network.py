"""A network of its own without a way out, where the kernel lets us: the first wall around connections, `system_calls` the second."""

from __future__ import annotations

from noderag_local.system.walls.kernel import unshare

_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000


def leave_network() -> bool:
    """Goes where there is no network device; whether the kernel let us. Has to come before any thread is started.

    Containers and some distributions let nobody have a namespace of his own.
    """
    return any(unshare(flags) for flags in (_CLONE_NEWUSER | _CLONE_NEWNET, _CLONE_NEWNET))
