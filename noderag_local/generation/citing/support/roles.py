"""Finds who does what to whom, where the order of words or the case of a pronoun tells, and compares two sentences by it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from noderag_local.generation.citing.support.text_tokens import TextToken, TokenKind
from noderag_local.generation.citing.support.word_lists import WordLists, converse, needed_concepts

WRITER = frozenset({"the writer"})
"""Keys of the person who wrote the notes: "I" in a note, "you" in an answer."""
_HARD = frozenset(";:|")
_ENDS = _HARD | {","}
_NEAR = 3
"""Maximum number of tokens between the parts of a passive."""

_FREE_ORDER = frozenset({"de", "ru"})
"""Languages in which who acts may stand after the verb, and who is acted upon before it."""

Keys = frozenset[str]


class Action(NamedTuple):
    """Who does something to whom, as keys of names; the writer of the notes has keys of their own."""

    doers: list[Keys]
    done_to: list[Keys]

    def turns(self, other: Action) -> bool:
        """Returns whether a doer of this action is one to whom the other is done, and not its doer."""
        return any(_among(doer, other.done_to) and not _among(doer, other.doers) for doer in self.doers)


def _among(keys: Keys, others: list[Keys]) -> bool:
    return any(not keys.isdisjoint(other) for other in others)


def swapped(
    said: Sequence[TextToken], passage: Sequence[TextToken], topics: Sequence[TextToken], lists: WordLists
) -> bool:
    """Returns whether somebody who acts in a claim is acted upon in a passage, or the other way round.

    Args:
        said: tokens of the claim.
        passage: tokens of the sentence that it is held against.
        topics: who that sentence is about if it names no subject.
        lists: word lists of the language.
    """
    for (at, one), (its_at, other) in product(_verbs(said, lists), _verbs(passage, lists)):
        is_converse = bool(one.concept) and one.concept == converse(other.concept)
        if not is_converse and one.keys.isdisjoint(other.keys):
            continue
        action, its = _action(said, at, (), lists), _action(passage, its_at, topics, lists)
        if is_converse:
            its = Action(its.done_to, its.doers)
            if not any(_among(doer, its.doers) for doer in action.doers) and not any(
                _among(keys, its.done_to) for keys in action.done_to
            ):
                return True
        if action.turns(its) or its.turns(action):
            return True
    return False


def _verbs(said: Sequence[TextToken], lists: WordLists) -> Iterator[tuple[int, TextToken]]:
    """Yields the words that may be verbs, with their positions: no names, kin, or nouns after an article."""
    for at, one in enumerate(said):
        before = said[at - 1] if at else None
        is_noun = before and (lists.has("articles", before.text) or before.is_possessive or before.text == "to")
        if (one.kind is TokenKind.WORD or one.concept) and not is_noun and one.concept not in needed_concepts():
            yield at, one


def _action(said: Sequence[TextToken], at: int, topics: Sequence[TextToken], lists: WordLists) -> Action:
    """Returns who does what the word at a position says to whom."""
    start = max((n + 1 for n in range(at) if said[n].text in _HARD), default=0)
    ends = (n for n in range(at + 1, len(said)) if said[n].text in _ENDS or lists.has("was", said[n].text))
    end = next(ends, len(said))
    before, after = list(_people(said, start, at, lists)), list(_people(said, at + 1, end, lists))
    if lists.language == "en":
        if agent := _agent(said, at, after, lists):
            return Action([agent], [keys for keys, role in before if role != "marked"])
        if _is_passive(said, start, at, lists):
            return Action([], [keys for keys, role in before if role == "plain"])
    doers = _doers(before, after, lists)
    if not doers and (any(lists.has("they", one.text) for one in said[start:at]) or _is_mine(said, at, end, lists)):
        doers = [one.keys for one in topics if one.kind is TokenKind.NAME]
    return Action(doers, _done_to(before, after, doers, lists))


People = Sequence[tuple[Keys, str]]


def _doers(before: People, after: People, lists: WordLists) -> list[Keys]:
    """Returns the subjects by the case of a pronoun, else the nearest name before the verb."""
    subjects = [keys for keys, role in before if role == "subject"]
    plain = [keys for keys, role in before if role == "plain"]
    if not subjects and not plain and lists.language in _FREE_ORDER:
        return [keys for keys, role in after if role == "subject"]
    return subjects or plain[-1:]


def _done_to(before: People, after: People, doers: list[Keys], lists: WordLists) -> list[Keys]:
    is_free = lists.language in _FREE_ORDER
    found = [keys for keys, role in before if role == "object" or (is_free and role == "marked")]
    found += [keys for keys, role in after if role in ("object", "marked")]
    if not is_free:
        found += [keys for keys, role in after if role == "plain" and not _among(keys, doers)]
    return found


def _is_passive(said: Sequence[TextToken], start: int, at: int, lists: WordLists) -> bool:
    return not said[at].text.endswith("ing") and any(
        lists.has("was", one.text) for one in said[max(start, at - _NEAR) : at]
    )


def _agent(said: Sequence[TextToken], at: int, after: People, lists: WordLists) -> Keys:
    """Returns who does it in a passive: the first name after "by"; no keys if there is no "by"."""
    for n in range(at + 1, min(at + 1 + _NEAR, len(said))):
        if said[n].text in _HARD:
            break
        if lists.has("by", said[n].text):
            return next((keys for keys, _ in after), frozenset())
    return frozenset()


def _is_mine(said: Sequence[TextToken], at: int, end: int, lists: WordLists) -> bool:
    """Returns whether something is done to the writer or what is theirs, so that somebody else does it."""
    return any(lists.has("my", one.text) or lists.has("me", one.text) for one in said[at + 1 : end])


def _people(said: Sequence[TextToken], start: int, end: int, lists: WordLists) -> Iterator[tuple[Keys, str]]:
    """Yields the names and the writer's pronouns between two positions, each with its role as far as it shows.

    Roles: "subject" and "object" by the case of a pronoun, "marked" after a preposition, "plain" otherwise. Possessives
    are left out.
    """
    at = start
    while at < end:
        one = said[at]
        if one.kind is TokenKind.NAME:
            last = at
            while last + 1 < end and said[last + 1].kind is TokenKind.NAME and not said[last].is_possessive:
                last += 1
            keys = frozenset(key for name in said[at : last + 1] for key in name.keys)
            if not said[last].is_possessive:
                yield keys, "marked" if _is_marked(said, at, lists) else "plain"
            at = last + 1
            continue
        if lists.has("i", one.text):
            yield WRITER, "subject"
        elif lists.has("me", one.text) or lists.has("you_object", one.text):
            yield WRITER, "object"
        elif lists.has("you", one.text):
            follows = at and said[at - 1].kind is TokenKind.NAME
            yield WRITER, "marked" if _is_marked(said, at, lists) else "object" if follows else "plain"
        at += 1


def _is_marked(said: Sequence[TextToken], at: int, lists: WordLists) -> bool:
    """Returns whether a preposition stands before a word, perhaps with an article between."""
    if at and lists.has("articles", said[at - 1].text):
        at -= 1
    return bool(at) and lists.has("marks", said[at - 1].text)
