"""Takes a question apart at a relative clause, in German, French and Spanish.

"Wo arbeitet der Mann, der mir das Boot verkauft hat?" first asks who the man is, and then where he works.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from noderag_local.text.stopwords import stop_words

FOUND = "{}"
"""Stands for the answer of the step that was split off."""
MOST_NOUN_WORDS = 3
"""Words between an article and the relative pronoun: "la jeune femme qui"."""
LONGEST_TITLE = 3
"""Letters of the longest title that a full stop ends: "Mme."."""
_INVERTED = re.compile(r"-(?:t-)?(?:ils?|elles?|on|je|tu|nous|vous)\b", re.IGNORECASE)
"""French verb of a question: in a clause it shows that the question goes on there."""
_TOKEN = re.compile(r"[^\W\d_]+['’]|[\w{}][\w{}-]*|[^\w\s]")
_OPENING = "¿¡"
_ENDS = ",:;.?!–—-"
_STOPS = frozenset(",:;.?!–—()")


@dataclass(frozen=True, slots=True)
class _Grammar:
    """The words of a language by which relative clauses are known."""

    who: str
    """Beginning of a question for a person: "Wer ist"."""
    articles: frozenset[str]
    """Articles and demonstratives that may begin a noun phrase."""
    contracted: Mapping[str, str]
    """Articles that contain a preposition, with it: "du" has "de"."""
    nominatives: Mapping[str, str]
    """Articles of other cases, with the one of the nominative."""
    genitives: Mapping[str, str]
    """Articles that are those of a genitive behind a noun, with the one of the nominative: "die Tochter der Frau"."""
    genitive_as: str
    """Preposition that says the same as a genitive: "von"."""
    alone: frozenset[str]
    """Words that need neither article nor noun before a relative clause: "celui"."""
    relatives: frozenset[str]
    """Relative pronouns."""
    prepositions: frozenset[str]
    """Prepositions that may stand before a relative pronoun."""
    has_comma: bool
    """Whether a comma stands before every relative clause."""
    persons: tuple[str, ...]
    """Ends of nouns that mean a person."""
    asking: frozenset[str]
    """Words that open a question, or go on with it, behind a clause that stands first."""
    says_little: frozenset[str]
    """Content words that ask for no more than who it is."""
    stop_words: frozenset[str]


@cache
def _grammars() -> Mapping[str, _Grammar]:
    """Returns the grammar of each language, by its ISO 639-1 code."""
    text = (files("noderag_local.generation") / "relative_clauses.toml").read_text(encoding="utf-8")
    return {language: _grammar(language, rows) for language, rows in tomllib.loads(text).items()}


def _grammar(language: str, rows: Mapping[str, Any]) -> _Grammar:
    words = ("articles", "alone", "relatives", "prepositions", "asking", "says_little")
    values = {**rows, **{name: frozenset(rows[name].split()) for name in words}}
    values["persons"] = tuple(rows["persons"].split())
    return _Grammar(**values, stop_words=stop_words(language))


def has_grammar(language: str) -> bool:
    """Returns whether relative clauses are known in a language, by its ISO 639-1 code."""
    return language in _grammars()


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        return self.text.casefold()


def relative_step(question: str, language: str) -> tuple[str, str] | None:
    """Returns who it is that the last relative clause of a question describes, as a question, and what is asked of them.

    Only people are looked for first: what is asked of a thing mostly stands where the thing is described.

    Args:
        question: of one line.
        language: ISO 639-1 code of its language, which `has_grammar`.

    Returns:
        The first step, and the rest with `FOUND` in the place of its answer; None where there is no such clause.
    """
    grammar = _grammars()[language]
    tokens = [_Token(match[0], *match.span()) for match in _TOKEN.finditer(question)]
    for at in range(len(tokens) - 1, 0, -1):
        if tokens[at].word in grammar.relatives:
            clause = _start_of_clause(tokens, at, grammar)
            first = _start_of_noun_phrase(tokens, clause, grammar)
            if first is not None:
                return _taken_apart(question, tokens, first, clause, grammar)
    return None


def says_little(words: Collection[str], language: str) -> bool:
    """Returns whether some content words of a question in a language with a grammar ask for no more than who it is."""
    return _grammars()[language].says_little.issuperset(word.casefold() for word in words)


def _start_of_clause(tokens: Sequence[_Token], relative: int, grammar: _Grammar) -> int:
    """Returns the first token of a clause: its relative pronoun, or what belongs before it, as in "con la que" and "al que"."""
    before = tokens[relative - 1].word
    if before in grammar.prepositions or before in grammar.contracted:
        return relative - 1
    is_behind_article = (
        before in grammar.articles and relative > 1 and tokens[relative - 2].word in grammar.prepositions
    )
    return relative - 2 if is_behind_article else relative


def _start_of_noun_phrase(tokens: Sequence[_Token], clause: int, grammar: _Grammar) -> int | None:
    """Returns the first token of the noun phrase that a clause describes; None if it is no person."""
    has_comma = clause > 0 and tokens[clause - 1].text == ","
    last = clause - 1 - has_comma
    if last < 0 or (grammar.has_comma and not has_comma):
        return None
    if tokens[last].word in grammar.alone:
        return last
    for first in range(last - 1, max(last - 1 - MOST_NOUN_WORDS, -1), -1):
        word = tokens[first].word
        if word in grammar.articles or word in grammar.contracted:
            is_person = any(one.word.endswith(grammar.persons) for one in tokens[first + 1 : last + 1])
            return first if is_person else None
        if word in _STOPS or word in grammar.stop_words:
            return None
    return None


def _taken_apart(
    question: str, tokens: Sequence[_Token], first: int, clause: int, grammar: _Grammar
) -> tuple[str, str] | None:
    """Splits a question at a clause and the noun phrase before it; None if nothing is asked around them."""
    before = question[: tokens[first].start].strip()
    before = "" if before in _OPENING else before
    end = _end_of_clause(tokens, clause, bool(before), grammar)
    said = question[tokens[clause].start : end].strip(f" {_ENDS}")
    behind = question[end:].strip(f" {_ENDS}")
    if not (before or behind) or _INVERTED.search(said):
        return None
    preposition, article = _article(tokens, first, grammar)
    noun = question[tokens[first].end : tokens[clause].start].rstrip()
    rest = " ".join(part for part in (before, preposition, FOUND) if part)
    return f"{grammar.who} {article}{noun} {said}?", f"{rest}, {behind}?" if behind else f"{rest}?"


def _end_of_clause(tokens: Sequence[_Token], clause: int, has_before: bool, grammar: _Grammar) -> int:
    """Returns where a clause ends: with the question, or at the sign before what is asked behind it."""
    for at in range(clause + 1, len(tokens) - 2):
        sign = tokens[at].text
        if sign in _ENDS and (_ends(tokens, at) or tokens[at + 1].word in grammar.asking):
            return tokens[at].start
        if sign == "," and not has_before:
            return tokens[at].start
    return tokens[-1].end


def _ends(tokens: Sequence[_Token], at: int) -> bool:
    """Returns whether a sign ends what stands before it; the full stop of "M. Touati" does not."""
    is_stop = tokens[at].text == "." and len(tokens[at - 1].text) > LONGEST_TITLE
    return tokens[at].text in (":", "?") or is_stop


def _article(tokens: Sequence[_Token], first: int, grammar: _Grammar) -> tuple[str, str]:
    """Returns the preposition that the first word of a noun phrase contains or stands for, and its form behind "who is"."""
    word = tokens[first].word
    is_behind_noun = first > 1 and tokens[first - 1].text[:1].isupper()
    if is_behind_noun and word in grammar.genitives:
        return grammar.genitive_as, grammar.genitives[word]
    return grammar.contracted.get(word, ""), grammar.nominatives.get(word, word)
