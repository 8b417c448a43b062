"""Collects what a line finds, from the vault and from its conversations, and orders it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from noderag_local.retrieval.search_line import SearchLine
from noderag_local.text.dates.days import Days
from noderag_local.vault.browsing.instant_search import HitKind, SearchHit
from noderag_local.vault.browsing.name_search import NameSearch

if TYPE_CHECKING:
    from noderag_local.domain.passages import Retrieval
    from noderag_local.vault.vault import Vault

MOST_TALKS = 10


@dataclass(frozen=True, slots=True)
class FoundLines:
    """Everything that is listed for a line."""

    line: SearchLine
    hits: tuple[SearchHit, ...]
    """By how well they fit: names, passages by words, passages by meaning."""
    documents: int = 0
    """Number of all documents that names find, or filters keep."""
    entities: int = 0
    """Number of all entities that names find."""
    talks: int = 0
    """Number of all conversations that names find."""

    def ordered(self, *, by_day: bool) -> tuple[SearchHit, ...]:
        """Returns the hits in the order of the list: as they fit, or the latest day first and what has no day last."""
        if not by_day:
            return self.hits
        return tuple(sorted(self.hits, key=lambda hit: -(hit.day.toordinal() if hit.day else 0)))

    def count(self, kind: HitKind) -> int:
        """Returns the number of hits of a kind."""
        return sum(hit.kind is kind for hit in self.hits)

    def with_meaning(self, hits: Sequence[SearchHit]) -> FoundLines:
        """Returns the same with passages found by meaning at the end."""
        return replace(self, hits=(*self.hits, *hits))


def found_at_once(vault: Vault, line: SearchLine) -> FoundLines:
    """Returns what names and words find.

    Raises:
        VaultMissing: nothing was indexed yet.
        NotFound, SettingsError: the filters name what no document has.
    """
    found = vault.atlas.instant_search().find(line)
    talks = [] if line.has_filters or not line.words else _talks(vault, line.words)
    hits = [*found.hits, *talks[:MOST_TALKS]]
    # Names stand before passages, and documents before entities and these before conversations where all are as near.
    hits.sort(key=lambda hit: (hit.kind is HitKind.TEXT, hit.distance))
    return FoundLines(line, tuple(hits), found.documents, found.entities, len(talks))


def found_by_meaning(vault: Vault, retrieval: Retrieval, found: FoundLines) -> FoundLines:
    """Returns what was found with the passages of a search that are not listed yet; raises the same errors."""
    return found.with_meaning(vault.atlas.instant_search().by_meaning(retrieval, found.line, found.hits))


def _talks(vault: Vault, words: str) -> list[SearchHit]:
    """Returns the conversations whose names have all of the words, the nearest first, then the latest."""
    talks = vault.conversations.search(words)
    by_distance = NameSearch([talk.name] for talk in talks).matching(words)
    days = [talk.changed.astimezone().date() for talk in talks]
    return [
        SearchHit(HitKind.TALK, talks[row].id, talks[row].name, near, days=Days(days[row], days[row]))
        for near, rows in enumerate(by_distance)
        for row in rows
    ]
