"""Puts up all walls, in an order in which none blocks a later one."""

from __future__ import annotations

from noderag_local.system.walls.dumps import leave_no_dump
from noderag_local.system.walls.files import leave_files
from noderag_local.system.walls.interpreter import refuse_actions
from noderag_local.system.walls.limits import limit_process, remember_size
from noderag_local.system.walls.standing import Standing, Wall
from noderag_local.system.walls.system_calls import only_compute


def shut_in(has_left_network: bool) -> Standing:
    """Puts up all walls that the system has. The process must have one thread, and can start no other afterwards.

    Args:
        has_left_network: as `network.leave_network` said, here or in the process that forked this one. It comes first, and is
            the one that takes milliseconds.

    Returns:
        The walls that stand.
    """
    remember_size()
    stands = {Wall.NETWORK: has_left_network, Wall.FILES: leave_files(), Wall.DUMPS: leave_no_dump()}
    limit_process()
    refuse_actions()
    stands[Wall.SYSTEM_CALLS] = only_compute()
    return frozenset(wall for wall in stands if stands[wall])
