"""Works on many documents at once, so that a bug in noderag costs only the documents that cause it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from noderag_local.domain.errors import NoderagError

ENDS_THE_RUN = (NoderagError, OSError, MemoryError, sqlite3.Error)
"""Errors about the machine, the vault or the settings rather than a document."""

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Failure:
    """Error of an item, in place of its result."""

    kind: str
    """Name of the exception's class; its message may quote the document."""


def each_alone(work: Callable[[Sequence[_Item]], Iterable[_Result]], items: Sequence[_Item]) -> list[_Result | Failure]:
    """Returns the results of all items, made at once; if that fails, one by one, so that only the failing ones are lost.

    Args:
        work: gives a result for each item, in their order.
        items: what to work on.

    Raises:
        NoderagError, OSError, MemoryError, sqlite3.Error: as `work` does; they end the run.
    """
    try:
        return list(work(items))
    except ENDS_THE_RUN:
        raise
    except Exception as error:  # noqa: BLE001 - a fault that nobody knows of yet
        if len(items) == 1:
            return [Failure(type(error).__name__)]
    return [result for item in items for result in each_alone(work, [item])]
