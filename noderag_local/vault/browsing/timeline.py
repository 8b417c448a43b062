"""Sentences that name a date, in the order of the dates."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

import numpy as np

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.domain.passages import Source
from noderag_local.storage.browsing.atlas_rows import AtlasRows
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.merged_names import MergedNames
from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.text.dates.date_names import When, when
from noderag_local.text.dates.dates_in_text import said_dates

OLDEST = 1800
"""Year from which a number alone is taken for a year; notes have more numbers than dates of earlier centuries."""
YEARS_AHEAD = 15
"""Years from today on for which the same holds."""
BEFORE_YEARS = frozenset(
    "in since from until till by before after around circa ca c anno year of im seit bis um vor nach jahr jahre en desde hasta"
    " depuis avant après an année año ano em até dal nel del in dopo prima sinds vanaf tot rond jaar".split()
)
"""Words before a number that say that it is a year, in the languages that dates are read in."""
_FOUR_DIGITS = re.compile(r"\d{4}")
_MARKS = ".,;:!?()[]\"'"
_NAMING = (EdgeType.MENTION, EdgeType.RECOGNISED)


@dataclass(frozen=True, slots=True)
class Dated:
    """A sentence with one of the dates that it mentions."""

    when: When
    label: str
    """The date in digits, "1957-06-16"; of decades, centuries and years before Christ the name itself."""
    entity: int
    sentence: int


@dataclass(frozen=True, slots=True)
class Moment:
    """A row of the timeline with its text."""

    label: str
    entity: int
    source: Source


class Timeline:
    """Rows in the order of their dates, those of one date in reading order. Never changes."""

    def __init__(self, rows: Iterable[Dated]) -> None:
        self.rows = tuple(sorted(rows, key=_order))

    def __len__(self) -> int:
        return len(self.rows)

    def within(self, sentences: Collection[int]) -> Timeline:
        """Returns the timeline of some sentences alone."""
        return Timeline(row for row in self.rows if row.sentence in sentences)

    def row_from(self, typed: str) -> int | None:
        """Returns the first row at or after a date as a person types it ("1957", "16 June 1957"), or None.

        Of a range, "1957-06-01..1957-06-07", the first date counts.
        """
        first = typed.partition("..")[0].strip()
        found = when(first) or _begun(first)
        if found is None:
            return None
        return min(bisect_left(self.rows, found, key=lambda row: row.when), max(len(self.rows) - 1, 0))

    def row_near(self, dated: Dated) -> int:
        """Returns the present position of a row of an earlier state, or the position where it would be."""
        return min(bisect_left(self.rows, _order(dated), key=_order), max(len(self.rows) - 1, 0))


def _order(row: Dated) -> tuple[When, int, int]:
    return row.when, row.sentence, row.entity


def read_timeline(store: Store) -> Timeline:
    """Reads the timeline of a vault as it is now. Dates without a year are left out."""
    with store.steady():
        ids, names = GraphRows(store).named(NodeType.ENTITY)
        edges = MergedNames(store).edges(Snapshot.open(store).edges)
    dates = {
        node: (found, _label(found, name))
        for node, name in zip(ids.tolist(), names, strict=True)
        if (found := when(name) or _day_in(name)) is not None
    }
    dated = np.fromiter(dates, np.int64, len(dates))
    by_sentence: defaultdict[int, set[int]] = defaultdict(set)
    for kind in _NAMING:
        found_in, named, _ = edges[kind]
        inside = np.isin(named, dated)
        for sentence, entity in zip(found_in[inside].tolist(), named[inside].tolist(), strict=True):
            by_sentence[sentence].add(entity)
    rows = [
        Dated(*dates[entity], entity, sentence)
        for sentence, entities in by_sentence.items()
        for entity in _exactest(entities, dates)
    ]
    return Timeline(_told_as_dates(store, rows))


def _day_in(name: str) -> When | None:
    """Returns the only day in a title, "Heron: minutes of 7 May 2025": titles are names as a whole, with their dates in them."""
    if not _FOUR_DIGITS.search(name):
        return None
    said = said_dates(name, None)
    if len(said) != 1 or said[0].days.length != 1:
        return None
    day = said[0].days.first
    return When(day.year, day.month, day.day)


def _told_as_dates(store: Store, rows: Sequence[Dated]) -> list[Dated]:
    """Removes numbers that only look like years: "flour type 1050", "1,270 euros"; "in 1050" is one."""
    last = date.today().year + YEARS_AHEAD
    doubtful = [row for row in rows if _is_bare_year(row.when) and not OLDEST <= row.when.year <= last]
    texts = TextRows(store).sentence_texts([row.sentence for row in doubtful])
    wrong = {
        row for row, text in zip(doubtful, texts, strict=True) if not _is_told_as_year(text, row.label.lstrip("0"))
    }
    return [row for row in rows if row not in wrong]


def _is_bare_year(found: When) -> bool:
    return not found.is_span and found.year >= 1 and not any(found[1:3])


def _is_told_as_year(text: str, year: str) -> bool:
    """Returns whether the word before a number says that it is a year."""
    words = [word.strip(_MARKS).casefold() for word in text.split()]
    return any(word == year and before in BEFORE_YEARS for before, word in pairwise(words))


def moments(store: Store, timeline: Timeline, start: int, stop: int) -> dict[int, Moment]:
    """Maps rows start … stop − 1 to their texts; rows whose sentences are gone are left out."""
    rows = dict(enumerate(timeline.rows[start:stop], start))
    with store.steady():
        there = {one.sentence for one in AtlasRows(store).files_of({row.sentence for row in rows.values()})}
        kept = {place: row for place, row in rows.items() if row.sentence in there}
        texts = TextRows(store).passages([row.sentence for row in kept.values()])
    return {place: Moment(row.label, row.entity, text) for (place, row), text in zip(kept.items(), texts, strict=True)}


def _exactest(entities: Iterable[int], dates: Mapping[int, tuple[When, str]]) -> list[int]:
    """Removes dates that contain a more exact one: a sentence with "16 June 1957" also mentions 1957.

    Of names for the same date, such as "7 May 2025" and the file name "2025-05-07", the first stays.
    """
    kept = {dates[one][0]: one for one in sorted(entities, reverse=True)}
    return [one for date, one in sorted(kept.items()) if not any(date.holds(other) for other in kept)]


def _label(found: When, name: str) -> str:
    if found.is_span or found.year < 1:
        return name
    parts = [f"{found.year:04}"] + [f"{part:02}" for part in found[1:3] if part]
    return "-".join(parts)


def _begun(typed: str) -> When | None:
    """Reads an incomplete date in digits: "195", "1957-", "1957-06"."""
    year, _, rest = typed.partition("-")
    month, _, _ = rest.partition("-")
    if not year.isdecimal() or len(year) > 4:
        return None
    number = int(month) if month.isdecimal() and 1 <= int(month) <= 12 else 0
    return When(int(year.ljust(4, "0")), number)
