"""Computes what somebody still owes: the loans that notes tell of, less what was paid back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from noderag_local.aggregation.computed import AnswerPart, Computed
from noderag_local.aggregation.debt_statements import DebtChange, DebtStatement, debt_statements, is_of_another
from noderag_local.aggregation.documents_of_others import written_by_others
from noderag_local.aggregation.entries import Entries, NoteEntry
from noderag_local.aggregation.operation_cues import Operation
from noderag_local.aggregation.plan import Plan
from noderag_local.aggregation.question_content import Stems
from noderag_local.aggregation.question_phrases import in_notes, is_any, words_of
from noderag_local.domain.documents import BlockKind
from noderag_local.system.printing.amounts import counted
from noderag_local.text.capitals import capitalised_runs
from noderag_local.text.dates.dates_in_text import said_dates
from noderag_local.text.stems import all_stems, question_stems

MOST_SENTENCES = 400
"""Sentences that name a person beyond which no debt is computed; to read more of them would take seconds."""
_AND = frozenset({"and", "und", "et", "y"})
_I = frozenset({"i", "ich", "je", "yo", "me"})
_PROSE = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)


@dataclass(frozen=True, slots=True)
class _DatedStatement:
    day: date | None
    entry: NoteEntry
    told: DebtStatement


def still_owed(plan: Plan, entries: Entries, today: date) -> Computed | None:
    """Tells what the person of the question still owes the writer, or the writer the person; None where notes do not decide it."""
    name, topic = _asked(plan)
    if not name or plan.days:
        return None
    about = _about(name, entries)
    if about is None:
        return None
    others = written_by_others(entries.of_documents({one.sentence.document_id for one in about}))
    statements = [
        one for entry in about for one in _statements(entry, name, today, entry.sentence.document_id in others)
    ]
    told = _once(sorted(statements, key=lambda one: (one.day or date.max, one.entry.sentence.id)))
    balance = _balance(told, topic)
    if balance is None or not balance.used:
        return None
    return _told(balance, 1 if plan.operation is Operation.OWED_TO_ME else -1, plan)


def _asked(plan: Plan) -> tuple[str, list[Stems]]:
    """The person of a question, "" without a single one, and its other words that matter: "for the bike"."""
    asking = {word for key in ("owed_to_me", "owed_by_me") for phrase in plan.phrases.words[key] for word in phrase}
    keys = ("spending", "newest", "ignored", "asks_what", "asks_other", "sum")
    asking = asking.union(*map(plan.phrases.single, keys))
    matter = [(word, stems) for word, stems in plan.wanted if word not in asking and not word.startswith("qu'")]
    names = plan.names or tuple(word for word, _ in matter[:1] if len(matter) == 1)
    if len(names) != 1:
        return "", []
    named = words_of(names[0])
    return names[0], [stems for word, stems in matter if word not in named]


def _about(name: str, entries: Entries) -> list[NoteEntry] | None:
    """The sentences about a person: those with the name, those behind them with a pronoun, and those of the person's page.

    None where it is not clear who is meant, or there are too many.
    """
    by_name = entries.naming((name,), ())
    naming = {one.sentence.id for one in by_name}
    pages = {one.id for one in entries.titled(list(question_stems(name).values()))}
    if not naming or len(naming) > MOST_SENTENCES or len(_full_names(name, naming, entries)) > 1:
        return None
    documents = {one.sentence.document_id for one in by_name} | pages
    found: list[NoteEntry] = []
    last = 0
    for one in entries.of_documents(sorted(documents)):
        follows = (
            bool(found) and found[-1].sentence.id == last and found[-1].sentence.document_id == one.sentence.document_id
        )
        last = one.sentence.id
        if one.sentence.kind in _PROSE and (
            one.sentence.id in naming or (_may_be_about(one, name, follows) and not _names_person(one, name, entries))
        ):
            found.append(one)
    return found


def _may_be_about(entry: NoteEntry, name: str, follows: bool) -> bool:
    """Whether a sentence without a name may be about a person: behind one that is, or under a heading with the name."""
    if is_of_another(entry.sentence.text, name):
        return False
    if follows and is_any(words_of(entry.sentence.text), in_notes("pronouns")):
        return True
    named = set(words_of(name))
    return any(named <= set(words_of(over)) for over in (entry.sentence.title, *entry.sentence.headings))


def _full_names(name: str, sentence_ids: set[int], entries: Entries) -> set[str]:
    """The names of several words in some sentences that begin with the asked name; several of them may be several people."""
    first = words_of(name)
    others = (other for _, other in entries.names_in(sentence_ids) if entries.is_person(other))
    return {other for other in others if words_of(other)[: len(first)] == first}


def _names_person(entry: NoteEntry, name: str, entries: Entries) -> bool:
    """Whether a sentence names another person that notes know."""
    own = set(words_of(name))
    others = (other for _, other in entries.names_in([entry.sentence.id]))
    return any(
        (entries.is_person(other) or entries.is_first_name(other)) and not own & set(words_of(other))
        for other in others
    )


def _statements(entry: NoteEntry, name: str, today: date, is_of_others: bool) -> Iterator[_DatedStatement]:
    """Yields what a sentence tells of a debt; a sentence that tells it of several people is unclear, and so are others' words."""
    day = entry.day if entry.day and entry.day <= today else entry.written
    if day and day > today:
        return
    for told in debt_statements(_without_dates(entry), name):
        several = told.change is not DebtChange.SETTLED and _is_of_several(entry.sentence.text, name)
        yield _DatedStatement(day, entry, DebtStatement(DebtChange.UNCLEAR) if several or is_of_others else told)


