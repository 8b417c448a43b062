"""Tells the present state of what changed: the newest of several dated sentences about the same."""

from __future__ import annotations

from collections.abc import Iterable

from noderag_local.aggregation.computed import AnswerPart, Computed
from noderag_local.aggregation.entries import Entries, NoteEntry
from noderag_local.aggregation.plan import Plan, Stems
from noderag_local.aggregation.question_phrases import words_of
from noderag_local.storage.documents.entry_rows import DocumentLabel
from noderag_local.system.printing.amounts import counted
from noderag_local.text.stems import question_stems

LONGEST_LABEL = 3
"""Most words before the colon of a labelled line."""


def present_state(plan: Plan, entries: Entries) -> Computed | None:
    """Quotes the newest labelled line, such as "Deadline: 5 May", of the dated notes about what the question names."""
    named = {word for name in plan.names for word in words_of(name)}
    subject = [stems for word, stems in plan.wanted if word in named]
    asked = frozenset[str]().union(*(stems for word, stems in plan.wanted if word not in named))
    if not subject:
        return None
    about = [one for one in entries.documents if _speaks_of(one, subject)]
    lines = [one for one in entries.of_documents(one.id for one in about) if one.written and _label(one)]
    told = _with_label(lines, asked) or _with_label(lines, _other_labels(plan))
    if not any(_is_labelled(one) for one in told):
        return None
    days = sorted({one.written for one in told if one.written})
    if len(days) < 2:
        return None
    newest = [one for one in told if one.written == days[-1]]
    if len(newest) != 1:
        return None
    note = f"The newest of {counted(len(told), 'such lines')}, of {days[-1]}; the one before is of {days[-2]}."
    return Computed((AnswerPart(newest[0].sentence.text.rstrip(" ."), (newest[0],)),), note)


def _with_label(lines: Iterable[NoteEntry], stems: Stems) -> list[NoteEntry]:
    return [one for one in lines if any(stems & of_word for of_word in question_stems(_label(one)).values())]


def _is_labelled(entry: NoteEntry) -> bool:
    before, found, _ = entry.sentence.text.partition(":")
    return bool(found) and len(words_of(before)) <= LONGEST_LABEL


def _label(entry: NoteEntry) -> str:
    """The first word of a line, or what stands before its colon: "Deadline" of "Deadline moved to 5 May"."""
    before = entry.sentence.text.partition(":")[0]
    return before if _is_labelled(entry) else next(iter(words_of(before)), "")


def _other_labels(plan: Plan) -> Stems:
    """Labels of lines that answer "where" or "until when"."""
    known = plan.phrases
    if known.has("until", plan.words):
        return known.single("until_labels")
    asks_where = bool({"where", "wo", "où", "dónde"} & set(plan.words))
    return known.single("where") if asks_where else frozenset()


def _speaks_of(document: DocumentLabel, subject: list[Stems]) -> bool:
    held = list(question_stems(f"{document.title} {document.path.rpartition('/')[2]}").values())
    return all(any(stems & of_word for of_word in held) for stems in subject)
