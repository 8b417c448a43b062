"""Reads from a sentence what it tells of money between the writer and a person: lent, paid back, still owed, settled."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from itertools import pairwise

from noderag_local.aggregation.debt_words import (
    before_things,
    debt_phrases,
    debt_verbs,
    debt_words,
    has_debt_phrase,
    light_words,
)
from noderag_local.aggregation.money import CURRENCIES, WrittenNumber, written_numbers
from noderag_local.aggregation.question_phrases import LANGUAGES, WORD, in_notes, is_any, phrases, words_of
from noderag_local.text.capitals import stop_words_of
from noderag_local.text.everyday_words import is_everyday_word
from noderag_local.text.languages import language_of

_CLAUSE = re.compile(
    r"[;:,](?!\d)|\s[–—-]\s|\b(?:but|aber|mais|pero)\b|\b(?:and|und|et|y)\s(?=(?:he|she|they|er|sie|il|elle|él|ella)\s)",
    re.IGNORECASE,
)
_ARTICLES = frozenset({"le", "les"})
"""Pronouns of Spanish and French that are articles as well."""


class DebtChange(StrEnum):
    """Kinds of what a clause says of a debt."""

    LOAN = "loan"
    PAYMENT = "payment"
    STATED = "stated"
    SETTLED = "settled"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class DebtStatement:
    """A clause that tells of a debt, and between whom the money goes."""

    change: DebtChange
    amount: Decimal = Decimal(0)
    currency: str = ""
    """Code of the currency; "" where the clause names none."""
    direction: int = 0
    """1 where the person comes to owe the writer more, -1 where less; 0 where the clause does not tell."""
    is_left: bool = False
    """Whether a stated amount is what is left, whatever came before."""


_UNCLEAR = DebtStatement(DebtChange.UNCLEAR)


def debt_statements(text: str, name: str) -> Iterator[DebtStatement]:
    """Yields what the clauses of a sentence tell of a debt; clauses that only plan or deny something tell nothing.

    Args:
        text: a sentence about a person, without its dates.
        name: name of the person.
    """
    if text.rstrip().endswith("?"):
        return
    is_german = language_of(text) == "de"
    has_others = bool(_other_names(text, name))
    is_of_money = False
    for part in _CLAUSE.split(text):
        clause = _Clause(part, name)
        # "Jonas paid me 20 €, then 10 €".
        found = clause.statement() or (_UNCLEAR if is_of_money and clause.is_bare_amount else None)
        is_of_money = found is not None and found.change in (DebtChange.LOAN, DebtChange.PAYMENT)
        if not found:
            continue
        if clause.is_reported or clause.is_between_others:
            found = _UNCLEAR
        elif clause.names_another(is_german):
            found = _UNCLEAR if clause.has_name or is_german else None
        elif has_others and not clause.has_name and not is_german:
            # "Ottokar came with Jonas, he paid back 80".
            found = _UNCLEAR
        if found:
            yield found


def is_of_another(text: str, name: str) -> bool:
    """Returns whether a sentence without a name has another name; German nouns look like names and are none here."""
    return language_of(text) != "de" and bool(_other_names(text, name))


def _other_names(text: str, name: str) -> list[tuple[str, str]]:
    """The capitalised words that may be other people's names, each casefolded behind the word before it; places are none."""
    found = []
    before = ""
    known = frozenset(words_of(name)) | CURRENCIES.keys() | debt_verbs()
    stopped = stop_words_of(text)
    for at, word in enumerate(WORD.findall(text)):
        folded = word.casefold().removesuffix("'s")
        is_plain = folded in stopped or (at == 0 and is_everyday_word(folded))
        if word[0].isupper() and folded not in known and not is_plain and before not in before_things():
            found.append((before, folded))
        before = folded
    return found