def _without_dates(entry: NoteEntry) -> str:
    text = entry.sentence.text
    for said in reversed(said_dates(text, entry.written)):
        text = f"{text[: said.start]} {text[said.end :]}"
    return text


def _is_of_several(text: str, name: str) -> bool:
    """Whether a name stands beside another one: "Jonas and Anna paid back 80"."""
    words = words_of(text)
    first = words_of(name)[0]
    named = {word.casefold() for run in capitalised_runs(text) for word in run}
    beside = [words[at + 2 : at + 3] for at, word in enumerate(words[:-1]) if word == first and words[at + 1] in _AND]
    beside += [
        words[at - 2 : at - 1] for at, word in enumerate(words) if at > 1 and word == first and words[at - 1] in _AND
    ]
    return any(word in named and word not in _I for found in beside for word in found)


def _once(told: Sequence[_DatedStatement]) -> list[_DatedStatement]:
    """The statements without those that repeat one: two notes of a day that tell the same amount.

    In different words they may be two payments, and that is unclear.
    """
    kept: dict[tuple[date | None, DebtStatement], _DatedStatement] = {}
    found: list[_DatedStatement] = []
    for one in told:
        before = kept.setdefault((one.day, one.told), one)
        if before is one or one.told.change in (DebtChange.SETTLED, DebtChange.UNCLEAR):
            found.append(one)
        elif words_of(before.entry.sentence.text) != words_of(one.entry.sentence.text):
            found.append(_DatedStatement(one.day, one.entry, DebtStatement(DebtChange.UNCLEAR)))
    return found


@dataclass(slots=True)
class _Balance:
    """A debt as it grows and shrinks; positive where the person owes the writer."""

    used: list[NoteEntry] = field(default_factory=list)
    """Sentences since the debt began or was last stated."""
    terms: list[Decimal] = field(default_factory=list)
    currency: str = ""
    is_clear: bool = True

    @property
    def value(self) -> Decimal:
        return sum(self.terms, Decimal(0))

    def take(self, one: DebtStatement, entry: NoteEntry) -> None:
        """Takes a statement into account, the next by day."""
        match one.change:
            case DebtChange.SETTLED:
                self._begin(entry)
            case DebtChange.STATED:
                self._state(one, entry)
            case DebtChange.LOAN:
                self.is_clear = self.is_clear and one.direction != 0
                self._add(one, one.direction, entry)
            case DebtChange.PAYMENT:
                direction = -1 if self.value > 0 else 1
                # More than is owed was paid back: some loan is in no note.
                fits = one.direction in (0, direction) and one.amount <= abs(self.value)
                self.is_clear = self.is_clear and fits
                self._add(one, direction, entry)
            case DebtChange.UNCLEAR:
                self.is_clear = False

    def _begin(self, entry: NoteEntry) -> None:
        self.used, self.terms, self.currency, self.is_clear = [entry], [], "", True

    def _state(self, one: DebtStatement, entry: NoteEntry) -> None:
        direction = one.direction or (0 if not self.value else 1 if self.value > 0 else -1)
        is_start = one.is_left or not self.value
        currency = one.currency or self.currency
        self._begin(entry)
        self.is_clear = is_start and direction != 0
        self._add(one, direction, entry, currency)

    def _add(self, one: DebtStatement, direction: int, entry: NoteEntry, currency: str = "") -> None:
        currency = one.currency or currency or self.currency
        # The first loan names its currency, and all others have the same one.
        self.is_clear = self.is_clear and bool(currency) and self.currency in ("", currency)
        self.currency = currency
        self.terms.append(direction * one.amount)
        self.used += [] if entry in self.used else [entry]


def _balance(told: Sequence[_DatedStatement], topic: Sequence[Stems]) -> _Balance | None:
    """Returns the debt after all statements, in the order of their days; None where they do not decide it."""
    in_order = any(one.told.change in (DebtChange.STATED, DebtChange.SETTLED) for one in told)
    if in_order and len(told) > 1 and any(one.day is None for one in told):
        return None
    balance = _Balance()
    for one in told:
        is_loan = one.told.change in (DebtChange.LOAN, DebtChange.STATED)
        held = all_stems(one.entry.sentence.text) if topic and is_loan else frozenset()
        if is_loan and not all(stems & held for stems in topic):
            return None
        balance.take(one.told, one.entry)
    return balance if balance.is_clear else None


def _told(balance: _Balance, side: int, plan: Plan) -> Computed:
    """The answer: what is owed, with the computation where there are several amounts."""
    owed = side * balance.value
    note = (
        f"From {counted(len(balance.used), 'sentences')} of your notes; some that put it in other words may be missing."
    )
    if owed <= 0:
        if owed < 0:
            note += f" By these, the debt is the other way round: {-owed:f} {balance.currency}."
        return Computed((AnswerPart(plan.phrases.texts["nothing"], tuple(balance.used)),), note)
    terms = [side * term for term in balance.terms]
    steps = "".join(f" {'−' if term < 0 else '+'} {abs(term):f}" for term in terms).removeprefix(" + ")
    text = f"{owed:f} {balance.currency}" + (f" ({steps.strip()})" if len(terms) > 1 else "")
    return Computed((AnswerPart(text, tuple(balance.used)),), note)
