"""Groups the files and folders that are left out of a vault by the reason."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from noderag_local.domain.documents import Skipped


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The files and folders that are left out for one reason."""

    reason: str
    """As `Skipped.reason`."""
    paths: tuple[str, ...]
    """Sorted."""


def by_reason(skipped: Iterable[Skipped]) -> tuple[LeftOut, ...]:
    """Returns what is left out for each reason, the commonest first."""
    paths: dict[str, list[str]] = {}
    for skip in skipped:
        paths.setdefault(skip.reason, []).append(skip.path)
    groups = [LeftOut(reason, tuple(sorted(found))) for reason, found in paths.items()]
    return tuple(sorted(groups, key=lambda group: -len(group.paths)))
