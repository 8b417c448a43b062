"""Lists what is still to be done: the empty check boxes of the notes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from noderag_local.aggregation.computed import AnswerPart, Computed
from noderag_local.aggregation.entries import Entries, NoteEntry
from noderag_local.aggregation.plan import Plan
from noderag_local.domain.documents import BlockKind
from noderag_local.storage.documents.entry_rows import BoxedChunk, EntrySentence
from noderag_local.system.printing.amounts import counted
from noderag_local.text.check_boxes import BEFORE_BOX
from noderag_local.text.stems import question_stems

_BOX = re.compile(rf"^{BEFORE_BOX}\[ \][ \t]+(.+)$", re.MULTILINE)
_MARKS = re.compile(r"\[\[|\]\]|[*`_]")
_TASK_WORDS = frozenset(
    "todo todos to-do task tasks item items open missing left still thing things aufgaben offen tareas".split()
)


@dataclass(frozen=True, slots=True)
class OpenBox:
    """An empty check box."""

    text: str
    """Text after the box, without the marks of links and emphasis."""
    sentence: EntrySentence
    """Sentence that contains the text; the nearest heading above is one of its headings."""
    line: int
    """Line of the box; 0 if its file has no lines."""


def open_boxes(entries: Entries) -> list[OpenBox]:
    """Returns the empty check boxes, in the order of reading."""
    return [box for chunk in entries.boxed_chunks() for box in _of_chunk(chunk)]


def open_tasks(plan: Plan, entries: Entries) -> Computed | None:
    """Lists the empty check boxes; of one subject alone if the question names it and a note or a line has its words.

    None for the tasks of some days, since boxes do not tell when they are due.
    """
    if plan.days:
        return None
    found = open_boxes(entries)
    subject = [stems for word, stems in plan.wanted if word not in _TASK_WORDS]
    if subject:
        found = [one for one in found if _is_about(one, subject)]
    if not found:
        return None
    note = f"All empty check boxes of {counted(len({one.sentence.document_id for one in found}), 'notes')}."
    by_text = {one.text: NoteEntry(one.sentence, None, None, None, False) for one in found}
    return Computed(tuple(AnswerPart(text, (entry,)) for text, entry in by_text.items()), note)


def _of_chunk(chunk: BoxedChunk) -> Iterator[OpenBox]:
    for match in _BOX.finditer(chunk.text):
        at = chunk.start_char + match.start(1)
        sentence = _sentence_at(chunk, at)
        text = " ".join(_MARKS.sub("", match[1]).split())
        if sentence is not None and text:
            line = chunk.first_line and chunk.first_line + chunk.text.count("\n", 0, match.start(1))
            yield OpenBox(text, sentence, line)


def _sentence_at(chunk: BoxedChunk, at: int) -> EntrySentence | None:
    """Returns the sentence that contains the character `at`, or the next one, with the nearest heading above it."""
    heading = ""
    for sentence, end in chunk.sentences:
        if sentence.kind is BlockKind.HEADING:
            heading = sentence.text
        elif end > at:
            return sentence._replace(headings=(*sentence.headings, heading))
    return None


def _is_about(box: OpenBox, subject: list[frozenset[str]]) -> bool:
    over = " ".join((box.text, box.sentence.title, *box.sentence.headings))
    held = list(question_stems(over).values())
    return all(any(stems & of_word for of_word in held) for stems in subject)
