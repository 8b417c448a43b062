"""Finds what a unit says otherwise than a claim, although it holds the claim's words."""

from __future__ import annotations

from collections.abc import Sequence

from noderag_local.generation.citing.support.claim import Claim
from noderag_local.generation.citing.support.passage_units import Clause, PassageUnit, deciding
from noderag_local.generation.citing.support.text_tokens import SaidDay, TextToken, TokenKind
from noderag_local.generation.citing.support.word_lists import WordLists, needed_concepts, rivals

_WAYS = frozenset({"to", "from"})
_WAY_TOKENS = 2
"""Maximum number of tokens between "to" or "from" and where it leads."""
_ONE_WORD = 3.0
"""Weight of a single word that the question does not say."""


def excludes(unit: PassageUnit, claim: Claim) -> bool:
    """Returns whether a unit says something that excludes a word of a claim: that he works there, not that he lives there."""
    said = {one.concept for one in claim.tokens} - {""}
    there = {one.concept for one in unit.tokens} - {""}
    if any(f"={concept}" not in unit.known and rivals(concept) & there - said for concept in said):
        return True
    said |= {one.concept for one in claim.question} - {""}
    nearest = _nearest(unit, claim)
    return bool(nearest) and all(_holds_rival(clause, said) for clause in nearest)


def _holds_rival(clause: Clause, said: set[str]) -> bool:
    there = {one.concept for one in clause.tokens} - {""}
    return any(concept not in there and rivals(concept) & there - said for concept in said)


def tells_of_another(unit: PassageUnit, claim: Claim, lists: WordLists) -> bool:
    """Returns whether the clause with a claim's words is about somebody else than the claim."""
    if unit.is_row:
        return False
    nearest = _nearest(unit, claim)
    return _has_other_subject(nearest, claim, lists) or _has_other_name(unit, nearest, claim)


def tells_of_other_speaker(unit: PassageUnit, claim: Claim) -> bool:
    """Returns whether a claim is about somebody in a conversation whom the unit, said there by another, is not about.

    A claim that names nobody is about the first whom the question names.
    """
    speakers = unit.meant | unit.not_meant
    named = (one for one in (*claim.content, *claim.asked_names) if not one.keys.isdisjoint(speakers))
    first = next(named, None)
    return first is not None and first.keys.isdisjoint(unit.meant) and not unit.has(first)


def _has_other_subject(nearest: Sequence[Clause], claim: Claim, lists: WordLists) -> bool:
    """Returns whether the claim's subject is missing in the nearest clause, which begins with or refers to another subject."""
    subject = _subject(claim.tokens, lists)
    if subject is None or not nearest or nearest[0].holds(subject):
        return False
    if antecedent := nearest[0].antecedent:
        return not any(map(subject.same, antecedent))
    lead = _lead(nearest[0], lists)
    return bool(lead) and all(claim.keys.isdisjoint(one.keys) for one in lead)


def _subject(said: Sequence[TextToken], lists: WordLists) -> TextToken | None:
    """Returns the first name without a preposition before it, or the noun with which a claim begins."""
    for at, one in enumerate(said):
        is_marked = at and lists.has("marks", said[at - 1].text)
        if one.kind is TokenKind.NAME and not one.is_possessive and not is_marked:
            return one
    return _first_noun(said, lists)


def _lead(clause: Clause, lists: WordLists) -> Sequence[TextToken]:
    """Returns the first words of a clause up to its subject, "Lea", "daughter Lea", "the cellar"; none if there is none."""
    content = clause.content
    if content and content[0].is_possessive:
        return ()
    for at, one in enumerate(content[:2]):
        if one.kind is TokenKind.NAME and (at == 0 or content[0].concept in needed_concepts()):
            return content[: at + 1]
    noun = _first_noun(clause.tokens, lists)
    return (noun,) if noun else ()


def _first_noun(said: Sequence[TextToken], lists: WordLists) -> TextToken | None:
    """Returns the word after an article with which a sentence begins."""
    is_noun = len(said) > 1 and lists.has("articles", said[0].text) and said[1].kind is TokenKind.WORD
    return said[1] if is_noun else None


def _has_other_name(unit: PassageUnit, nearest: Sequence[Clause], claim: Claim) -> bool:
    """Returns whether each clause with the claim's words names somebody else, and another clause tells of the claim's name."""
    names = [
        one for one in claim.content if one.kind is TokenKind.NAME and any(_tells(its, one) for its in unit.clauses)
    ]
    return bool(names and nearest) and all(
        _names_others(clause, claim)
        and any(not clause.holds(one) for one in names)
        and all(clause.holds(one) or one.keys.isdisjoint(unit.tokens[0].keys) for one in names)
        for clause in nearest
    )


def _tells(clause: Clause, name: TextToken) -> bool:
    """Returns whether a clause has a name and words about it; "and Keemun" has none of its own."""
    return clause.holds(name) and any(one.kind is TokenKind.WORD for one in clause.tokens)


