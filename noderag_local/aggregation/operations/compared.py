"""Lists the notes of a kind with a property below or above a number: "Which recipes take under 45 minutes?"."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from noderag_local.aggregation.computed import AnswerPart, Computed
from noderag_local.aggregation.entries import Entries, NoteEntry
from noderag_local.aggregation.measures import asked_measures, measure_words, unit_of
from noderag_local.aggregation.money import NUMBER
from noderag_local.aggregation.operation_cues import COMPARISONS
from noderag_local.aggregation.operations.listing import of_a_kind, title_of
from noderag_local.aggregation.plan import Plan
from noderag_local.aggregation.properties import Property, amount_of, property_of
from noderag_local.aggregation.question_content import Stems
from noderag_local.storage.documents.entry_rows import DocumentLabel
from noderag_local.system.printing.amounts import counted
from noderag_local.text.stems import all_stems

FEWEST = 2
"""Notes with the property below which nothing is compared: a single one says little of its kind."""
_BEHIND = 4
"""Words behind those that compare in which the number and its unit stand."""


@dataclass(frozen=True, slots=True)
class _Limit:
    """The number that the properties of notes are compared with, and the side that is asked for."""

    comparison: str
    measure: str
    value: Decimal
    unit: str

    def admits(self, one: Property) -> bool:
        """Returns whether a property lies on the asked side."""
        match self.comparison:
            case "below":
                return one.value < self.value
            case "at_most":
                return one.value <= self.value
            case "above":
                return one.value > self.value
            case _:
                return one.value >= self.value


def compared(plan: Plan, entries: Entries) -> Computed | None:
    """Lists the notes of the folder or tag in the question whose property is on the asked side of its number, or counts them."""
    limit = _limit(plan)
    word, kind, of_kind = of_a_kind(plan, entries)
    if limit is None or not word or plan.days or _is_denied(plan, limit):
        return None
    notes = _with_other_words(plan, limit, kind, of_kind, entries)
    told: dict[int, list[NoteEntry]] = {}
    for entry in entries.of_documents(notes):
        told.setdefault(entry.sentence.document_id, []).append(entry)
    read = {number: property_of(note, limit.measure) for number, note in told.items()}
    found = {number: one for number, one in read.items() if one}
    if len(found) < FEWEST or len({one.unit for one in found.values()} | {limit.unit}) > (2 if not limit.unit else 1):
        return None
    fitting = {number: one for number, one in found.items() if limit.admits(one)}
    note = (
        f"From {counted(len(found), 'notes')} with such a line as “{next(iter(found.values())).entry.sentence.text}”."
    )
    if len(notes) > len(found):
        note += f" Left out: {counted(len(notes) - len(found), 'notes')} without one."
    if not fitting or plan.phrases.has("count_items", plan.words):
        text = str(len(fitting)) if fitting else plan.phrases.texts["none"]
        used = tuple(one.entry for one in (fitting or found).values())
        return Computed((AnswerPart(text, used),), note)
    parts = (AnswerPart(f"{title_of(of_kind[number])}: {one.text}", (one.entry,)) for number, one in fitting.items())
    return Computed(tuple(parts), note)


def _is_denied(plan: Plan, limit: _Limit) -> bool:
    return plan.phrases.has("negated", plan.words) and not limit.comparison.startswith("at_")


def _limit(plan: Plan) -> _Limit | None:
    """Returns the number of the question to compare with; None without a single comparison, number and measure."""
    keys = [key for key in COMPARISONS if plan.phrases.has(key, plan.words)]
    # "No more than" has "more than" in it.
    keys = [key for key in keys if key.startswith("at_")] or keys
    numbers = NUMBER.findall(plan.text)
    if len(keys) != 1 or len(numbers) != 1:
        return None
    end = plan.phrases.end_of(keys[0], plan.words) or 0
    behind = plan.words[end : end + _BEHIND]
    if not any(word[0].isdigit() for word in behind):
        return None
    unit = next((word for word in behind if unit_of(word)), "")
    text = plan.text[plan.text.index(numbers[0]) :]
    return _read(keys[0], f"{numbers[0].rstrip('.,')} {unit}".strip(), text, plan)


def _read(comparison: str, amount: str, behind: str, plan: Plan) -> _Limit | None:
    measures = asked_measures(plan.words, plan.phrases)
    unit = unit_of(amount) or unit_of(behind)
    for measure in measures or (["money"] if unit in ("EUR", "USD", "GBP", "CHF") else []):
        if read := amount_of(amount, measure, unit):
            return _Limit(comparison, measure, *read)
    return None


def _with_other_words(
    plan: Plan, limit: _Limit, kind: Stems, of_kind: dict[int, DocumentLabel], entries: Entries
) -> list[int]:
    """The notes of the kind that have the words of the question besides the comparison: "with leeks"."""
    comparing = {
        word for key in (*COMPARISONS, "count_items", "list") for phrase in plan.phrases.words[key] for word in phrase
    }
    passed = comparing | measure_words(limit.measure) | plan.phrases.single("takes")
    others = [
        stems
        for word, stems in plan.wanted
        if word not in passed and not stems & kind and not any(map(str.isdigit, word))
    ]
    return [number for number, one in of_kind.items() if all(_has(number, one, stems, entries) for stems in others)]


def _has(number: int, label: DocumentLabel, stems: Stems, entries: Entries) -> bool:
    return number in entries.documents_with(stems) or any(stems & all_stems(tag) for tag in label.tags)
