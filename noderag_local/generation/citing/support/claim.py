"""Parts of an answer that are held against one unit of a passage each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from noderag_local.generation.citing.support.passage_units import Clause, clauses
from noderag_local.generation.citing.support.text_tokens import TextToken, TokenKind
from noderag_local.generation.citing.support.word_lists import WordLists

FRAGMENT_TOKENS = 4
"""Maximum number of words, names and numbers of an answer that is no sentence: "Hannah", "14 May 1987"."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A part of an answer: a whole sentence, or what stands between commas and conjunctions."""

    tokens: tuple[TextToken, ...]
    content: tuple[TextToken, ...]
    """Tokens that say something by themselves."""
    keys: frozenset[str]
    """Keys of `content`."""
    clauses: tuple[Clause, ...]
    asked: frozenset[str]
    """Keys of the question's words."""
    tells_more: bool
    """Whether the claim says anything that the question does not, be it in common words, as "do it ourselves"."""
    asked_names: tuple[TextToken, ...]
    """The names in the question."""
    question: tuple[TextToken, ...]
    """The question's words where the claim is a fragment, which says nothing without them; else empty."""

    def repeats(self, one: TextToken) -> bool:
        """Returns whether a token is a word of the question."""
        return not self.asked.isdisjoint(one.keys)

    def weight(self, one: TextToken) -> float:
        """Returns how much a token tells about which unit is meant: three times as much if the question does not say it."""
        return 1.0 if self.repeats(one) else 3.0


def claim_of(said: Sequence[TextToken], asked: Sequence[TextToken], lists: WordLists) -> Claim:
    """Returns tokens of an answer as one claim.

    Args:
        said: the tokens.
        asked: tokens of the question without its interrogative words.
        lists: word lists of the language.
    """
    content = tuple(one for one in said if one.is_content)
    is_fragment = len(content) <= FRAGMENT_TOKENS and not any(_makes_a_sentence(one, lists) for one in said)
    question = tuple(one for one in asked if one.is_content)
    keys = frozenset(key for one in question for key in one.keys)
    return Claim(
        tuple(said),
        content,
        frozenset(key for one in content for key in one.keys),
        clauses(said, lists),
        keys,
        any(one.day or one.keys - keys for one in said if one.is_content or not lists.has_anywhere(one.text)),
        tuple(one for one in question if one.kind is TokenKind.NAME),
        question if is_fragment else (),
    )


def _makes_a_sentence(one: TextToken, lists: WordLists) -> bool:
    """Returns whether a token may be a verb: "is" and its like, or a word that is no name and no unit of measure."""
    return lists.has("light", one.text) or (one.kind is TokenKind.WORD and not one.is_capital and not one.concept)


def divided(said: Sequence[TextToken], asked: Sequence[TextToken], lists: WordLists) -> list[Claim]:
    """Divides a sentence into claims at commas and conjunctions; arguments as in `claim_of`.

    A part with neither words nor names, such as a date, goes with the part before it.
    """
    parts: list[list[TextToken]] = [[]]
    for one in said:
        if one.kind is TokenKind.STOP or lists.has("breaks", one.text):
            parts.append([])
        parts[-1].append(one)
    joined: list[list[TextToken]] = []
    for part in parts:
        says = any(one.kind in (TokenKind.WORD, TokenKind.NAME) for one in part)
        if joined and not (says and any(one.is_content for one in joined[-1])):
            joined[-1] += part
        else:
            joined.append(part)
    return [claim for part in joined if (claim := claim_of(part, asked, lists)).content]
