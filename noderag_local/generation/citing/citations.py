"""Checks which sentences of an answer its sources support, and adds citations that the model forgot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from noderag_local.domain.passages import Citation, Source
from noderag_local.generation.citing.evidence import Claims, Passages, claims
from noderag_local.generation.citing.markers import MARKER, numbers, sentences
from noderag_local.generation.question_language import language_among, language_of

GERMAN = "de"
LANGUAGE_LETTERS = 400
"""Maximum characters of a text that are read to detect its language."""
_SPACED_SIGN = re.compile(r"(?<!\s)\s++([.,;:!?。！？])")


def annotate(answer: str, sources: Sequence[Source], question: str = "") -> tuple[Citation, ...]:
    """Returns the sentences of an answer with their citations, each checked against the sources.

    Args:
        answer: with markers such as [1].
        sources: all sources of the context.
        question: words that a sentence repeats from it may occur in any source, not only in the cited ones.
    """
    evidence = Evidence(sources, question)
    language = evidence.language(answer)
    return tuple(evidence.citation(sentence, language) for sentence in sentences(answer) if sentence.strip())


class Evidence:
    """The sources of an answer, prepared for checking its sentences against them."""

    def __init__(self, sources: Sequence[Source], question: str = "") -> None:
        """Reads the sources; the arguments are those of `annotate`."""
        self._question = claims(question, nouns_capital=True)
        self._texts = {source.number: _shown(source) for source in sources}
        self._passages: dict[tuple[int, ...], tuple[Passages, str]] = {}
        self._languages = {_language(question), _language("\n".join(self._texts.values()))} if question else set()

    def language(self, answer: str) -> str:
        """Returns the language of an answer, which is that of the question or of the sources; models use no other."""
        text = MARKER.sub("", answer)[:LANGUAGE_LETTERS]
        return language_among(text, self._languages) if self._languages else _language(text)

    def corrected(self, before: str, cited: tuple[int, ...]) -> tuple[int, ...]:
        """Returns the source numbers that a marker should have, given the text before it and the numbers that the model wrote.

        Small models often write the number of a neighbouring source. If the cited sources do not support the sentence and
        exactly one other source does, that one is cited; otherwise the numbers stay.
        """
        sentence = next(reversed([*sentences(before)] or [""]))
        language = self.language(before)
        said = _said(MARKER.sub("", sentence), language)
        if said.empty or self._holds(cited, said, language):
            return cited
        alone = self._alone(said, language)
        return (alone[0],) if len(alone) == 1 else cited

    def citation(self, sentence: str, language: str) -> Citation:
        """Returns a sentence of an answer in `language` with its citations and whether they support it."""
        known = self._texts.keys()
        cited = tuple(dict.fromkeys(number for mark in MARKER.findall(sentence) for number in numbers(mark, known)))
        text = _SPACED_SIGN.sub(r"\1", MARKER.sub("", sentence)).strip()
        after = sentence[len(sentence.rstrip()) :]
        said = _said(text, language)
        if cited or said.empty:
            return Citation(text, cited, said.empty or self._holds(cited, said, language), False, after)
        alone = self._alone(said, language)
        if len(alone) == 1:
            return Citation(text, (alone[0],), True, True, after)
        return Citation(text, (), bool(alone) or self._holds(tuple(known), said, language), False, after)

    def _alone(self, said: Claims, language: str) -> list[int]:
        """Returns the numbers of the sources that each support all of the claims alone."""
        return [number for number in self._texts if self._holds((number,), said, language)]

    def _holds(self, cited: tuple[int, ...], said: Claims, language: str) -> bool:
        """Returns whether the cited sources support what the sentence adds to the question, and any sources the rest.

        A sentence often repeats terms of the question, which may occur in another source. But a term that occurs nowhere ("Anna's
        husband is ...", when no note mentions a husband) shows that the notes do not contain the answer.
        """
        passages, their_language = self._read(cited)
        new, repeated = said.split(self._question)
        if their_language != language:
            return passages.anchor(said)
        if new.empty:
            return passages.hold(said)
        return passages.hold(new) and self._read(tuple(self._texts))[0].hold(repeated)

    def _read(self, cited: tuple[int, ...]) -> tuple[Passages, str]:
        """Returns the cited sources as passages, and the language of these sources."""
        if cited not in self._passages:
            texts = [self._texts[number] for number in cited]
            self._passages[cited] = Passages(texts), _language("\n".join(texts))
        return self._passages[cited]


def _said(text: str, language: str) -> Claims:
    return claims(text, nouns_capital=language == GERMAN)


def _language(text: str) -> str:
    return language_of(text[:LANGUAGE_LETTERS])


def _shown(source: Source) -> str:
    """Returns a source's text together with the headings that the context shows above it."""
    return "\n".join((Path(source.path).stem, source.title, *source.headings, source.text))