def _names_others(clause: Clause, claim: Claim) -> bool:
    names = [one for one in clause.tokens if one.kind is TokenKind.NAME]
    return bool(names) and all(claim.keys.isdisjoint(one.keys) for one in names)


def invents_year(unit: PassageUnit, claim: Claim) -> bool:
    """Returns whether a claim puts a day of the unit, which has no year, into a year that cannot be meant.

    A note of 16 November 2026 that speaks of 3 March may mean March of either year around it, and no other.
    """
    for said in (one.day for one in claim.tokens if one.day and one.day.year and one.day.month):
        own = [one.day for one in unit.tokens if one.day and one.day.agrees(said)]
        written = [one.day for one in unit.topics if one.day and one.day.year]
        if own and written and not any(day.year for day in own):
            years = {day.year for day in written}
            # A day that comes later in the year than the note may be of the year before; one that comes earlier, of the year after.
            years |= {day.year + (1 if said[1:] < day[1:] else -1) for day in written if day.month}
            if said.year not in years:
                return True
    return False


def counts_otherwise(unit: PassageUnit, claim: Claim) -> bool:
    """Returns whether a unit joins a number of the claim to another day or word, or a word of the claim to another number."""
    if unit.is_row:
        return False
    days = [one.day for one in claim.tokens if one.day]
    for at, one in enumerate(claim.tokens):
        if one.kind is not TokenKind.NUMBER:
            continue
        holding = [clause for clause in unit.clauses if clause.holds(one)]
        after = claim.tokens[at + 1] if at + 1 < len(claim.tokens) else None
        if holding and (_on_other_days(holding, days) or _of_another(holding, unit, claim)):
            return True
        if after and after.kind is TokenKind.WORD and _as_many(unit, after, one) is False:
            return True
    return False


def _on_other_days(holding: Sequence[Clause], days: Sequence[SaidDay]) -> bool:
    """Returns whether all clauses with a number give it days of their own, none of them the claim's."""
    dated = [[one.day for one in clause.tokens if one.day] for clause in holding]
    return bool(days) and all(own and not any(a.agrees(b) for a in own for b in days) for own in dated)


def _of_another(holding: Sequence[Clause], unit: PassageUnit, claim: Claim) -> bool:
    """Returns whether a number belongs to a word that the claim does not say, and the claim's word has one: "ferritin 19, LDL 118"."""
    if any(_overlap(clause, claim) > _ONE_WORD for clause in holding):
        return False
    labelled = all(
        any(one.kind is not TokenKind.NUMBER and claim.keys.isdisjoint(one.keys) for one in clause.content)
        for clause in holding
    )
    words = [one for one in claim.content if one.kind is TokenKind.WORD]
    return labelled and any(
        any(clause.holds(one) for one in words)
        and any(one.kind is TokenKind.NUMBER and claim.keys.isdisjoint(one.keys) for one in clause.tokens)
        for clause in unit.clauses
    )


def _as_many(unit: PassageUnit, counted: TextToken, number: TextToken) -> bool | None:
    """Returns whether the unit counts a thing with this number; None if it does not count it."""
    numbers = [
        before.keys
        for before, after in zip(unit.tokens, unit.tokens[1:], strict=False)
        if before.kind is TokenKind.NUMBER and not after.keys.isdisjoint(counted.keys)
    ]
    return any(not number.keys.isdisjoint(keys) for keys in numbers) if numbers else None


def goes_the_other_way(unit: PassageUnit, claim: Claim, lists: WordLists) -> bool:
    """Returns whether a claim says "to" where the unit says "from", or the other way round."""
    for at, one in enumerate(claim.tokens):
        way = _way(claim.tokens, at, lists) if one.is_content else ""
        if way and {_way(unit.tokens, n, lists) for n, other in enumerate(unit.tokens) if one.same(other)} - {
            ""
        } == _WAYS - {way}:
            return True
    return False


def _way(said: Sequence[TextToken], at: int, lists: WordLists) -> str:
    """Returns "to" or "from" if such a word stands before a token, else ""."""
    for one in reversed(said[max(0, at - _WAY_TOKENS) : at]):
        if one.is_content or one.kind is TokenKind.STOP:
            return ""
        for way in sorted(_WAYS):
            if lists.has(way, one.text):
                return way
    return ""


def _nearest(unit: PassageUnit, claim: Claim) -> Sequence[Clause]:
    """Returns the clauses of a unit that hold most of a claim's words; none if none holds any."""
    overlaps = [(_overlap(clause, claim), clause) for clause in unit.clauses]
    most = max((overlap for overlap, _ in overlaps), default=0.0)
    return deciding(claim.content, [clause for overlap, clause in overlaps if most and overlap == most])


def _overlap(clause: Clause, claim: Claim) -> float:
    """Returns how much of a claim a clause holds, names not counted."""
    return sum(claim.weight(one) for one in claim.content if one.kind is not TokenKind.NAME and clause.holds(one))
