"""Tells whether passages support a sentence of an answer, by its words alone."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from noderag_local.generation.citing.support import unspaced
from noderag_local.generation.citing.support.cited_units import CitedUnits
from noderag_local.generation.citing.support.claim import Claim, claim_of, divided
from noderag_local.generation.citing.support.passage_units import PassageUnit, units
from noderag_local.generation.citing.support.text_tokens import TextToken, TokenKind, named, tokens
from noderag_local.generation.citing.support.word_lists import WordLists, word_lists
from noderag_local.text.interrogatives import interrogatives

GERMAN = "de"
LONGEST_SENTENCE = 1200
"""Maximum characters of a sentence that are checked, so that the work stays linear in the length of an answer."""
_CAPITALISED = r"[^\W\d_a-zß-öø-ÿа-я][^\W\d_]+"
_FULL_NAME = re.compile(rf"\b({_CAPITALISED}) ({_CAPITALISED})\b")
_ALONE = re.compile(rf"\b({_CAPITALISED})\b(?! {_CAPITALISED})")
_NAME_INSIDE = re.compile(r"(?<=[^\W\d_][ ,]) ?([^\W\d_a-zß-öø-ÿа-я][^\W\d_]+)")


@dataclass(frozen=True, slots=True)
class CheckedText:
    """A passage as sentences are held against it."""

    headings: tuple[str, ...]
    """File name, title and headings above it."""
    text: str

    @property
    def whole(self) -> str:
        """Headings and text, one a line."""
        return "\n".join((*self.headings, self.text))


class _Sentence(NamedTuple):
    """A sentence of an answer, read."""

    whole: Claim
    parts: list[Claim]


class _Question(NamedTuple):
    """The question, read."""

    tokens: list[TextToken]
    """Without interrogative words."""
    asks: bool
    """Whether it has an interrogative word, so that "yes" or its own words are no answer."""


class SupportCheck:
    """The passages of a context, prepared for holding the sentences of an answer against them."""

    def __init__(
        self, passages: Mapping[int, CheckedText], question: str = "", speakers: frozenset[str] = frozenset()
    ) -> None:
        """Keeps what answers are held against.

        Args:
            passages: the passages by their numbers.
            question: the question that the answer is for.
            speakers: names with which the turns of a conversation begin.
        """
        self._passages, self._question, self._speakers = passages, question, speakers
        texts = (question, *(passage.text for passage in passages.values()))
        self._names = frozenset(found.casefold() for text in texts for found in _NAME_INSIDE.findall(text))
        self._asked: dict[str, _Question] = {}
        self._units: dict[str, dict[int, tuple[PassageUnit, ...]]] = {}
        self._cited: dict[tuple[str, tuple[int, ...]], CitedUnits] = {}
        self._sentences: dict[tuple[str, str], _Sentence] = {}

    def states(self, sentence: str, language: str) -> bool:
        """Returns whether a sentence says anything that a passage could support; "Yes:" does not."""
        return unspaced.is_unspaced(sentence) or any(one.is_content for one in tokens(sentence, language))

    def holds(self, cited: Sequence[int], sentence: str, language: str) -> bool:
        """Returns whether the cited passages support a sentence in their own language.

        Args:
            cited: numbers of the passages.
            sentence: without markers.
            language: ISO 639-1 code of the sentence and of the passages.
        """
        lists, sentence = word_lists(language), sentence[:LONGEST_SENTENCE]
        shorter = self._by_first_names(sentence, cited)
        return self._supports(cited, sentence, lists) or (shorter != sentence and self._supports(cited, shorter, lists))

    def most_like(self, numbers: Sequence[int], sentence: str, language: str) -> tuple[int, ...]:
        """Returns the passages with the unit that is most like a sentence, in the given order; none if no unit says anything of it.

        Args:
            numbers: numbers of the passages to choose from.
            sentence: without markers.
            language: ISO 639-1 code of the sentence.
        """
        lists = word_lists(language)
        claim = self._read(sentence[:LONGEST_SENTENCE], lists).whole
        likeness = {number: self._cited_units((number,), lists).most_likeness(claim) for number in numbers}
        most = max(likeness.values(), default=0.0)
        return tuple(number for number, like in likeness.items() if like == most > 0)

    def _by_first_names(self, sentence: str, cited: Sequence[int]) -> str:
        """Returns a sentence without the surnames that the cited passages leave out, of people whom another passage names in full.

        A first name that several people of the context have says nothing, so that their surnames stay.
        """

        def first_name(match: re.Match[str]) -> str:
            first, last = match.groups()
            return first if self._surnames.get(first) == {last} and first in self._alone(cited) else match[0]

        return _FULL_NAME.sub(first_name, sentence)

    @cached_property
    def _surnames(self) -> dict[str, set[str]]:
        """The capitalised words behind each capitalised word of the context."""
        found: dict[str, set[str]] = defaultdict(set)
        for passage in self._passages.values():
            for first, last in _FULL_NAME.findall(passage.whole):
                found[first].add(last)
        return found

    def _alone(self, cited: Sequence[int]) -> set[str]:
        """The capitalised words of passages that no other follows."""
        return {word for number in cited for word in _ALONE.findall(self._passages[number].text)}

    def _supports(self, cited: Sequence[int], sentence: str, lists: WordLists) -> bool:
        if unspaced.is_unspaced(sentence):
            return unspaced.supports(
                sentence, [self._passages[number].whole for number in cited], self._question, lists
            )
        read, question = self._read(sentence, lists), self._read_question(lists)
        if not read.whole.content:
            return self._confirms(read.whole, question, cited, lists)
        if question.asks and not read.whole.tells_more:
            return False
        passages = self._cited_units(tuple(cited), lists)
        telling = [part for part in read.parts if part.tells_more]
        return passages.support(read.whole) or (len(read.parts) > 1 and all(map(passages.support, telling)))

    def _confirms(self, said: Claim, question: _Question, cited: Sequence[int], lists: WordLists) -> bool:
        """Returns whether the passages support the question as a statement after "yes", its denial after "no"."""
        yes, no = (any(lists.has(name, one.text) for one in said.tokens) for name in ("yes", "no"))
        if question.asks or not question.tokens or yes == no:
            return False
        denial = [TextToken(TokenKind.LIGHT, min(lists.lists["not"]), frozenset())] if no else []
        return self._cited_units(tuple(cited), lists).support(claim_of([*denial, *question.tokens], (), lists))

    def _read(self, sentence: str, lists: WordLists) -> _Sentence:
        """Returns a sentence as claims, without a "yes" or "no" before its first comma."""
        key = (sentence, lists.language)
        if key not in self._sentences:
            said = self._tokens(sentence.lstrip("-*•+ \t"), lists)
            if len(said) > 2 and said[1].text == "," and any(lists.has(name, said[0].text) for name in ("yes", "no")):
                said = said[2:]
            asked = self._read_question(lists).tokens
            self._sentences[key] = _Sentence(claim_of(said, asked, lists), divided(said, asked, lists))
        return self._sentences[key]

    def _read_question(self, lists: WordLists) -> _Question:
        language = lists.language
        if language not in self._asked:
            said, asking = self._tokens(self._question, lists), interrogatives(language)
            asked = [one for one in said if one.text not in asking]
            self._asked[language] = _Question(asked, len(asked) < len(said))
        return self._asked[language]

    def _tokens(self, text: str, lists: WordLists) -> list[TextToken]:
        return named(tokens(text, lists.language), self._known_names(lists))

    def _known_names(self, lists: WordLists) -> frozenset[str]:
        """Returns the words that are names where they begin a sentence; none in German, where all nouns are capitalised."""
        return self._names if lists.language != GERMAN else frozenset()

    def _cited_units(self, cited: tuple[int, ...], lists: WordLists) -> CitedUnits:
        language = lists.language
        if language not in self._units:
            names = self._known_names(lists)
            self._units[language] = {
                number: tuple(units(passage.text, passage.headings, number, language, names, self._speakers))
                for number, passage in self._passages.items()
            }
        if (language, cited) not in self._cited:
            read = self._units[language]
            context = frozenset(key for found in read.values() for unit in found for key in unit.known)
            held = [unit for number in cited for unit in read[number]]
            self._cited[language, cited] = CitedUnits(held, context, lists)
        return self._cited[language, cited]
