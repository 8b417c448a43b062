"""Verifies whole answers before they are shown, where the passages give reason to: some are rejected although words support them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from noderag_local.domain.passages import Citation, Source
from noderag_local.generation import abstention
from noderag_local.generation.answer_check import AnswerCheck
from noderag_local.generation.asked_nouns import asked_value, lacks_value
from noderag_local.generation.citing.citations import Evidence
from noderag_local.generation.citing.markers import MARKER, written
from noderag_local.generation.citing.value_changes import ValueChange, asks_for_present, outdated, value_changes
from noderag_local.text.languages import language_of
from noderag_local.text.stems import all_stems, question_stems

SAID_OF_OTHERS = "The notes say it of somebody else in the conversation: {marks}."
LEAST_SCORE = 0.15
"""Result of the check from which on an answer with the words of a source is shown where there is doubt. It was chosen with the default
model on German and Spanish notes and articles: of some 40 right answers the lowest had 0.29, of answers beside the point most were
below 0."""
LEAST_UNSUPPORTED = 0.6
"""The same for an answer that has not the words of a source: it is invented more often than it is right in other words."""
LEAST_OF_SMALL = 1.2
"""The same for such an answer of a small model, with doubt or without. Of 39 of the default model to questions of tests/data/lives
(calgary, kassel, adelaide, leeds and duluth), 16 of 18 right ones had at least 1.3, and 15 of 21 wrong ones less than 1.2."""
OUTDATED = "The language model gave a value that your notes say was changed. This is the sentence that says so."


class Doubt(NamedTuple):
    """Tells why the notes may not answer a question: they have words of it that matter nowhere beside what it names."""

    about: frozenset[int]
    """Numbers of the sources that have a name of the question."""


class Rejection(NamedTuple):
    """Tells what is shown in place of an answer."""

    sentence: str
    """Sentence of the notes, with its marker; "" if the notes do not tell."""
    note: str
    """One line for the user; "" if there is nothing to say."""


class AnswerVerifier:
    """Verifies the answer to one question."""

    def __init__(
        self,
        question: str,
        sources: Sequence[Source],
        evidence: Evidence,
        check: AnswerCheck,
        doubt: Doubt | None,
        is_small: bool = False,
    ) -> None:
        """Finds out what could be wrong with an answer.

        Args:
            question: as the user asked it.
            sources: all sources of the context.
            evidence: the same sources, prepared for this question.
            check: checks answers to the question.
            doubt: reason to doubt that the notes tell; None without one.
            is_small: whether answers that no source supports are checked without doubt, too: small models invent more of them.
        """
        self._is_small = is_small
        self._question, self._sources, self._evidence = question, sources, evidence
        self._check, self._doubt = check, doubt
        self._changes = _changes(question, sources)
        self._names_speaker = _names_speaker(question, sources)

    @property
    def is_needed(self) -> bool:
        """Whether an answer must be whole before it is shown."""
        is_checked = self._is_small or self._doubt is not None or self._names_speaker or bool(self._changes)
        return is_checked or asked_value(self._question) is not None

    def rejection(self, answer: str) -> Rejection | None:
        """Returns what to show in place of an answer; None if the answer may be shown."""
        if change := outdated(answer, self._changes):
            return Rejection(f"{change.sentence} {written([change.source])}", OUTDATED)
        if abstention.is_denial(answer):
            return None
        if lacks_value(self._question, MARKER.sub("", answer), self._sources):
            return Rejection("", "")
        told = self._evidence.annotated(answer)
        is_supported = any(one.supported for one in told)
        if not is_supported and (numbers := self._told_of_others(answer)):
            return Rejection("", SAID_OF_OTHERS.format(marks=written(numbers)))
        if self._doubt:
            return None if self._is_right(answer, told, self._doubt) else Rejection("", "")
        is_invented = self._is_small and not is_supported and not self._has_score(answer, (), LEAST_OF_SMALL)
        return Rejection("", "") if is_invented else None

    def _is_right(self, answer: str, told: Sequence[Citation], doubt: Doubt) -> bool:
        """Returns whether an answer, given its sentences with their citations, is about what is named, and the model finds it right."""
        cited = [number for one in told for number in one.numbers if one.supported]
        if (cited and doubt.about.isdisjoint(cited)) or (not cited and self._tells_nothing(answer, doubt.about)):
            return False
        least = LEAST_OF_SMALL if self._is_small else LEAST_UNSUPPORTED
        return self._has_score(answer, cited or tuple(doubt.about), LEAST_SCORE if cited else least)

    def _has_score(self, answer: str, numbers: Sequence[int], least: float) -> bool:
        score = self._check.score(answer, numbers)
        return score is None or score >= least

    def _tells_nothing(self, answer: str, about: frozenset[int]) -> bool:
        """Returns whether an answer has no word but those of the question that stands in the sources about what is named.

        Models make such an answer of the question's words where nothing is told: "The end pleased you". Not where the notes are in
        another language, whose words an answer cannot have.
        """
        texts = [" ".join((one.text, one.title, *one.headings)) for one in self._sources if one.number in about]
        told, asked = all_stems(" ".join(texts)), all_stems(self._question)
        said = [stems for stems in question_stems(MARKER.sub("", answer)).values() if not stems & asked]
        is_foreign = language_of(" ".join(texts)) != language_of(self._question)
        return not any(stems & told for stems in said) and not (said and is_foreign)

    def _told_of_others(self, answer: str) -> tuple[int, ...]:
        """Returns the sources that support the first sentence if it does not matter who speaks; () if the question names no speaker."""
        if not self._names_speaker:
            return ()
        anonymous = Evidence([replace(source, turns=()) for source in self._sources], self._question)
        first = next(iter(anonymous.annotated(answer)), None)
        return first.numbers if first and first.supported else ()


def must_be_written(question: str, sources: Sequence[Source], doubt: Doubt | None) -> bool:
    """Returns whether an answer has to be written and verified: where there is doubt, where somebody says it, and where it changed.

    Elsewhere it may be a span. Arguments as for `AnswerVerifier`.
    """
    return doubt is not None or _names_speaker(question, sources) or bool(_changes(question, sources))


def _changes(question: str, sources: Sequence[Source]) -> tuple[ValueChange, ...]:
    """Returns the changes of what a question asks for; none where it asks for what was before."""
    if not asks_for_present(question):
        return ()
    asked = frozenset[str]().union(*question_stems(question).values())
    return tuple(one for one in value_changes(sources) if asked & all_stems(one.sentence))


def _names_speaker(question: str, sources: Sequence[Source]) -> bool:
    """Returns whether a question names somebody who speaks in a conversation of the sources."""
    asked = all_stems(question)
    speakers = {name for source in sources for _, name in source.turns}
    return any(all_stems(name) <= asked for name in speakers)
