"""Putting up all walls, in the order in which one does not stand in the way of another."""

from __future__ import annotations

from noderag_local.walls.dumps import leave_no_dump
from noderag_local.walls.files import leave_files
from noderag_local.walls.interpreter import refuse_actions
from noderag_local.walls.limits import limit_process, remember_size
from noderag_local.walls.network import leave_network
from noderag_local.walls.standing import Standing, Wall
from noderag_local.walls.system_calls import only_compute


def shut_in_family() -> Standing:
    """Puts up what holds for this process and for those that it forks; as long as it has one thread.

    Returns:
        The walls that stand.
    """
    made = {Wall.NETWORK: leave_network()}
    remember_size()
    made |= {Wall.FILES: leave_files(), Wall.DUMPS: leave_no_dump()}
    return frozenset(wall for wall, stands in made.items() if stands)


def shut_in() -> Standing:
    """Puts up the rest, behind which no process is started; comes after `shut_in_family`.

    Returns:
        The walls that were added.
    """
    limit_process()
    refuse_actions()
    return frozenset({Wall.SYSTEM_CALLS} if only_compute() else ())
