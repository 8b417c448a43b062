"""Checks word by word that a summary says only what its sources say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from noderag_local.text.capitals import POSSESSIVE
from noderag_local.text.keywords import keywords
from noderag_local.text.number_words import NUMBER_WORDS
from noderag_local.text.sentences import split_sentences
from noderag_local.text.stopwords import every_stop_word

STRANGE_SHARE = 0.34
"""Maximum share of a sentence's content words that may be missing from the sources."""
STEM = 4
"""Number of letters that two forms of a word must share: "writes" in the sources supports "written", and the reverse."""

_NAME = re.compile(r"(?<![\w'’-])[^\W\d_a-z][\w'’-]*")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


class SummarySources:
    """The texts that a summary is made from and checked against."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Collects the words of the sources; they must include the name that the summary is about."""
        joined = "\n".join(texts)
        self._words = set(keywords(joined)) | {_plain(word) for word in re.findall(r"\w[\w'’-]*", joined)}
        self._stems = {word[:STEM] for word in self._words if len(word) >= STEM}
        self._numbers = set(_NUMBER.findall(joined))
        self._letters = set(joined.casefold())

    def carry(self, sentence: str) -> bool:
        """Returns whether the sources contain every number and name of a sentence and most of its other words.

        Words with letters beyond ASCII must all occur in the sources, because small models slip into other languages.
        """
        if not self._letters.issuperset(sign for sign in sentence.casefold() if sign.isalpha() and not sign.isascii()):
            return False
        words = keywords(sentence)
        strange = [word for word in words if not self.knows(word)]
        if len(strange) > STRANGE_SHARE * len(words) or not words:
            return False
        return all(number in self._numbers for number in _NUMBER.findall(sentence)) and all(
            self._has(name) for name in _names(sentence)
        )

    def _has(self, name: str) -> bool:
        """Returns whether the sources contain a name or the words it is formed from: "Australian" may come from "Australia"."""
        return all(part in self._words or self._is_derived(part) for part in name.split("-") if part)

    def _is_derived(self, word: str) -> bool:
        start = word[: max(STEM, len(word) - 3)]
        return len(word) >= STEM and any(known.startswith(start) for known in self._words)

    def knows(self, word: str) -> bool:
        """Returns whether the sources contain a casefolded content word or another form of it."""
        return word in self._words or (len(word) >= STEM and word[:STEM] in self._stems)


def grounded(text: str, sources: SummarySources, most_words: int) -> str:
    """Returns the whole sentences of a text that its sources support, up to `most_words` words; "" if there are none."""
    kept: list[str] = []
    count = 0
    for sentence in whole_sentences(text):
        length = len(sentence.split())
        if count + length > most_words:
            break
        if sources.carry(sentence) and sentence not in kept:
            kept.append(sentence)
            count += length
    return " ".join(kept)


def whole_sentences(text: str) -> Sequence[str]:
    """Returns the sentences of a text, without a last one that is unfinished, unless it is the only one."""
    line = " ".join(text.split())
    found = [line[start:end] for start, end in split_sentences(line)]
    if len(found) > 1 and found[-1][-1] not in ".!?。！？\"'”’)":
        found.pop()
    return found


def _names(sentence: str) -> list[str]:
    """Returns the casefolded capitalised words of a sentence, without its first word and words that are never names."""
    stopped = every_stop_word()
    found = [_plain(match[0]) for match in _NAME.finditer(sentence) if match.start() > 0 and match[0][0].isupper()]
    return [name for name in found if name not in stopped and name not in NUMBER_WORDS]


def _plain(word: str) -> str:
    return POSSESSIVE.sub("", word.casefold())
