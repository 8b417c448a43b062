"""Processes many documents at once; a bug in noderag costs only the documents that trigger it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from noderag_local.domain.errors import NoderagError

ENDS_THE_RUN = (NoderagError, OSError, MemoryError, sqlite3.Error)
"""Errors that concern the machine, the vault or the settings, not a single document."""

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Failure:
    """Stands for the result of an item that failed."""

    kind: str
    """Name of the exception's class, without its message, which may quote the document."""


def each_alone(work: Callable[[Sequence[_Item]], Iterable[_Result]], items: Sequence[_Item]) -> list[_Result | Failure]:
    """Runs `work` on all items at once; if that fails, on each item alone, so that only failing items are lost.

    Args:
        work: returns one result for each item, in the same order.
        items: items to process.

    Raises:
        NoderagError, OSError, MemoryError, sqlite3.Error: errors of `work` that concern the whole run.
    """
    try:
        return list(work(items))
    except ENDS_THE_RUN:
        raise
    except Exception as error:  # noqa: BLE001 - any unknown bug
        if len(items) == 1:
            return [Failure(type(error).__name__)]
    return [result for item in items for result in each_alone(work, [item])]
