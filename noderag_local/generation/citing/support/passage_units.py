"""Divides a passage into units: sentences, list items and rows of tables, each with what it inherits from those around it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from noderag_local.generation.citing.markers import sentences
from noderag_local.generation.citing.support.speakers import spoken_sentence
from noderag_local.generation.citing.support.text_tokens import SaidDay, TextToken, TokenKind, named, tokens
from noderag_local.generation.citing.support.word_lists import WordLists, word_lists
from noderag_local.text.no_answers import NO_ANSWERS

_BULLET = re.compile(r"^\s*(?:[-*+•]\s+|\d{1,3}[.)]\s+)?(?:\[[ xX]\]\s+)?")
_LINK = re.compile(r"\[\[(?:[^\[\]|\n]{0,200}+\|)?([^\[\]|\n]{1,200}+)\]\]")
_EMPHASIS = re.compile(r"[*`~]|(?<!\w)_|_(?!\w)")
_HEADING = re.compile(r"^#{1,6}\s+")
_RULE = re.compile(r"^[|\s:\-]+$")
LONGEST_UNIT = 600
"""Maximum characters of a unit, so that the work stays linear in the length of a passage."""
LONGEST_MEMORY = 40
"""Maximum number of words of earlier sentences to which a sentence may refer."""

LONGEST_LABEL = 3
"""Maximum number of tokens before a colon that label what follows."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence between commas or conjunctions."""

    tokens: tuple[TextToken, ...]
    denied: bool
    doubted: bool
    antecedent: tuple[TextToken, ...] = ()
    """Tokens that a relative clause refers to, with their label: "Brother: Rui" in "Brother: Rui, who lives in Porto"."""

    @property
    def content(self) -> tuple[TextToken, ...]:
        """Tokens that say something."""
        return tuple(one for one in self.tokens if one.is_content)

    def holds(self, one: TextToken) -> bool:
        """Returns whether a token of the clause says the same as another token."""
        return any(map(one.same, self.tokens))


@dataclass(frozen=True, slots=True)
class PassageUnit:
    """A sentence, list item or row of a passage."""

    tokens: tuple[TextToken, ...]
    clauses: tuple[Clause, ...]
    source: int
    """Number of its passage."""
    topics: tuple[TextToken, ...] = ()
    """What it may be about without saying it: title, headings, column names, the subject before."""
    days: tuple[SaidDay, ...] = ()
    """Days that hold for it: its own, else those of its line, else those of the headings."""
    before: tuple[TextToken, ...] = ()
    """Tokens of the sentence before, where this one refers to it."""
    keys: frozenset[str] = frozenset()
    headings: frozenset[str] = frozenset()
    """Keys of the title, headings and column names, which hold for all units below them."""
    known: frozenset[str] = frozenset()
    """Keys of `tokens`, `topics` and `before`."""
    is_row: bool = False
    meant: frozenset[str] = frozenset()
    """Keys of those who speak in the same conversation, and whom the unit may be about; empty outside a conversation."""
    not_meant: frozenset[str] = frozenset()
    """Keys of the others who speak there."""

    def has(self, one: TextToken) -> bool:
        """Returns whether the unit itself says what a token says."""
        return not one.keys.isdisjoint(self.keys) or bool(one.day and any(map(one.same, self.tokens)))

    def inherits(self, one: TextToken) -> bool:
        """Returns whether the headings, the sentence before or the days that hold for the unit say what a token says."""
        if one.day:
            return any(map(one.day.agrees, self.days))
        if one.kind is TokenKind.NUMBER and any(str(part) in one.keys for day in self.days for part in day if part):
            return True
        return not one.keys.isdisjoint(self.known)


def clauses(said: Sequence[TextToken], lists: WordLists, one_clause: bool = False) -> tuple[Clause, ...]:
    """Divides tokens into clauses; with `one_clause` not at all, as befits a row of a table.

    Doubt goes on over conjunctions up to the next punctuation, denial does not.
    """
    if one_clause:
        return (Clause(tuple(said), False, False),)
    groups: list[tuple[list[TextToken], bool]] = [([], False)]
    for one in said:
        if one.kind is TokenKind.STOP:
            groups.append(([], False))
        elif lists.has("breaks", one.text):
            groups.append(([one], True))
        else:
            groups[-1][0].append(one)
    found: list[Clause] = []
    doubted = False
    for (group, goes_on), (behind, _) in zip_longest(groups, groups[1:], fillvalue=((), False)):
        doubted = (goes_on and doubted) or any(lists.has("perhaps", one.text) for one in group)
        if group:
            # "Visa needed: no" denies what stands before the colon.
            is_answered = bool(behind) and all(lists.has("not", one.text) or one.text in NO_ANSWERS for one in behind)
            denied = is_answered or any(lists.has("not", one.text) for one in group)
            found.append(Clause(tuple(group), denied, doubted, _antecedent(group, found, lists)))
    return tuple(found)


def _antecedent(group: Sequence[TextToken], before: Sequence[Clause], lists: WordLists) -> tuple[TextToken, ...]:
    """Returns the tokens that a clause refers to if it is a relative clause behind a name; () if it is none."""
    if not (before and lists.has("relatives", group[0].text) and before[-1].tokens[-1].kind is TokenKind.NAME):
        return ()
    is_labelled = len(before) > 1 and len(before[-2].tokens) <= LONGEST_LABEL
    return (*(before[-2].tokens if is_labelled else ()), *before[-1].tokens)


