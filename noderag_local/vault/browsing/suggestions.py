"""Suggests questions for an empty chat, made by rule from names, titles and dates in the notes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from noderag_local.domain.graph import EdgeType
from noderag_local.storage.browsing.suggestion_rows import NamedOften, SuggestionRows
from noderag_local.storage.database.store import Store
from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.system.printing.plain_text import printable
from noderag_local.text.dates.date_names import when
from noderag_local.vault.browsing.judged_names import judged_names
from noderag_local.vault.browsing.name_evidence import is_like_name

SUGGESTED = 3
LOOKED_AT = 100
"""Number of entities and titles that are considered, most prominent first."""
SEVERAL = 2
"""Fewest documents that name what is asked about, if the notes have anything that is named so often."""
LONGEST_NAME = 40
"""Characters; a longer name is a sentence or an accident."""
OLDEST = 1500
"""Earliest year of a suggested month."""
TASKS = "What do I still have to do?"

_LETTER = re.compile(r"[^\W\d_]")
_CODE_SIGN = re.compile(r"[`_/\\<>{}=|$#@*~^\[\]]|\w\.\w|\w\(|::|--")
_MONTHS = "January February March April May June July August September October November December".split()
_DIGIT = re.compile(r"\d")


def suggested_questions(store: Store) -> tuple[str, ...]:
    """Returns at most three questions, of different kinds if possible: about a name, open tasks, or a month.

    The same notes give the same questions, in whatever order they came; an empty vault gives none.
    """
    with store.steady():
        named = SuggestionRows(store).named_often(LOOKED_AT)
        names = _names(store, named)
        titles = SuggestionRows(store).titles(LOOKED_AT)
        tasks = [TASKS] if SuggestionRows(store).has_open_box() else []
    kinds = [_about_names(names), iter(tasks), _about_months(named), _about_documents(titles)]
    first = [question for kind in kinds if (question := next(kind, None))]
    more = [question for kind in kinds for question in kind]
    return tuple(dict.fromkeys([*first, *more]))[:SUGGESTED]


def _names(store: Store, named: Sequence[NamedOften]) -> list[str]:
    """Returns what a person would ask about, the most telling first: people, projects and places in several notes, if there are any."""
    edges = Snapshot.open(store).edges[EdgeType.MENTION]
    likely = {one.node: one for one in named if _is_name(one.name)}
    judged = judged_names(store, {node: one.name for node, one in likely.items()}, [edges[:2]])
    left_out = judged.no_names | judged.counts_for.keys()
    found = [one for node, one in likely.items() if node not in left_out]
    several = [one for one in found if one.documents >= SEVERAL]
    ordered = sorted(several or found, key=lambda one: _weight(one, one.node in judged.noted), reverse=True)
    return [one.name for one in ordered]


def _about_names(names: Sequence[str]) -> Iterator[str]:
    yield from (f"What do my notes say about {_told(name)}?" for name in names[:1])
    yield from (f"How are {_told(first)} and {_told(second)} connected?" for first, second in _pairs(names))
    yield from (f"What do my notes say about {_told(name)}?" for name in names[1:SUGGESTED])


def _weight(one: NamedOften, is_noted: bool) -> int:
    """Returns the number of documents with the name, doubled for several words and for a note of its own.

    "Marta Oliveira" says more than "German".
    """
    return one.documents * (2 if " " in one.name.strip() else 1) * (2 if is_noted else 1)


def _pairs(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Returns the first two names of which neither contains the other: "Marta" and "Marta Oliveira" are one."""
    for second in names[1:]:
        if not _overlap(names[0], second):
            yield names[0], second
            return


def _overlap(first: str, second: str) -> bool:
    return bool(set(first.casefold().split()) & set(second.casefold().split()))


def _about_documents(titles: Sequence[str]) -> Iterator[str]:
    yield from (f"What is “{_told(title)}” about?" for title in titles if _is_title(title))


def _about_months(named: Sequence[NamedOften]) -> Iterator[str]:
    """Yields a question for each month of a date in the notes, the most frequent date first."""
    for one in named:
        date = when(one.name)
        if date is not None and date.month and date.year >= OLDEST:
            yield f"What happened in {_MONTHS[date.month - 1]} {date.year}?"


def _is_name(name: str) -> bool:
    """Whether a text looks like a name that a person would ask about, not a date, amount, address or code."""
    return (
        2 < len(name) <= LONGEST_NAME
        and len(_LETTER.findall(name)) > 2
        and not name[0].islower()
        and not _DIGIT.search(name)
        and not _CODE_SIGN.search(name)
        and is_like_name(name)
    )


def _is_title(title: str) -> bool:
    return len(title) <= 2 * LONGEST_NAME and bool(_LETTER.search(title)) and not _CODE_SIGN.search(title)


def _told(name: str) -> str:
    """Returns a text on one line and safe to print."""
    return " ".join(printable(name).split())
