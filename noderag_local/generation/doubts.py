"""Tells which answers must be whole before they are shown, and which of them the notes do not tell after all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from noderag_local.domain.passages import Citation, Source
from noderag_local.generation import abstention
from noderag_local.generation.citing.changed_values import ChangedValue, asks_for_present, changed_values, outdated
from noderag_local.generation.citing.citations import annotate
from noderag_local.generation.citing.markers import written
from noderag_local.text.stems import all_stems, question_stems

SAID_BY_OTHERS = "Somebody else says it of themselves, or it is said of somebody else: {marks}."


OUTDATED = "The language model gave a value that your notes say was changed. This is the sentence that says so."


@dataclass(frozen=True)
class Doubts:
    """What may be wrong with the answer to a question before it is written."""

    question: str
    sources: Sequence[Source]
    may_be_untold: bool
    """Whether no passage about what the question names has any other word of it."""

    @property
    def any(self) -> bool:
        """Whether an answer is shown only when it is whole and has been checked."""
        return self.may_be_untold or self._names_speaker or bool(self._changes)

    @cached_property
    def _changes(self) -> tuple[ChangedValue, ...]:
        """What was changed of what is asked for, by the passages that were found; nothing where the question asks what was."""
        if not asks_for_present(self.question):
            return ()
        asked = frozenset[str]().union(*question_stems(self.question).values())
        return tuple(one for one in changed_values(self.sources) if asked & all_stems(one.sentence))

    @cached_property
    def _names_speaker(self) -> bool:
        """Whether the question names somebody who speaks in a conversation that was found."""
        words = set(self.question.replace("’", "'").replace("'s", " ").rstrip("?!. ").split())
        return any(words.issuperset(name.split()) for source in self.sources for _, name in source.turns)

    def hold_true(self, text: str) -> bool:
        """Returns whether nothing of what may be wrong is wrong with an answer."""
        if abstention.is_denial(text):
            return True
        if self.may_be_untold and not _is_supported(annotate(text, self.sources, self.question)):
            return False
        return not self._said_by_others(text) and outdated(text, self._changes) is None

    def _said_by_others(self, text: str) -> tuple[int, ...]:
        """Returns the sources that tell an answer's first sentence, but of another than whom the question names; else nothing."""
        if not self._names_speaker or _is_supported(annotate(text, self.sources, self.question)):
            return ()
        of_nobody = [replace(source, turns=()) for source in self.sources]
        first = next(iter(annotate(text, of_nobody, self.question)), None)
        return first.numbers if first and first.supported else ()

    def said_instead(self, text: str) -> str:
        """Returns the sentence of the notes, with its marker, that an answer which did not stand is replaced by; "" for none."""
        change = outdated(text, self._changes)
        return f"{change.sentence} {written([change.source])}" if change else ""

    def note(self, text: str) -> str:
        """Returns a line for the user about an answer that did not stand; "" if there is nothing to say."""
        if outdated(text, self._changes):
            return OUTDATED
        numbers = self._said_by_others(text)
        return SAID_BY_OTHERS.format(marks=written(numbers)) if numbers else ""


def _is_supported(checked: Sequence[Citation]) -> bool:
    return any(one.supported for one in checked)
