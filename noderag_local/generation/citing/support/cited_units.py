"""Holds a claim against the units of the cited passages."""

from __future__ import annotations

from collections.abc import Sequence

from noderag_local.generation.citing.support.claim import Claim
from noderag_local.generation.citing.support.contradictions import (
    counts_otherwise,
    excludes,
    goes_the_other_way,
    invents_year,
    tells_of_another,
    tells_of_other_speaker,
)
from noderag_local.generation.citing.support.passage_units import PassageUnit
from noderag_local.generation.citing.support.polarity import agrees
from noderag_local.generation.citing.support.roles import swapped
from noderag_local.generation.citing.support.text_tokens import TextToken, TokenKind
from noderag_local.generation.citing.support.word_lists import WordLists, needed_concepts

WORD_SHARE = 0.6
"""Minimum share of a claim's words, by weight, that the unit must hold."""
_NOUN = 2.0
"""Weight of a word that names a thing: one with a capital, after an article, or of a needed concept."""
_REPEATED = 0.5
"""Share of its weight that a word of the question has."""
_UNKNOWN = 0.25
"""Share of its weight that a word of the question has that no passage of the context holds."""
_CERTAIN = 0.5
"""Weight of a name, day or number, which the unit holds in any case."""
_NEARBY = 0.8
"""What a word counts that stands in a heading or in the sentence before."""
_ELSEWHERE = -0.5
"""What a word counts that the passages say in another unit: a sign that the claim joins what is apart."""
_INHERITED_NAME = 0.6
_INHERITED = 0.3
"""Shares of the weight of a name and a word that count where a unit only inherits them, in choosing the likeliest unit."""
_SAID_AGAIN = 0.1
"""What is added to that share where the unit itself says what its headings say, too."""
_ASKED = 0.5
"""Weight of a word of the question that a unit holds, in choosing the likeliest unit."""
_SHORTEST_PART = 4
"""Minimum letters of a part of a compound."""


class CitedUnits:
    """The units of the cited passages, and what all passages of the context hold."""

    def __init__(self, units: Sequence[PassageUnit], context: frozenset[str], lists: WordLists) -> None:
        """Keeps the units, the keys of all passages of the context, and the word lists of the language."""
        self._units, self._context, self._lists = units, context, lists
        self._keys = frozenset[str]().union(*(unit.known for unit in units))

    def support(self, claim: Claim) -> bool:
        """Returns whether the unit most like a claim says it; others are not asked, lest they excuse what it contradicts."""
        likeness = [(self._likeness(unit, claim), unit) for unit in self._units]
        most = max((like for like, _ in likeness), default=0.0)
        return most > 0 and any(self._says(unit, claim) for like, unit in likeness if like >= most)

    def most_likeness(self, claim: Claim) -> float:
        """Returns the likeness of the unit most like a claim; 0 if no unit holds anything of it that the question does not say."""
        added = [one for one in claim.content if not claim.repeats(one)] or claim.content
        holding = [unit for unit in self._units if any(map(unit.has, added))]
        return max((self._likeness(unit, claim) for unit in holding), default=0.0)

    def _likeness(self, unit: PassageUnit, claim: Claim) -> float:
        """Returns how much of a claim a unit holds; 0 if it holds nothing itself."""
        own, inherited = _ASKED * len(claim.asked & unit.keys), 0.0
        for one in claim.content:
            if unit.has(one) and unit.headings.isdisjoint(one.keys):
                own += claim.weight(one)
            elif unit.inherits(one):
                share = _INHERITED_NAME if one.kind is TokenKind.NAME else _INHERITED
                inherited += claim.weight(one) * (share + (_SAID_AGAIN if unit.has(one) else 0.0))
        return own + inherited if own else 0.0

    def _says(self, unit: PassageUnit, claim: Claim) -> bool:
        return (
            all(self._may_lack(one, claim) or unit.has(one) or unit.inherits(one) for one in claim.content)
            and self._share(unit, claim) >= WORD_SHARE
            and not excludes(unit, claim)
            and not tells_of_another(unit, claim, self._lists)
            and not invents_year(unit, claim)
            and not counts_otherwise(unit, claim)
            and not goes_the_other_way(unit, claim, self._lists)
            and not swapped(claim.tokens, unit.tokens, unit.topics, self._lists)
            and not self._is_asked_elsewhere(unit, claim)
            and _is_about_the_question(unit, claim)
            and agrees(claim, unit)
            and not tells_of_other_speaker(unit, claim)
        )

    def _may_lack(self, one: TextToken, claim: Claim) -> bool:
        """Returns whether a unit may lack a token: a word, or a name of the question that only passages not cited hold."""
        if one.kind is TokenKind.NAME and claim.repeats(one):
            return one.keys.isdisjoint(self._keys) and not one.keys.isdisjoint(self._context)
        return one.kind is TokenKind.WORD

    def _share(self, unit: PassageUnit, claim: Claim) -> float:
        """Returns the share of a claim's words that a unit holds, by weight."""
        sure = _CERTAIN * sum(one.kind is not TokenKind.WORD and not claim.repeats(one) for one in claim.content)
        got = wanted = sure
        for at, one in enumerate(claim.tokens):
            if one.kind is not TokenKind.WORD:
                continue
            needed, repeated = one.concept in needed_concepts(), claim.repeats(one)
            is_noun = needed or one.is_capital or (at and self._lists.has("articles", claim.tokens[at - 1].text))
            weight = _NOUN if is_noun else 1.0
            held = weight * (_REPEATED if repeated else 1.0)
            if unit.has(one) or _in_compound(one, unit):
                got, wanted = got + held, wanted + held
            elif unit.inherits(one):
                got, wanted = got + _NEARBY * held, wanted + held
            elif not one.keys.isdisjoint(self._keys):
                got, wanted = got + _ELSEWHERE * weight, wanted + weight
            elif needed or not repeated:
                wanted += weight
            elif one.keys.isdisjoint(self._context):
                wanted += _UNKNOWN * weight
        return got / wanted if wanted else 1.0

    def _is_asked_elsewhere(self, unit: PassageUnit, claim: Claim) -> bool:
        """Returns whether another unit of the passage holds all that a fragment answers, and this unit nothing of it."""
        asked = [
            one for one in claim.question if one.kind is not TokenKind.NAME and not one.keys.isdisjoint(self._keys)
        ]
        if not asked or any(unit.has(one) or unit.inherits(one) for one in asked):
            return False
        return any(other.source == unit.source and all(map(other.has, asked)) for other in self._units)


def _is_about_the_question(unit: PassageUnit, claim: Claim) -> bool:
    """Returns False if a claim adds only numbers to words of the question, and the unit has none of these words.

    "The repair cost 85 EUR" is not told by "The plumber fixed the tap, 85 EUR".
    """
    added = [one for one in claim.content if not claim.repeats(one)]
    repeated = [one for one in claim.content if claim.repeats(one) and not one.concept]
    if not repeated or any(one.kind in (TokenKind.WORD, TokenKind.NAME) and not one.concept for one in added):
        return True
    return any(unit.has(one) or unit.inherits(one) for one in repeated)


def _in_compound(one: TextToken, unit: PassageUnit) -> bool:
    """Returns whether a noun is part of a compound of the unit, or a compound with a part there: Rose and Kletterrose."""
    if not one.is_capital or len(one.text) < _SHORTEST_PART:
        return False
    return any(
        other.is_capital
        and len(other.text) >= _SHORTEST_PART
        and (other.text.endswith(one.text) or one.text.endswith(other.text))
        for other in (*unit.tokens, *unit.before)
    )
