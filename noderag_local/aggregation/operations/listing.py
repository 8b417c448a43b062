"""Lists notes of a kind, such as all recipes with chickpeas, and the members that a note names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import NamedTuple

from noderag_local.aggregation.computed import AnswerPart, Computed
from noderag_local.aggregation.denial import is_answered_no
from noderag_local.aggregation.entries import Entries, NoteEntry
from noderag_local.aggregation.operation_cues import Operation, compares
from noderag_local.aggregation.operations.happenings import is_of_loans, lent_as_asked, within
from noderag_local.aggregation.plan import Plan
from noderag_local.aggregation.question_content import Stems, stems_of_forms, with_other_forms
from noderag_local.aggregation.question_phrases import in_notes, near_forms, other_forms, words_of
from noderag_local.aggregation.refused_operations import is_either
from noderag_local.domain.documents import BlockKind
from noderag_local.storage.documents.entry_rows import DocumentLabel
from noderag_local.system.printing.amounts import counted
from noderag_local.text.stems import all_stems, stemmer
from noderag_local.text.stopwords import every_stop_word

MOST_JUDGED = 60
"""Notes of a kind beyond which none is judged by a model: each takes it more than half a second on two cores."""
_SEPARATORS = re.compile(r",|;| and | und | et | y ")
_LABEL = re.compile(r"([^\W\d_]{1,30})(?: \([^()\n]{0,60}\))?\s?:(?=\s|$)")


def notes_of_a_kind(plan: Plan, entries: Entries) -> Computed | None:
    """Lists the notes of a folder or tag in the question that say what it asks, or about which other notes say it.

    A question about what was not done gets all notes that do not say it was: "Which books did I not finish?".
    """
    word, kind, of_kind = of_a_kind(plan, entries)
    wanted = [stems for _, stems in plan.wanted if not stems & kind]
    # A note that has the words "above 4" need not be above 4.
    if not of_kind or not wanted or compares(plan.words, plan.phrases):
        return None
    # "Leeks or walnuts" is in more notes than those with both, and "all but Kiln" in others than that with Kiln.
    if plan.phrases.has("except", plan.words) or is_either(plan.words, plan.wanted, plan.phrases):
        return None
    is_denied = _is_denied(plan, word)
    # Only for deeds, such as finishing a book. A recipe that does not mention nuts may still have some.
    if is_denied and (
        plan.days or len(wanted) > 1 or not any(wanted[0] & stems_of_forms(forms) for forms in near_forms())
    ):
        return None
    found = _beginnings(_tagged(of_kind, wanted), entries) if not plan.days else {}
    saying = _saying_it(plan, entries, of_kind, wanted)
    said = [*saying.items(), *_named_elsewhere(plan, entries, of_kind, wanted)]
    fitting = {one.sentence.id for one in lent_as_asked([entry for _, entry in said], plan)}
    for number, entry in said:
        if entry.sentence.id in fitting:
            found.setdefault(number, entry)
    others = "may be missing"
    if found and is_denied:
        found, others = _all_but(found, entries, of_kind), "may be among these"
    if not found:
        return None
    note = f"From {counted(len(of_kind), 'notes')} of this kind; some that put it in other words {others}."
    if plan.operation is Operation.COUNT_ITEMS:
        return Computed((AnswerPart(str(len(found)), tuple(found.values())),), note)
    return Computed(tuple(AnswerPart(title_of(of_kind[number]), (entry,)) for number, entry in found.items()), note)


def notes_to_judge(plan: Plan, entries: Entries) -> dict[int, list[NoteEntry]]:
    """Returns the entries of each note of the folder or tag that a question names, by document.

    Nothing if one of these notes has a word of what is asked. Otherwise only a model can tell which of them fit: "Which of my
    recipes are vegetarian?". A question that names somebody, a time or what somebody did is answered by other notes than these.
    """
    is_told_elsewhere = any(entries.knows(word) for name in plan.names for word in words_of(name))
    if plan.days or is_told_elsewhere or plan.phrases.has("deeds", plan.words):
        return {}
    _, kind, of_kind = of_a_kind(plan, entries)
    wanted = [stems for _, stems in plan.wanted if not stems & kind]
    if not wanted or len(of_kind) > MOST_JUDGED:
        return {}
    if any(entries.documents_with(stems) & set(of_kind) for stems in wanted):
        return {}
    told: dict[int, list[NoteEntry]] = {}
    for one in entries.of_documents(of_kind):
        told.setdefault(one.sentence.document_id, []).append(one)
    return told


def members(plan: Plan, entries: Entries) -> Computed | None:
    """Lists who works on a project, or who was or was not at a meeting, by a line such as "Members: Ana Lee, Bo Li".

    The names may also stand below the line, an item each.
    """
    known = plan.phrases
    said = frozenset[str]().union(*map(known.single, ("member_words", "attend_words", "absent_words")))
    wanted = [(word, stems) for word, stems in plan.wanted if word not in said]
    keys = _lines_that_tell(plan)
    titled = entries.titled([stems for _, stems in wanted]) if wanted else []
    lines = list(_lines(entries.of_documents(one.id for one in titled)))
    found = [[line for line in lines if line.label in in_notes(key)] for key in keys]
    line = next((of_key[0] for of_key in found if len(of_key) == 1), None)
    if line is None:
        return None
    note = f"As {line.entry.sentence.title} lists them."
    return Computed(tuple(AnswerPart(name, (entry,)) for name, entry in _named_in(line)), note)


class _Line(NamedTuple):
    """A line such as "Members: Ana Lee, Bo Li"."""

    label: str
    text: str
    entry: NoteEntry
    items: tuple[NoteEntry, ...] = ()
    """The list below the line, if nothing stands behind its label."""


def _lines(entries: Sequence[NoteEntry]) -> Iterator[_Line]:
    """Yields the lines of people in documents."""
    for at, one in enumerate(entries):
        for line in _labelled(one):
            yield line if line.text.strip() else line._replace(items=tuple(_list_below(entries, at)))


def _list_below(entries: Sequence[NoteEntry], at: int) -> Iterator[NoteEntry]:
    """Yields the items of a list that begins behind an entry."""
    document = entries[at].sentence.document_id
    for one in entries[at + 1 :]:
        if one.sentence.kind is not BlockKind.LIST_ITEM or one.sentence.document_id != document:
            return
        yield one


def _named_in(line: _Line) -> Iterator[tuple[str, NoteEntry]]:
    """Yields each name of a line, and the entry that has it."""
    if line.items:
        yield from ((" ".join(one.sentence.text.split()).rstrip("."), one) for one in line.items)
    names = (name.strip(" .") for name in _SEPARATORS.split(line.text))
    yield from ((name, line.entry) for name in names if name)


def _labelled(entry: NoteEntry) -> Iterator[_Line]:
    """Yields the lines of people in an entry, each with what follows its label.

    Lines below one another are one sentence: "Present: Ana Lee Apologies: Bo Li".
    """
    labels = in_notes("members") | in_notes("attended") | in_notes("absent")
    text = entry.sentence.text
    starts = [one for one in _LABEL.finditer(text) if one[1].casefold() in labels]
    # "In the team: …" is a label, "Ana paid the team: …" is none.
    if not starts or not every_stop_word().issuperset(words_of(text[: starts[0].start()])):
        return
    ends = [*(one.start() for one in starts[1:]), len(text)]
    for one, end in zip(starts, ends, strict=True):
        yield _Line(one[1].casefold(), text[one.end() : end], entry)


def _lines_that_tell(plan: Plan) -> tuple[str, ...]:
    """The keys of the labels of lines that tell who it was, the likeliest first; nothing for who is no member."""
    known, words = plan.phrases, plan.words
    attends, is_negated = known.has("attend_words", words), known.has("negated", words)
    if known.has("absent_words", words) or (attends and is_negated):
        return ("absent",)
    if is_negated:
        return ()
    return ("attended", "members") if attends else ("members",)


def _is_denied(plan: Plan, kind: str) -> bool:
    """Whether "not", "never" and the like stand behind the kind of notes."""
    behind = plan.words[plan.words.index(kind) + 1 :]
    return not plan.phrases.single("negated").isdisjoint(behind)


def _all_but(found: dict[int, NoteEntry], entries: Entries, of_kind: dict[int, DocumentLabel]) -> dict[int, NoteEntry]:
    """The notes of a kind that were not found, each with its first sentence that is no heading.

    Notes that lack a tag most others have are left out: "To read" lies in the folder of books, and is no book.
    """
    counts = Counter(tag for one in of_kind.values() for tag in set(one.tags))
    usual = {tag for tag, count in counts.items() if 2 * count > len(of_kind)}
    others = [number for number, one in of_kind.items() if number not in found and usual <= set(one.tags)]
    return _beginnings(others, entries)


def _tagged(of_kind: dict[int, DocumentLabel], wanted: list[Stems]) -> list[int]:
    """The notes of a kind whose tags have all words that a question asks for: "vegan"."""
    return [
        number
        for number, one in of_kind.items()
        if all(any(stems & all_stems(tag) for tag in one.tags) for stems in wanted)
    ]


def _beginnings(document_ids: Iterable[int], entries: Entries) -> dict[int, NoteEntry]:
    """The first sentence of each note that is no heading."""
    told: dict[int, NoteEntry] = {}
    for one in entries.of_documents(document_ids):
        if one.sentence.kind is not BlockKind.HEADING:
            told.setdefault(one.sentence.document_id, one)
    return told


def of_a_kind(plan: Plan, entries: Entries) -> tuple[str, Stems, dict[int, DocumentLabel]]:
    """Returns the first word of the question that is a folder or tag of several notes, its stems, and these notes by id."""
    for kind in plan.kinds:
        # In the question's language alone: the German stem of "mother" is the English one of "moths".
        stems = with_other_forms(kind, frozenset({stemmer(plan.language)(kind)}), plan.language, other_forms())
        found = {one.id: one for one in entries.labelled(stems)}
        if len(found) > 1:
            return kind, stems, found
    return "", frozenset(), {}


def _saying_it(
    plan: Plan, entries: Entries, of_kind: dict[int, DocumentLabel], wanted: list[Stems]
) -> dict[int, NoteEntry]:
    """The notes that say it themselves: with all words in one sentence of the asked days, or of a loan, or else anywhere in the note."""
    if plan.days or is_of_loans(plan):
        told = within(plan, [one for one in entries.with_all(wanted) if one.sentence.document_id in of_kind])
        return {one.sentence.document_id: one for one in told}
    holding = set(of_kind)
    for stems in wanted:
        holding &= entries.documents_with(stems)
    found: dict[int, NoteEntry] = {}
    listing = entries.with_items(holding)
    for stems in wanted[-1:]:
        for one in entries.with_all([stems]):
            number = one.sentence.document_id
            # A lentil dal need not have lentils: the items of a note say what it has, and its title does not.
            is_mere_title = number in listing and one.sentence.kind is BlockKind.HEADING
            if number in holding and not is_mere_title and not is_answered_no(one.sentence.text, stems):
                found.setdefault(number, one)
    return found


def _named_elsewhere(
    plan: Plan, entries: Entries, of_kind: dict[int, DocumentLabel], wanted: list[Stems]
) -> Iterable[tuple[int, NoteEntry]]:
    """Yields the notes whose title stands in a sentence elsewhere that says it: "Lent Glass Orchard to Ana"."""
    titles = {number: f" {' '.join(words_of(title_of(one)))} " for number, one in of_kind.items()}
    told = [one for one in entries.with_all(wanted) if one.sentence.document_id not in of_kind]
    for entry in within(plan, told):
        text = f" {' '.join(words_of(entry.sentence.text))} "
        yield from ((number, entry) for number, title in titles.items() if title.strip() and title in text)


def title_of(document: DocumentLabel) -> str:
    """Returns the title of a document, or the name of its file where it has none."""
    return document.title or PurePath(document.path).stem
