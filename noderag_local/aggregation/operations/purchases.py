"""Lists what was bought, by the rows of tables of payments and by what the notes say: "What did I buy in August?"."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from noderag_local.aggregation.computed import AnswerPart, Computed
from noderag_local.aggregation.entries import Entries, NoteEntry
from noderag_local.aggregation.money import money, only_number
from noderag_local.aggregation.operations.amounts import amount_in
from noderag_local.aggregation.operations.happenings import is_not_told, within
from noderag_local.aggregation.plan import Plan
from noderag_local.aggregation.question_content import Stems, stems_of_forms
from noderag_local.aggregation.question_phrases import in_notes, is_any, other_forms, words_of
from noderag_local.aggregation.tables import named_cells, sums_up
from noderag_local.domain.documents import BlockKind
from noderag_local.system.printing.amounts import counted
from noderag_local.text.dates.dates_in_text import said_dates
from noderag_local.text.stems import all_stems

MOST = 40
"""Most things that are listed; of more, a table says more."""


def bought(plan: Plan, entries: Entries, today: date) -> Computed | None:
    """Lists what the one who asks bought on the days that the question names, or at the shop; None without a table that tells it."""
    wanted = [stems for _, stems in plan.wanted]
    if not plan.is_own or not (plan.days or wanted):
        return None
    found = entries.on_days(plan.days) if plan.days else entries.with_all(wanted)
    fitting = [one for one in found if _has_all(one, wanted) and one.day and one.day <= today]
    inside = sorted(within(plan, fitting), key=lambda one: (one.day or today, one.sentence.id))
    listed = [(one, text) for one in inside if (text := _of_row(one, plan) or _of_sentence(one, plan))]
    rows = sum(one.sentence.kind is BlockKind.TABLE_ROW for one, _ in listed)
    if not rows or len(listed) > MOST:
        return None
    note = f"{counted(rows, 'rows')} with an amount"
    note += f", and {counted(len(listed) - rows, 'sentences')} about buying." if len(listed) > rows else "."
    return Computed(tuple(AnswerPart(text, (one,)) for one, text in listed), note)


def _has_all(entry: NoteEntry, wanted: Sequence[Stems]) -> bool:
    held = all_stems(entry.sentence.text)
    return all(stems & held for stems in wanted)


def _of_row(entry: NoteEntry, plan: Plan) -> str:
    """Returns "lamp (2025-08-03, 31 EUR)" for a row with an amount; "" for anything else."""
    if entry.sentence.kind is not BlockKind.TABLE_ROW or sums_up(cells := named_cells(entry.sentence.text)):
        return ""
    value, unit = amount_in(entry, plan)
    thing = _thing(cells)
    return f"{thing} ({entry.day}, {money(value, unit, plan.language)})" if thing and value is not None else ""


def _thing(cells: Sequence[tuple[str, str]]) -> str:
    """Returns the cell that tells what it is: that of a column such as "item", else the first that is no day and no number."""
    told = [value for name, value in cells if is_any(words_of(name.replace("_", " ")), in_notes("thing_columns"))]
    texts = [value for _, value in cells if only_number(value) is None and not said_dates(value, None)]
    return next(iter((*told, *texts)), "")


def _of_sentence(entry: NoteEntry, plan: Plan) -> str:
    """Returns "2025-08-03: Bought bread." for a sentence about buying; "" for anything else."""
    text = entry.sentence.text.strip()
    is_prose = entry.sentence.kind in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)
    if not is_prose or not _buying() & all_stems(text) or is_not_told(entry, plan):
        return ""
    return f"{entry.day}: {text}"


def _buying() -> Stems:
    return next(stems_of_forms(forms) for forms in other_forms() if "bought" in forms)
