"""Completes the filter at the end of a line that is being typed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from noderag_local.interfaces.tui.shared.scope_offers import Offer, day_offers, folder_offers
from noderag_local.retrieval.scope import ScopeChoices
from noderag_local.retrieval.search_line import half_filter, written
from noderag_local.system.printing.plain_text import printable

MOST_OFFERED = 8
"""Completions of a filter; typing narrows them down."""


@dataclass(frozen=True, slots=True)
class FilterChoices:
    """What the filters of a line may name."""

    scope: ScopeChoices
    kinds: tuple[str, ...]
    """Endings of the files in the vault, the commonest first."""


@dataclass(frozen=True, slots=True)
class FilterHint:
    """A completion of the filter at the end of a line."""

    shown: str
    """The value of the filter, as short as it can be told apart."""
    line: str
    """The whole line after it is accepted; it ends with a blank."""


def filter_hints(line: str, choices: FilterChoices) -> list[FilterHint]:
    """Returns the completions of the filter at the end of a line, at most MOST_OFFERED; none if the line ends otherwise."""
    half = half_filter(line)
    if half is None:
        return []
    typed = half.value.casefold()
    offers = _offers(half.key, choices)
    # What was typed whole needs no completion, and a name with characters that no field can show cannot be entered.
    if any(typed and typed == one.value.casefold() for one in offers):
        return []
    found = [one for one in offers if typed in one.shown.casefold() and printable(one.value) == one.value]
    found.sort(key=lambda one: not one.shown.casefold().startswith(typed))
    before = line[: half.start]
    return [FilterHint(one.shown, f"{before}{written(half.key, one.value)} ") for one in found[:MOST_OFFERED]]


def _offers(key: str, choices: FilterChoices) -> Sequence[Offer]:
    if key == "folder":
        return _folders(choices.scope.folders)
    if key in ("tag", "kind"):
        return [Offer(one, one) for one in (choices.scope.tags if key == "tag" else choices.kinds)]
    return day_offers(date.today(), is_first=key in ("after", "since"))


def _folders(paths: Sequence[str]) -> list[Offer]:
    """Returns folders by their short names, if all of them lie in one that was indexed: a scope finds them from there."""
    offers = folder_offers(paths)
    is_one = bool(paths) and os.path.commonpath(paths) in paths
    return [Offer(one.shown, one.shown) for one in offers] if is_one else offers
