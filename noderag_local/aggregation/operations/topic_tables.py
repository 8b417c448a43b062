"""Finds the rows of tables whose name is what a question is about: "swims 2026.csv" for "How often did I swim?"."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date

from noderag_local.aggregation.entries import Entries, NoteEntry
from noderag_local.aggregation.measures import SUPERLATIVES, measure_words, table_words
from noderag_local.aggregation.plan import Plan
from noderag_local.aggregation.question_content import Stems, stems_in_all, with_other_forms
from noderag_local.aggregation.question_phrases import other_forms, words_of
from noderag_local.aggregation.tables import NoteRow, NoteTable, tables_in
from noderag_local.text.stopwords import stop_words

MOST_TABLES = 40
"""Documents with the name of a subject beyond which no table is read."""
_ASKING: tuple[str, ...] = (
    "average",
    "sum",
    "sum_of",
    "count",
    "count_items",
    "how_far",
    "how_long",
    "spending",
    "last_time",
    "first_time",
    "asks_when",
    "asks_what",
    "asks_other",
    "activities",
    "last",
    "first",
    "date_of",
    "date_bare",
    *SUPERLATIVES,
)
"""Keys of the words that ask for an operation and tell nothing of its subject."""


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a question that a table must have in its name, a column or a row."""

    word: str
    stems: Stems
    before: str
    """The word before it: "hive" of "hive 2"."""


def topic_tables(plan: Plan, entries: Entries, measures: Collection[str] = ()) -> list[NoteTable]:
    """Returns the tables about what a question asks, each with those rows alone that have the words which its name lacks.

    Args:
        plan: the reading of the question.
        entries: the notes.
        measures: what the question asks to be measured; words for it need not be in the table.
    """
    if any(plan.phrases.has(key, plan.words) for key in ("negated", "a_period", "except")) or _is_beside_days(plan):
        return []
    wanted = _wanted(plan, measures)
    named = {one.id for word in wanted for one in entries.titled([word.stems])}
    if plan.phrases.has("spending", plan.words):
        named |= {one.id for word in table_words("spending") for one in entries.titled([stems_in_all(word)])}
    if not named or len(named) > MOST_TABLES:
        return []
    tables = (_narrowed(table, wanted, plan, measures) for table in tables_in(sorted(named), entries))
    return [table for table in tables if table.rows]


def topic_rows(plan: Plan, entries: Entries, today: date) -> list[NoteEntry]:
    """Returns the rows of `topic_tables` with a day up to today, in the order of their days."""
    rows = (row.entry for table in topic_tables(plan, entries) for row in table.rows)
    dated = {one.sentence.id: (one.day, one) for one in rows if one.day and one.day <= today}
    return [one for _, one in sorted(dated.values(), key=lambda pair: (pair[0], pair[1].sentence.id))]


def _is_beside_days(plan: Plan) -> bool:
    """Whether a question may mean the days before or after those that it names: "since June"."""
    return plan.days is not None and plan.phrases.has("beside_day", plan.words)


def _wanted(plan: Plan, measures: Collection[str]) -> list[_Word]:
    known = plan.phrases
    ignored = stop_words(plan.language) | known.single("ignored") | known.single("own")
    ignored = ignored.union(*map(measure_words, measures))
    asking = {word for key in _ASKING for phrase in known.words[key] if _is_asked(plan, phrase) for word in phrase}
    subject = {word for word, _ in plan.wanted}
    found = []
    for before, word in zip(("", *plan.words), plan.words, strict=False):
        # "Swimming" is an activity that asks how often, and the subject all the same.
        is_subject = any(word in forms for forms in other_forms()) and word in subject
        if is_subject or (word not in ignored | asking and (len(word) > 1 or word.isdigit())):
            found.append(_Word(word, with_other_forms(word, stems_in_all(word), plan.language, other_forms()), before))
    return found


def _is_asked(plan: Plan, phrase: tuple[str, ...]) -> bool:
    return set(phrase) <= set(plan.words)


def _narrowed(table: NoteTable, wanted: Sequence[_Word], plan: Plan, measures: Collection[str]) -> NoteTable:
    """The table without the rows that lack a word of the question; without any row where its name tells of something else."""
    name = [stems_in_all(word) for word in _words_of_name(table)]
    is_spending = plan.phrases.has("spending", plan.words)
    in_name = [word for word in wanted if any(word.stems & of_name for of_name in name)]
    taken = frozenset[str]().union(*(word.stems for word in in_name))
    passed = table_words("generic").union(*map(measure_words, measures), table_words("spending") if is_spending else ())
    others = [word for word in _words_of_name(table) if word not in passed and not any(map(str.isdigit, word))]
    is_about_spending = is_spending and any(word in table_words("spending") for word in _words_of_name(table))
    if not (in_name or is_about_spending) or any(not stems_in_all(word) & taken for word in others):
        return replace(table, rows=())
    rows: Sequence[NoteRow] = table.rows
    for word in wanted:
        if word not in in_name and not any(
            word.stems & stems_in_all(one) for column in table.columns() for one in words_of(column)
        ):
            rows = _having(rows, word)
    return replace(table, rows=tuple(rows))


def _words_of_name(table: NoteTable) -> list[str]:
    """The words of a table's name, "expenses" and "2026" of "expenses-2026"."""
    return words_of(table.name.replace("-", " "))


def _having(rows: Sequence[NoteRow], word: _Word) -> Sequence[NoteRow]:
    """The rows with a word: those with a cell that is this word, or else those with a cell that has it.

    A number counts in the column of the word before it alone: "hive 2" is no row with 2 kg.
    """
    if word.word.isdigit():
        column = stems_in_all(word.before)
        return [
            row
            for row in rows
            if any(
                value == word.word and any(column & stems_in_all(one) for one in words_of(name))
                for name, value in row.cells
            )
        ]
    equal = [row for row in rows if any(_is_word(value, word.stems) for _, value in row.cells)]
    return equal or [
        row for row in rows if any(word.stems & stems_in_all(one) for _, value in row.cells for one in words_of(value))
    ]


def _is_word(value: str, stems: Stems) -> bool:
    words = words_of(value)
    return len(words) == 1 and bool(stems & stems_in_all(words[0]))
