"""Tells whether the notes may not answer a question, by the words of it that stand in none of the passages found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import NamedTuple

from noderag_local.aggregation.money import written_numbers
from noderag_local.aggregation.plan import subjects
from noderag_local.aggregation.question_content import Stems, is_terse, languages_of
from noderag_local.aggregation.question_phrases import LANGUAGES, in_notes, phrases, words_of
from noderag_local.text.stems import all_stems, question_stems
from noderag_local.text.stopwords import stop_words

_IS_INFERRED = re.compile(
    r"\b(?:why|how come|how to|how old|warum|wieso|weshalb|wie alt|pourquoi|quel âge|por qué|qué edad|cuántos años)\b",
    re.IGNORECASE,
)
"""Asks for what notes tell in other words, if at all: reasons, and an age by the day of birth."""


class FoundPassage(NamedTuple):
    """A passage that was found for a question."""

    text: str
    title: str
    headings: Sequence[str] = ()

    @property
    def stems(self) -> Stems:
        """Stems of the passage and of what stands over it."""
        return all_stems(" ".join((self.text, self.title, *self.headings)))


class _Reading(NamedTuple):
    """The names in a question and its other words, each by its stems."""

    named: list[Stems]
    others: list[Stems]


class Untold:
    """Compares a question with the passages that were found for it."""

    def __init__(self, question: str, today: date, passages: Sequence[FoundPassage]) -> None:
        """Reads the question; the first two arguments are those of `plans`."""
        self._question, self._passages = question, passages
        self._held, self._asks_price = [one.stems for one in passages], _asks_price(question)
        present = frozenset[str]().union(*self._held)
        titles = [list(question_stems(title).values()) for title in dict.fromkeys(one.title for one in passages)]
        self._readings: list[_Reading] = []
        for names, words in subjects(question, today):
            capital = [stems for name in names for stems in question_stems(name).values()]
            reading = _reading(words, capital, titles, present)
            # "How much was the night in Porto?" asks for an amount, whatever its words.
            if reading.named and (reading.others or self._asks_price):
                self._readings.append(reading)

    @property
    def is_likely(self) -> bool:
        """Whether the passages about what is named have no other word of the question, or not the one that is asked for.

        Small models answer such a question with whatever stands beside the name. Not where the question names nothing, asks only
        for a word for a kind ("In which town is Lumicon?", which "Lumicon is in Ghent" tells), or asks when, why, how old or whether;
        a birthday is told as one.
        """
        kinds = all_stems(" ".join(in_notes("asked_kinds")))
        readings = [
            one for one in self._readings if self._asks_price or any(not stems <= kinds for stems in one.others)
        ]
        return bool(readings) and asks_for_thing(self._question) and all(map(self._may_lack, readings))

    @property
    def about(self) -> frozenset[int]:
        """Positions of the passages that have a name of the question; all of them if none has one."""
        near = frozenset(at for one in self._readings for at in self._near(one))
        return near or frozenset(range(len(self._passages)))

    def _may_lack(self, reading: _Reading) -> bool:
        near = self._near(reading)
        if self._asks_price:
            return not any(one.currency for at in near for one in written_numbers(self._passages[at].text))
        asked = self._asked(reading)
        wanted = [asked] if asked else reading.others
        return not any(stems & self._held[at] for stems in wanted for at in near)

    def _near(self, reading: _Reading) -> list[int]:
        """Returns the positions of the passages that have a name."""
        return [at for at, held in enumerate(self._held) if any(stems & held for stems in reading.named)]

    def _asked(self, reading: _Reading) -> Stems:
        """Returns the stems of the word that says what is asked for, "brand" of "What brand is Ana's drill?"; nothing without one."""
        kinds = all_stems(" ".join(in_notes("asked_kinds")))
        for language in languages_of(self._question)[:1]:
            known, words = phrases(language), words_of(self._question)
            asking = known.single("asks_what") | known.single("asks_other")
            at = next((at for at, word in enumerate(words) if word in asking), len(words))
            behind = (word for word in words[at + 1 :] if word not in stop_words(language))
            own = all_stems(next(behind, ""))
            return next((stems for stems in reading.others if own & stems and not stems <= kinds), frozenset())
        return frozenset()


def _reading(
    words: Iterable[Stems], capital: Sequence[Stems], titles: Sequence[Sequence[Stems]], present: Stems
) -> _Reading:
    """Returns what a question names in the light of passages, whatever has a capital letter in its language.

    A word that no passage has is no name to look beside: German "Schuhgröße" is as capital as "Ilse". The title of a passage is a
    name also in small letters: "Who gave me the pumpkin soup?".
    """
    words = list(words)
    asked = frozenset[str]().union(*words)
    titled = [stems for title in titles if title and all(asked & one for one in title) for stems in title]
    named = [stems for stems in capital if stems & present] or list(capital)
    named += [stems for stems in titled if not any(stems & one for one in named)]
    return _Reading(named, [stems for stems in words if not any(stems & one for one in named)])


def _asks_price(question: str) -> bool:
    words = words_of(question)
    known = map(phrases, languages_of(question)[:1])
    return any(one.has("price", words) or (one.has("sum", words) and one.has("spending", words)) for one in known)


def asks_for_thing(question: str) -> bool:
    """Returns whether a question asks what, which, who, where or how much, and not when, why, how old or whether.

    A few words without a verb, "shoe size Ana Lee", ask for a thing, too.
    """
    words = words_of(question)
    if _IS_INFERRED.search(question):
        return False
    for language in LANGUAGES:
        known = phrases(language)
        if first := known.first(("asks_when", "asks_what", "asks_other"), words):
            return first != "asks_when" or known.has("birthday", words)
    return all(is_terse(words, phrases(language)) for language in LANGUAGES)
