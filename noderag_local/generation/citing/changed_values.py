"""Finds values that a note says were replaced, so that an answer does not give the old one: "changed from 62 to 58 dB"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from noderag_local.domain.passages import Source
from noderag_local.generation.citing.markers import sentences

_CHANGE = re.compile(
    r"\b(?:chang|mov(?:e|ing)|rais|ris(?:e|ing)|rose|lower|reduc|increas|cut|went (?:up|down)|drop|shift|postpon|switch|updat"
    r"|correct|geänder|änder|verschob|verschieb|verleg|erhöh|gesenk|senk|reduzier|gestiegen|gesunken|angehoben|korrigier"
    r"|pass[ée]|augment|baiss|réduit|déplac|report|corrig|cambi|movid|subi|baj[aóo]|aument|aplaz|pas[óoa])",
    re.IGNORECASE,
)
"""Words without which "from 9 to 17" is a range."""
_FROM_TO = re.compile(
    r"\b(?:from|von|vom|de|du|des|desde|del)\s(?P<old>[^.;!?\n]{1,30}?)"
    r"\s(?:to|auf|zu|zum|nach|à|au|a|al)\s(?P<new>[^,.;!?\n()]{1,30})",
    re.IGNORECASE,
)
_ARROW = re.compile(r"(?P<old>[^,.;:!?\n()]{1,30}?)\s?(?:->|=>|→|⇒)\s?(?P<new>[^,.;!?\n()]{1,30})")
_FORMERLY = re.compile(
    r"\b(?P<new>\d[^,.;:!?\n()]{0,30}?)\s?[(,–-]{1,2}\s?(?:was|were|formerly|previously|before|instead of|up from|down from"
    r"|früher|vorher|zuvor|bisher|statt|vormals|avant|autrefois|au lieu de|auparavant|antes|en vez de)\b:?\s?"
    r"(?P<old>[^,.;!?\n()]{1,30})",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_PAST = re.compile(
    r"\b(?:was|were|before|previous(?:ly)?|former(?:ly)?|old|original(?:ly)?|first|initial(?:ly)?|until|used to|had been|earlier|ago"
    r"|war|waren|vorher|früher|zuerst|ursprünglich|anfangs|bis|alte[rns]?|était|étaient|avant|ancien(?:ne)?|d'abord|initialement"
    r"|era|eran|antes|antigu[oa]|primero|inicialmente|chang|change[sd]?)\b",
    re.IGNORECASE,
)


class ChangedValue(NamedTuple):
    """A sentence that says what a value was, and what it is since."""

    sentence: str
    source: int
    """Number of its source."""
    old: frozenset[str]
    """Numbers that hold no more."""
    new: frozenset[str]
    """The number that holds since."""


def changed_values(sources: Sequence[Source]) -> Iterator[ChangedValue]:
    """Yields the sentences of the sources that give a number that was replaced, best source first."""
    for source in sources:
        for sentence in sentences(source.text):
            shapes = (_FROM_TO, _ARROW, _FORMERLY) if _CHANGE.search(sentence) else (_ARROW, _FORMERLY)
            for match in chain.from_iterable(shape.finditer(sentence) for shape in shapes):
                # What stands behind the new value is of something else: "to 58 dB after 6 pm".
                new = frozenset(_NUMBER.findall(match["new"])[:1])
                old = frozenset(_NUMBER.findall(match["old"])) - new
                if old and new:
                    yield ChangedValue(" ".join(sentence.split()), source.number, old, new)


def asks_for_present(question: str) -> bool:
    """Returns whether a question asks for what holds now, and not for what was."""
    return _PAST.search(question) is None


def outdated(answer: str, changes: Sequence[ChangedValue]) -> ChangedValue | None:
    """Returns the change after which an answer gives the old value as if it held; None for any other answer."""
    said = frozenset(_NUMBER.findall(answer))
    if _PAST.search(answer):
        return None
    return next((one for one in changes if said & one.old and not said & one.new), None)
