"""Tells the present state of what changed: the newest of several dated sentences about the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

from noderag_local.aggregation.computed import AnswerPart, Computed
from noderag_local.aggregation.entries import Entries, NoteEntry
from noderag_local.aggregation.plan import Plan
from noderag_local.aggregation.question_content import Stems
from noderag_local.aggregation.question_phrases import in_notes, words_of
from noderag_local.system.printing.amounts import counted
from noderag_local.text.dates.calendar_names import weekday_numbers
from noderag_local.text.dates.dates_in_text import written_dates
from noderag_local.text.stems import all_stems
from noderag_local.text.stopwords import every_stop_word

_FORMER = re.compile(
    r"(?:\s?(?:\(|[,;]\s)(?:et )?|\s(?=(?:et non|und nicht|and not|y no)\b)(?:et |und |and |y )?)(?:not|no longer|instead of|rather than|formerly|previously|nicht|statt|anstatt|bisher|vorher|früher"
    r"|non (?:plus|aux?|à|dans|en|chez|le|la)|plus (?:au|aux|à|dans|en|le|la)|au lieu|auparavant|avant|ya no|y no|no (?:en|al?)|en vez|en lugar|antes)\b[^()\n]{0,200}\)?$",
    re.IGNORECASE,
)
"""The former state at the end of a line, in brackets or behind a comma."""
LONGEST_LABEL = 3
"""Most words before the colon of a labelled line, stop words aside: "Lugar de la fiesta:"."""


def present_state(plan: Plan, entries: Entries) -> Computed | None:
    """Quotes the newest labelled line, such as "Deadline: 5 May", of the dated notes about what the question names."""
    known = plan.phrases
    asks_present = known.has("newest", plan.words)
    if not asks_present and (known.has("past", plan.words) or not _other_labels(plan)):
        return None
    labels = in_notes("until_labels") | in_notes("where")
    named = {word for name in plan.names for word in words_of(name)}
    # Who writes no capitals names the subject all the same.
    subjects = named or {word for word, _ in plan.wanted if word not in labels and word not in known.cues}
    subject = [stems for word, stems in plan.wanted if word in subjects]
    # "Presently" asks for the newest state, and for no line "Present: …".
    said = set(known.without("newest", plan.words))
    asked = frozenset[str]().union(*(stems for word, stems in plan.wanted if word in said and word not in subjects))
    # "Where does the person work who …" asks of somebody, and for no state of what it names.
    if not subject or known.has("older", plan.words) or (not asks_present and known.has("persons", plan.words)):
        return None
    about = [one.id for one in entries.titled(subject)]
    known_labels = all_stems(" ".join(sorted(in_notes("until_labels"))))
    # Notes may call a deadline "time limit" the next time.
    asked = asked | known_labels if asked & known_labels else asked
    told, stems = _with_label(entries, about, asked, subject), asked
    if not told:
        stems = _other_labels(plan)
        told = _with_label(entries, about, stems, subject)
    if not any(_is_labelled(one) or known_labels & all_stems(_label(one)) for one in told):
        return None
    days = sorted({one.written for one in told if one.written})
    if len(days) < 2:
        return None
    newest = [one for one in told if one.written == days[-1]]
    if len(newest) != 1 or _is_told_later(newest[0], entries.of_documents_with(about, stems | asked), subject):
        return None
    note = f"The newest of {counted(len(told), 'such lines')}, of {days[-1]}; the one before is of {days[-2]}."
    return Computed((AnswerPart(_without_former(newest[0].sentence.text.rstrip(" .")), (newest[0],)),), note)


def _without_former(line: str) -> str:
    """Returns a line without the former state at its end: "(not the boat house any more)", ", no longer in May"."""
    return _FORMER.sub("", line)


def _with_label(entries: Entries, document_ids: list[int], stems: Stems, subject: Sequence[Stems]) -> list[NoteEntry]:
    """Returns the dated lines of documents that have one of the stems in their label."""
    found = entries.of_documents_with(document_ids, stems) if document_ids else []
    return [
        one for one in found if one.written and stems & all_stems(_label(one)) and not _is_title(one, stems, subject)
    ]


def _is_told_later(newest: NoteEntry, about: Sequence[NoteEntry], subject: Sequence[Stems]) -> bool:
    """Returns whether a later line speaks of the same, but not behind a label: its words may tell another state."""
    day = newest.written
    later = [one for one in about if one.written and day and one.written > day]
    return any(not _is_title(one, frozenset(), subject) for one in later)


def _is_title(entry: NoteEntry, stems: Stems, subject: Sequence[Stems]) -> bool:
    """Returns whether a line has no words beside the label, the subject and a day: "Heron meeting of 2 July"; a deadline is a day."""
    text = entry.sentence.text
    if stems & all_stems(" ".join(sorted(in_notes("until_labels")))):
        return False
    days = sorted(written_dates(text, entry.written), reverse=True)
    for day in days:
        text = f"{text[: day.start]} {text[day.end :]}"
    said = set(words_of(text)) - every_stop_word() - weekday_numbers().keys()
    about = stems.union(*subject)
    return bool(days) and all(all_stems(word) & about for word in said)


def _is_labelled(entry: NoteEntry) -> bool:
    before, found, _ = entry.sentence.text.partition(":")
    return bool(found) and len(set(words_of(before)) - every_stop_word()) <= LONGEST_LABEL


def _label(entry: NoteEntry) -> str:
    """Returns what stands before the colon of a line, or its first words: "Deadline" of "The deadline is moved to 5 May".

    A second word counts where it is a label by itself: "fecha límite".
    """
    before = entry.sentence.text.partition(":")[0]
    if _is_labelled(entry):
        return before
    words = [word for word in words_of(before) if word not in every_stop_word()]
    labels = in_notes("until_labels") | in_notes("where")
    return " ".join((*words[:1], *(word for word in words[1:2] if word in labels)))


def _other_labels(plan: Plan) -> Stems:
    """Labels of lines that answer "where" or "until when"."""
    known = plan.phrases
    if known.has("until", plan.words):
        return all_stems(" ".join(sorted(in_notes("until_labels"))))
    return all_stems(" ".join(sorted(in_notes("where")))) if known.has("where_words", plan.words) else frozenset()