def deciding(content: Sequence[TextToken], nearest: Sequence[Clause]) -> Sequence[Clause]:
    """Returns which of several equally near clauses hold the last word of `content` that only some of them hold.

    "Likes roses" is as near to "likes peonies" as to "not roses"; its last word decides.
    """
    for one in reversed(content):
        holding = [clause for clause in nearest if clause.holds(one)]
        if 0 < len(holding) < len(nearest):
            return holding
    return nearest


def units(
    text: str,
    headings: Sequence[str],
    source: int,
    language: str,
    names: frozenset[str],
    speakers: frozenset[str] = frozenset(),
) -> Iterator[PassageUnit]:
    """Yields the units of a passage.

    Args:
        text: the passage.
        headings: its title and the headings above it.
        source: its number.
        language: ISO 639-1 code.
        names: casefolded names of all passages, so that one at the start of a sentence is known.
        speakers: names with which the turns of a conversation begin.
    """
    lists = word_lists(language)
    above = [one for heading in headings for one in named(tokens(heading, language), names) if one.is_content]
    below: list[TextToken] = []
    state = _Before()
    header: list[TextToken] = []
    for line in _LINK.sub(r"\1", text).splitlines():
        plain = _EMPHASIS.sub("", _BULLET.sub("", line)).strip()
        if not plain or _RULE.match(plain):
            continue
        if _HEADING.match(plain):
            below = [one for one in tokens(_HEADING.sub("", plain), language) if one.is_content]
            header, state = [], _Before()
            continue
        has_columns = plain.startswith("|") or plain.count(" | ") > 1
        is_row = has_columns or plain.count(": ") > 1 < plain.count("; ") + 1
        if has_columns and not header:
            header = [one for one in tokens(plain, language) if one.is_content]
        context = (*above, *below, *(header if has_columns else ()))
        state.begin_line()
        turn = spoken_sentence(plain, speakers, lists)
        if turn is None:
            yield from _line(plain, context, source, lists, names, is_row, state)
            continue
        topics = (*turn.meant, *(one for one in context if one.keys.isdisjoint(turn.not_meant_keys)))
        for unit in _line(turn.said, topics, source, lists, names, is_row, state):
            yield replace(unit, meant=turn.meant_keys, not_meant=turn.not_meant_keys)


def _line(
    line: str,
    context: tuple[TextToken, ...],
    source: int,
    lists: WordLists,
    names: frozenset[str],
    is_row: bool,
    state: _Before,
) -> Iterator[PassageUnit]:
    """Yields the units of a line: its sentences, or itself if it is a row of a table."""
    pieces = [line] if is_row else sentences(line)
    for sentence in (piece[at : at + LONGEST_UNIT] for piece in pieces for at in range(0, len(piece), LONGEST_UNIT)):
        said = named(tokens(sentence, lists.language), names)
        if not said:
            continue
        refers = any(lists.has("they", one.text) for one in said)
        own_days = tuple(one.day for one in said if one.day)
        topics = (*context, *state.topics(said, refers))
        before = state.last if refers else ()
        keys = frozenset(key for one in said for key in one.keys)
        yield PassageUnit(
            tuple(said),
            clauses(said, lists, is_row),
            source,
            topics,
            own_days or state.days or tuple(one.day for one in context if one.day),
            before,
            keys,
            frozenset(key for one in context for key in one.keys),
            keys.union(*(one.keys for one in (*topics, *before))),
            is_row,
        )
        state.read(said, own_days, refers)


@dataclass(slots=True)
class _Before:
    """What earlier sentences leave to the next."""

    last: tuple[TextToken, ...] = ()
    days: tuple[SaidDay, ...] = ()
    subject: tuple[TextToken, ...] = field(default=())

    def begin_line(self) -> None:
        """Forgets what holds for a line only, such as the day with which it begins."""
        self.days, self.subject = (), ()

    def topics(self, said: Sequence[TextToken], refers: bool) -> tuple[TextToken, ...]:
        """Returns the names that a sentence may be about: none if it begins with a name of its own."""
        if said[0].kind is TokenKind.NAME:
            return ()
        named = [one for one in self.last if one.kind is TokenKind.NAME]
        # "First session with Ana. Exercises: wall sit": a labelled list goes on about the only name before it.
        is_labelled = any(one.text == ":" for one in said[1 : LONGEST_LABEL + 1])
        goes_on = is_labelled and len(named) == 1 and not any(one.kind is TokenKind.NAME for one in said)
        return (*self.subject, *(named if refers or goes_on else ()))

    def read(self, said: Sequence[TextToken], own_days: tuple[SaidDay, ...], refers: bool) -> None:
        """Takes in a sentence; one that refers to the sentence before passes that on."""
        earlier = self.last[-LONGEST_MEMORY:] if refers else ()
        self.last = (*earlier, *(one for one in said if one.is_content))
        self.days = self.days or own_days
        if said[0].kind is TokenKind.NAME:
            self.subject = tuple(one for one in said if one.kind is TokenKind.NAME)