class _Clause:
    """One clause about a person."""

    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._words = words_of(text)
        self._name = [word for word in words_of(name) if word in self._plain(self._words)]
        self.has_name = bool(self._name)

    @staticmethod
    def _plain(words: Sequence[str]) -> list[str]:
        return [word.removesuffix("'s") for word in words]

    @property
    def is_reported(self) -> bool:
        """Whether it tells what somebody says, or what is paid again and again."""
        reported = is_any(self._words, debt_words("reported"))
        return reported or any(phrases(language).has("a_period", self._words) for language in LANGUAGES)

    @property
    def is_bare_amount(self) -> bool:
        """Whether it has an amount and nothing that says what it is."""
        known = (light_words() - debt_words("still")) | CURRENCIES.keys()
        return self._has_currency() and all(word in known or word[0].isdigit() for word in self._words)

    @property
    def is_between_others(self) -> bool:
        """Whether the person gives to somebody else: "Jonas lent her 50 €"."""
        at_verb = next((at for at, word in enumerate(self._words) if word in debt_verbs()), 0)
        acts = is_any(self._plain(self._words[:at_verb]), frozenset(self._name) | debt_words("third"))
        return acts and is_any(self._words[at_verb + 1 :], debt_words("third_object") - _ARTICLES)

    def names_another(self, is_german: bool) -> bool:
        """Returns whether another name than the person's has a part in it: "Jonas paid Anna back 50", "gave Anna 50 back".

        German writes nouns with a capital letter, too; there it must stand behind "von", "an" or "und", or open the clause.
        """
        others = _other_names(self._text, " ".join(self._name))
        opening = self._words[0] if self._words else ""
        leads = debt_words("to") | debt_words("from") | {"and", "und", "et", "y"}
        if not self.has_name:
            return any(not is_german or before in leads or other == opening for before, other in others)
        return any(before in leads or (not is_german and before in debt_verbs()) for before, _ in others)

    @property
    def _is_unreal(self) -> bool:
        """Whether it only plans, wishes or denies, or tells what a thing costs."""
        signs = in_notes("negated") | in_notes("planned") | debt_words("worth") | debt_words("unreal")
        # "Forgot to pay back 80".
        infinitives = debt_words("lends") | debt_words("borrows") | debt_words("pays_back") | debt_words("pays")
        is_meant = any(one == "to" and other in infinitives for one, other in pairwise(self._words))
        is_future = any(word.endswith(("'ll", "’ll", "'d", "’d")) for word in self._words)
        return is_meant or is_future or is_any(self._words, signs)

    def statement(self) -> DebtStatement | None:
        """Returns what the clause tells; None if it tells nothing of a debt."""
        if has_debt_phrase("nothing_owed", self._words):
            return DebtStatement(DebtChange.SETTLED)
        if self._is_unreal:
            return None
        if has_debt_phrase("settled", self._words):
            return DebtStatement(DebtChange.SETTLED)
        if has_debt_phrase("debt_paid", self._words):
            return _UNCLEAR if self._is_paid_to_others() else DebtStatement(DebtChange.SETTLED)
        if has_debt_phrase("all_paid", self._words):
            return _UNCLEAR
        if is_any(self._words, debt_words("owes")) or has_debt_phrase("left", self._words):
            return self._stated()
        if is_any(self._words, debt_words("lends") | debt_words("borrows")):
            return self._loan()
        is_back = is_any(self._words, debt_words("pays_back")) or self._has_pair()
        return self._payment() if is_back else self._bare_payment()

    def _is_paid_to_others(self) -> bool:
        """Whether a debt may be one to somebody else: "Jonas settled his debt with the bank"."""
        return is_any(self._words, debt_words("others_paid")) and not is_any(self._words, debt_words("me"))

    def _has_pair(self) -> bool:
        return is_any(self._words, debt_words("pays")) and is_any(self._words, debt_words("back"))

    def _stated(self) -> DebtStatement | None:
        amount = self._amount(debt_words("owes"))
        if amount is None:
            return _UNCLEAR if self._has_currency() else None
        is_left = is_any(self._words, debt_words("still")) or has_debt_phrase("left", self._words)
        direction = 1 if is_any(self._words, debt_words("me")) else 0
        if not direction and is_any(self._words, debt_words("i") | {"dois", "debo", "schulde"}):
            direction = -1
        return DebtStatement(DebtChange.STATED, amount.value, amount.currency, direction, is_left)

    def _loan(self) -> DebtStatement | None:
        verbs = debt_words("lends") | debt_words("borrows")
        amount = self._amount(verbs)
        if amount is None:
            is_money = self._has_currency() and self._is_of_money(verbs)
            return _UNCLEAR if is_money or is_any(self._words, debt_words("money")) else None
        is_borrowed = is_any(self._words, debt_words("borrows"))
        direction = self._direction(verbs, is_borrowed)
        return DebtStatement(DebtChange.LOAN, amount.value, amount.currency, direction)

    def _is_of_money(self, verbs: frozenset[str]) -> bool:
        """Whether no thing stands between the verb and the first amount: "lent Jonas the drill for 20 €" is no loan of money."""
        return all(self._is_object(one, verbs) for one in self._numbers() if one.currency)

    def _payment(self) -> DebtStatement | None:
        verbs = debt_words("pays_back") | debt_words("pays")
        amount = self._amount(verbs)
        if amount is None:
            is_money = is_any(self._words, debt_words("pays_money") | debt_words("money")) or self._has_amounts()
            return _UNCLEAR if is_money else None
        return DebtStatement(
            DebtChange.PAYMENT, amount.value, amount.currency, self._direction(verbs, is_borrowed=False)
        )

    def _bare_payment(self) -> DebtStatement | None:
        """A payment to the writer without "back", "Jonas paid me 80", or the word "loan".

        It is not clear what it is for where something is named, or where the money goes another way.
        """
        if is_any(self._words, debt_words("loans")):
            return _UNCLEAR if self._has_currency() else None
        if not is_any(self._words, debt_words("pays")):
            return _UNCLEAR if self._has_amount_for_me() else None
        if self._words[-1] in debt_words("me") and is_any(self._words, debt_words("pays_money")):
            # "Jonas paid me": it may be all.
            return _UNCLEAR
        amount = self._amount(debt_words("pays"))
        is_for_something = is_any(self._words, debt_words("for"))
        if not is_any(self._words, debt_words("me")):
            # "Got 30 € from Jonas" may be what he owes; "gave Jonas 30 € for the flowers" is not.
            has_some = amount is not None or sum(bool(one.currency) for one in self._numbers()) > 1
            return _UNCLEAR if has_some and self.has_name and not is_for_something else None
        if amount is None or is_for_something:
            return _UNCLEAR if self._has_currency() else None
        return DebtStatement(DebtChange.PAYMENT, amount.value, amount.currency, -1)

    def _has_amount_for_me(self) -> bool:
        """Whether an amount stands right behind "me", after whatever verb: "Jonas slipped me 20 €"."""
        before = (words_of(self._text[: one.start]) for one in self._numbers() if one.currency)
        return any(is_any(words[-1:], debt_words("me")) for words in before)

    def _numbers(self) -> list[WrittenNumber]:
        return list(written_numbers(self._text))

    def _has_currency(self) -> bool:
        return any(one.currency for one in self._numbers())

    def _has_amounts(self) -> bool:
        return any(one.currency or self._may_be_amount(one) for one in self._numbers())

    def _amount(self, verbs: frozenset[str]) -> WrittenNumber | None:
        """The only number that can be an amount of money; the whole of which a part is meant is none."""
        numbers = [one for one in self._numbers() if one.currency or self._may_be_amount(one)]
        if len(numbers) > 1:
            numbers = [one for one in numbers if not self._is_whole(one)]
        return numbers[0] if len(numbers) == 1 and self._is_object(numbers[0], verbs) else None

    def _may_be_amount(self, number: WrittenNumber) -> bool:
        after = number.after
        if not after[:1].isalnum():
            return after not in ("%", "°")
        return after in light_words() or after in self._name or after in debt_words("auxiliaries")

    def _is_whole(self, number: WrittenNumber) -> bool:
        before = words_of(self._text[: number.start])
        return any(_ends_with(before, phrase.split()) for phrase in debt_phrases("whole"))

    def _is_object(self, number: WrittenNumber, verbs: frozenset[str]) -> bool:
        """Whether nothing but light words stands between the verb or the name and the amount."""
        before = self._plain(words_of(self._text[: number.start]))
        if before and before[-1] in debt_words("for"):
            return False
        if before and before[-1] in in_notes("determiners") and not self._may_be_amount(number):
            # "Lent Jonas my 250 € drill".
            return False
        starts = [at for at, word in enumerate(before) if word in verbs or word in self._name]
        between = before[starts[-1] + 1 :] if starts else before
        return all(word in light_words() or word in in_notes("own") for word in between)

    def _direction(self, verbs: frozenset[str], is_borrowed: bool) -> int:
        """1 where value goes from the writer to the person, -1 where it comes to the writer, 0 where the clause does not tell."""
        words, others = self._plain(self._words), {*self._name, *debt_words("third_object")}
        pairs = list(pairwise(words))
        if any(one in debt_words("from") and other in debt_words("me_behind_preposition") for one, other in pairs):
            return 1
        if any(one in debt_words("from") and other in others for one, other in pairs):
            return -1
        if any(one in debt_words("to") and other in others for one, other in pairs):
            # French borrows "à" somebody.
            return -1 if is_borrowed else 1
        if is_any(words, debt_words("me")):
            return 1 if is_borrowed else -1
        if is_any(words, debt_words("i")):
            return -1 if is_borrowed or is_any(words, debt_words("receives")) else 1
        return self._direction_by_order(words, verbs, is_borrowed)

    def _direction_by_order(self, words: Sequence[str], verbs: frozenset[str], is_borrowed: bool) -> int:
        at_verb = next((at for at, word in enumerate(words) if word in verbs), 0)
        before, behind = words[:at_verb], words[at_verb + 1 :]
        acts = is_any(before, frozenset(self._name) | debt_words("third"))
        if not acts:
            is_given = is_any(behind, frozenset(self._name) | debt_words("third_object"))
            return 1 if is_given and not is_borrowed else 0
        is_bare = before[-1] not in (*self._name, *debt_words("third"), *debt_words("auxiliaries")) and not is_any(
            before, debt_words("auxiliaries")
        )
        if is_bare and words[at_verb] in words[-1:]:
            # German diaries leave "ich habe" out: "Jonas 250 € geliehen"; of "Jonas 80 € zurückgezahlt" either may be meant.
            return 1 if words[at_verb] in debt_words("lends") else 0
        takes = is_borrowed or is_any(words, debt_words("receives"))
        return 1 if takes else -1


def _ends_with(words: Sequence[str], phrase: Sequence[str]) -> bool:
    return list(words[-len(phrase) :]) == list(phrase)
