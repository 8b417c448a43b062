"""Checks which sentences of an answer its sources support, and adds citations that the model forgot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from noderag_local.domain.passages import Citation, Source
from noderag_local.generation.citing.evidence import Passages, claims
from noderag_local.generation.citing.markers import MARKER, numbers, sentences
from noderag_local.generation.citing.said_days import without_weekdays, written_out
from noderag_local.generation.citing.support.support_check import CheckedText, SupportCheck
from noderag_local.generation.question_language import language_among, language_of

GERMAN = "de"
LANGUAGE_LETTERS = 400
"""Maximum characters of a text that are read to detect its language."""
_SPACED_SIGN = re.compile(r"(?<!\s)\s++([.,;:!?。！？])")


def annotate(
    answer: str, sources: Sequence[Source], question: str = "", *, is_cut: bool = False
) -> tuple[Citation, ...]:
    """Returns the sentences of an answer with their citations, each checked against the sources.

    Args:
        answer: with markers such as [1].
        sources: all sources of the context.
        question: words that a sentence repeats from it may occur in any source, not only in the cited ones.
        is_cut: whether the answer ends in the middle of a sentence, which nobody can judge; it passes for supported.
    """
    return Evidence(sources, question).annotated(answer, is_cut=is_cut)


class Evidence:
    """The sources of an answer, prepared for checking its sentences against them."""

    def __init__(self, sources: Sequence[Source], question: str = "") -> None:
        """Reads the sources; the arguments are those of `annotate`."""
        self._passages = {source.number: _passage(source) for source in sources}
        speakers = frozenset(name for source in sources for _, name in source.turns)
        self._check = SupportCheck(self._passages, question, speakers)
        self._their_languages: dict[tuple[int, ...], str] = {}
        self._languages = {_language(question), self._language_of(tuple(self._passages))} if question else set()

    def language(self, answer: str) -> str:
        """Returns the language of an answer, which is that of the question or of the sources; models use no other."""
        text = MARKER.sub("", answer)[:LANGUAGE_LETTERS]
        return language_among(text, self._languages) if self._languages else _language(text)

    def annotated(self, answer: str, *, is_cut: bool = False) -> tuple[Citation, ...]:
        """Returns the sentences of an answer as `annotate` does."""
        language = self.language(answer)
        found = [self.citation(sentence, language) for sentence in sentences(answer) if sentence.strip()]
        if is_cut and found:
            found[-1] = replace(found[-1], supported=True)
        return tuple(found)

    def corrected(self, before: str, cited: tuple[int, ...]) -> tuple[int, ...]:
        """Returns the source numbers that a marker should have, given the text before it and the numbers that the model wrote.

        Small models often write the number of a neighbouring source, or one from the examples. If the cited sources do not support
        the sentence, the source that does is cited; where several or none do, the one with the sentence most like it. If a cited
        source is as much like it, the numbers stay.
        """
        sentence = next(reversed([*sentences(before)] or [""]))
        language = self.language(before)
        text = MARKER.sub("", sentence).strip()
        if not self._check.states(text, language) or self._holds(cited, text, language):
            return cited
        like = self._check.most_like(self._alone(text, language) or list(self._passages), text, language)
        return like[:1] if like and not set(like) & set(cited) else cited

    def citation(self, sentence: str, language: str) -> Citation:
        """Returns a sentence of an answer in `language` with its citations and whether they support it."""
        known = self._passages.keys()
        cited = tuple(dict.fromkeys(number for mark in MARKER.findall(sentence) for number in numbers(mark, known)))
        text = _SPACED_SIGN.sub(r"\1", MARKER.sub("", sentence)).strip()
        after = sentence[len(sentence.rstrip()) :]
        if cited:
            return Citation(text, cited, self._holds(cited, text, language), False, after)
        if known and not self._check.states(text, language):
            return Citation(text, (), True, False, after)
        if like := self._check.most_like(self._alone(text, language), text, language):
            return Citation(text, like[:1], True, True, after)
        return Citation(text, (), self._holds(tuple(known), text, language), False, after)

    def _alone(self, text: str, language: str) -> list[int]:
        """Returns the numbers of the sources that each support a sentence alone."""
        return [number for number in self._passages if self._holds((number,), text, language)]

    def _holds(self, cited: tuple[int, ...], text: str, language: str) -> bool:
        """Returns whether the cited sources support a sentence; of one in another language only numbers and names can be checked."""
        text, their_language = without_weekdays(text), self._language_of(cited)
        if their_language == language:
            return self._check.holds(cited, text, language)
        return Passages([self._passages[number].whole for number in cited]).anchor(
            claims(text, nouns_capital=language == GERMAN)
        )

    def _language_of(self, cited: tuple[int, ...]) -> str:
        """Returns the language of the cited sources."""
        if cited not in self._their_languages:
            self._their_languages[cited] = _language("\n".join(self._passages[number].whole for number in cited))
        return self._their_languages[cited]


def _language(text: str) -> str:
    return language_of(text[:LANGUAGE_LETTERS])


def _passage(source: Source) -> CheckedText:
    """Returns a source's text, with its days and speakers written out, and the headings that the context shows above it."""
    return CheckedText((Path(source.path).stem, source.title, *source.headings), written_out(source))
