"""Lists what is still to be done: the empty check boxes of the notes."""

from __future__ import annotations

import re
from dataclasses import replace

from noderag_local.aggregation.computed import AnswerPart, Computed
from noderag_local.aggregation.entries import Entries, NoteEntry
from noderag_local.aggregation.plan import Plan
from noderag_local.domain.documents import BlockKind
from noderag_local.system.printing.amounts import counted
from noderag_local.text.stems import question_stems

_BOX = re.compile(r"^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\[ \][ \t]+(.+)$", re.MULTILINE)
_MARKS = re.compile(r"\[\[|\]\]|[*`_]")
_TASK_WORDS = frozenset(
    "todo todos to-do task tasks item items open missing left still thing things aufgaben offen tareas".split()
)


def open_tasks(plan: Plan, entries: Entries) -> Computed | None:
    """Lists the empty check boxes; of one subject alone if the question names it and a note or a line has its words."""
    boxes = entries.open_boxes()
    lines = _under_headings(entries.of_documents({number for number, _ in boxes}))
    found = [(text, entry) for number, chunk in boxes for text, entry in _items(number, chunk, lines)]
    subject = [stems for word, stems in plan.wanted if word not in _TASK_WORDS]
    if subject:
        found = [(text, entry) for text, entry in found if _is_about(text, entry, subject)]
    if not found:
        return None
    note = f"All empty check boxes of {counted(len({entry.sentence.document_id for _, entry in found}), 'notes')}."
    return Computed(tuple(AnswerPart(text, (entry,)) for text, entry in dict(found).items()), note)


def _under_headings(lines: list[NoteEntry]) -> list[NoteEntry]:
    """Returns the lines that are no headings, each with the heading that stands nearest above it as one of its headings."""
    found: list[NoteEntry] = []
    heading, document = "", 0
    for one in lines:
        sentence = one.sentence
        if sentence.document_id != document:
            heading, document = "", sentence.document_id
        if sentence.kind is BlockKind.HEADING:
            heading = sentence.text
        else:
            found.append(replace(one, sentence=sentence._replace(headings=(*sentence.headings, heading))))
    return found


def _items(document: int, chunk: str, lines: list[NoteEntry]) -> list[tuple[str, NoteEntry]]:
    """The open items of a chunk, each with the sentence that it was read as."""
    items = []
    for match in _BOX.finditer(chunk):
        item = " ".join(_MARKS.sub("", match[1]).split())
        same = (
            one
            for one in lines
            if one.sentence.document_id == document and _plain(one.sentence.text)[:40] in _plain(item)
        )
        entry = next(same, None)
        if entry:
            items.append((item, entry))
    return items


def _plain(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _is_about(text: str, entry: NoteEntry, subject: list[frozenset[str]]) -> bool:
    over = " ".join((text, entry.sentence.title, *entry.sentence.headings))
    held = list(question_stems(over).values())
    return all(any(stems & of_word for of_word in held) for stems in subject)
