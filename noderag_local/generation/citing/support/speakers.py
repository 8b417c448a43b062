"""Tells whom a sentence of a conversation is about: "I" is who speaks, "you" is who is spoken to.

Without it, "Ana painted a lake" is supported by what Ben says of himself, since both names stand over the conversation.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from noderag_local.generation.citing.support.text_tokens import TextToken, TokenKind, tokens
from noderag_local.generation.citing.support.word_lists import WordLists

_SPEAKER = ("i", "me", "my")
_SPOKEN_TO = ("you", "you_object", "yours")


class SpokenSentence(NamedTuple):
    """A sentence of a conversation."""

    said: str
    """The sentence without its speaker."""
    meant: tuple[TextToken, ...]
    """Names of the speakers whom it may be about."""
    meant_keys: frozenset[str]
    not_meant_keys: frozenset[str]
    """Keys of the other speakers' names."""


def spoken_sentence(line: str, speakers: Collection[str], lists: WordLists) -> SpokenSentence | None:
    """Returns what a line says that begins with one of the speakers; None for any other line.

    Who says "you" and nothing of themselves speaks of the others; who says both may speak of anybody; who says neither goes on
    about what concerns them.

    Args:
        line: a sentence behind its speaker: "Ana: I sailed".
        speakers: names of all who speak in the conversation.
        lists: word lists of the language.
    """
    speaker = next((name for name in sorted(speakers) if line.startswith((f"{name}:", f"{name} :", f"{name}："))), "")
    if not speaker:
        return None
    said = line[len(speaker) :].lstrip(" :：")
    words = {one.text.replace("’", "'").partition("'")[0] for one in tokens(said, lists.language)}
    of_self, of_other = _has(words, _SPEAKER, lists), _has(words, _SPOKEN_TO, lists)
    others = set(speakers) - {speaker}
    meant = set(speakers) if of_self and of_other else others if of_other else {speaker}
    names = _names(meant, lists.language)
    keys = _keys(names)
    return SpokenSentence(said, names, keys, _keys(_names(set(speakers) - meant, lists.language)) - keys)


def _has(words: Collection[str], names: Sequence[str], lists: WordLists) -> bool:
    """Returns whether one of some words is in one of the lists."""
    return any(lists.has(name, word) for name in names for word in words)


def _names(speakers: Collection[str], language: str) -> tuple[TextToken, ...]:
    found = (one for name in sorted(speakers) for one in tokens(name, language) if one.is_content)
    return tuple(one._replace(kind=TokenKind.NAME) for one in found)


def _keys(names: Sequence[TextToken]) -> frozenset[str]:
    return frozenset(key for one in names for key in one.keys)
