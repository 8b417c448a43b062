"""Compares a sentence with passages by the numbers, names and words that both hold, whatever they say about them.

This serves where no more can be told: for a sentence in another language than its passages, and for a question that a model
wrote anew. `support` holds a sentence against passages of its own language by what it says.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from noderag_local.generation.citing.number_key import number_key
from noderag_local.text.capitals import POSSESSIVE

WORD_SHARE = 0.6
"""Minimum share of the other words that must occur in the passages."""

BIGRAM_SHARE = 0.5
"""The same for scripts without spaces, by pairs of characters; lower, since particles and word order vary more."""

STEM_LETTERS = 5
"""Words count as the same if they agree in this many first letters (married, marriage)."""

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_PART = re.compile(rf"[{_UNSPACED}]+|\d[\d.,]*\d|\d|[^\W\d_{_UNSPACED}]+(?:['’\-][^\W\d_{_UNSPACED}]+)*")

_FUNCTION_WORDS = frozenset(
    """
    about according after also although among answer because been before being between both called could does during
    each from given have having however into itself known like located many mentioned more most much named note notes
    only other over same should since some source sources stated such than that their them then there therefore these
    they this those through under until upon very were what when where which while whose will with within would your
    aber alle auch dass dein deine dies diese dieser dieses durch eine einem einen einer eines hatte haben jedoch kann
    laut nach nicht noch oder quelle quellen sehr sein seine seiner sich sind über unter wenn wird wurde wurden zwischen
    ainsi avec cette comme dans depuis elle elles entre était étaient leur leurs mais notes nous pour selon sont source
    cuando desde donde ella ellos entre esta este fueron hasta para pero porque según sobre también tiene
    anche alla alle come dalla degli della delle dello nella nelle sono stata stato
    como mais pela pelo também uma deze door hebben heeft naar niet werd worden zijn
    """.split()
)


@dataclass(frozen=True, slots=True)
class Claims:
    """The numbers, names, words and character pairs of a text, to be looked up in passages."""

    numbers: frozenset[str]
    names: frozenset[str]
    words: frozenset[str]
    bigrams: frozenset[str]

    @property
    def empty(self) -> bool:
        """Whether there is nothing to look up."""
        return not (self.numbers or self.names or self.words or self.bigrams)


def claims(text: str, nouns_capital: bool = False) -> Claims:
    """Returns the numbers, names, words and (for scripts without spaces) character pairs of a text.

    Args:
        text: without citation markers.
        nouns_capital: True for German, where every noun is capitalised and capitals do not show names.
    """
    numbers: set[str] = set()
    names: set[str] = set()
    words: set[str] = set()
    bigrams: set[str] = set()
    for position, part in enumerate(_PART.findall(unicodedata.normalize("NFKC", text))):
        if part[0].isdigit():
            numbers.add(number_key(part))
        elif re.match(rf"[{_UNSPACED}]", part):
            bigrams.update(part[at : at + 2] for at in range(max(1, len(part) - 1)))
        else:
            word = POSSESSIVE.sub("", part)
            if _is_name(word, first=position == 0) and not nouns_capital:
                names.add(word.casefold())
            elif len(word) > 3 and word.casefold() not in _FUNCTION_WORDS:
                words.add(stem(word))
    return Claims(frozenset(numbers), frozenset(names), frozenset(words), frozenset(bigrams))


def stem(word: str) -> str:
    """Returns the first letters of a word in lower case and without a plural s."""
    folded = word.casefold()
    if len(folded) > 4 and folded.endswith("s") and not folded.endswith("ss"):
        folded = folded[:-1]
    return folded[:STEM_LETTERS]


def _is_name(word: str, first: bool) -> bool:
    """Returns whether a word is a name by its capitals: one inside a sentence, or one inside the word."""
    if any(letter.isupper() for letter in word[1:]):
        return True
    return word[0].isupper() and not first and len(word) > 1 and word.casefold() not in _FUNCTION_WORDS


class Passages:
    """Passages that sentences are checked against."""

    def __init__(self, texts: Iterable[str]) -> None:
        found = claims("\n".join(texts), nouns_capital=True)
        self._numbers, self._words, self._bigrams = found.numbers, found.words, found.bigrams
        folded = unicodedata.normalize("NFKC", "\n".join(texts))
        self._literal = {POSSESSIVE.sub("", part).casefold() for part in _PART.findall(folded)}
        self._literal |= {piece for part in self._literal for piece in part.split("-")}
        self._stems = frozenset(map(stem, self._literal))

    def hold(self, said: Claims) -> bool:
        """Returns whether the passages contain every number and name and most words of a text in the same language."""
        if not said.numbers <= self._numbers or not all(map(self._has_name, said.names)):
            return False
        return _share(said.words, self._stems) >= WORD_SHARE and _share(said.bigrams, self._bigrams) >= BIGRAM_SHARE

    def anchor(self, said: Claims) -> bool:
        """Returns whether the passages support a text in another language, whose words cannot occur in them.

        They must contain all its numbers and at least one name or number; a text with neither cannot be checked.
        """
        found = said.numbers or any(map(self._has_name, said.names)) or said.words & self._stems
        return bool(found) and said.numbers <= self._numbers

    def _has_name(self, name: str) -> bool:
        return name in self._literal or all(piece in self._literal for piece in name.split("-"))


def _share(wanted: frozenset[str], there: frozenset[str]) -> float:
    return len(wanted & there) / len(wanted) if wanted else 1.0
