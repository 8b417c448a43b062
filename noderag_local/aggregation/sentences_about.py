"""Finds the sentences about a name, and the names that they bring in."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice, pairwise

from noderag_local.aggregation.denial import is_planned_or_denied
from noderag_local.aggregation.entries import Entries, NoteEntry
from noderag_local.aggregation.question_content import Stems
from noderag_local.aggregation.question_phrases import LANGUAGES, in_notes, kin_forms, words_of
from noderag_local.aggregation.question_subject import LIVES, QuestionSubject, endings
from noderag_local.domain.documents import BlockKind
from noderag_local.text.stems import all_stems, question_stems
from noderag_local.text.stopwords import stop_words

MOST_SENTENCES = 200
"""Sentences about something that are looked at; what more name is no description."""
MOST_PAGES = 5
MOST_TOLD = 3
"""Sentences that may fit equally well; where more do, none of them stands out."""
_OF = frozenset("of von de d'".split())
_OF_KIN = frozenset(
    "called named younger older little big elder jüngere ältere kleine große heißt appelle llama c'est".split()
)
"""Words that may stand between a relative and the name."""
_CLAUSE = re.compile(r"[,;:]\s")
_ACQUAINTANCE = re.compile(
    r"\b(?:know|knew|met) (?:\w+ )?(?:from|through|at|via)\b|\bkenn(?:e|en|t)\b|\bkennengelernt\b|\bconn(?:ais|aît|u|ue)\b|\bcono(?:zco|cí|cimos|ce)\b",
    re.IGNORECASE,
)
"""Words that tell how one knows somebody."""
_SPEAKER = re.compile(r"^[^\s:]+(?: [^\s:]+)?: ")
"""Who speaks, at the beginning of a turn of a conversation."""


class SentencesAbout:
    """Finds sentences of the notes for one question."""

    def __init__(self, subject: QuestionSubject, entries: Entries) -> None:
        self._subject, self._entries = subject, entries
        self._pages: dict[tuple[Stems, ...], list[int]] = {}

    def about(self, name: Sequence[Stems], *more: Stems) -> list[NoteEntry]:
        """Returns the sentences with all words of a name and `more`, and those of the page with that title.

        Without a name these are the few sentences with the most words of the question.
        """
        if not name:
            return self._with_most_words()
        of_pages = self._entries.of_documents(self._pages_of(name))[:MOST_SENTENCES]
        found = (*self._entries.with_all((*name, *more), MOST_SENTENCES), *of_pages)
        return list({one.sentence.id: one for one in found if one.sentence.kind is not BlockKind.HEADING}.values())

    def _pages_of(self, name: Sequence[Stems]) -> list[int]:
        if (key := tuple(name)) not in self._pages:
            titled = (one.id for one in self._entries.titled(name) if is_title(one.title, name))
            self._pages[key] = list(islice(titled, MOST_PAGES))
        return self._pages[key]

    def _with_most_words(self) -> list[NoteEntry]:
        fillers, kin = self._subject.fillers, self._subject.kin
        matter = [stems for word, stems in self._subject.asked.items() if word not in fillers and not stems & kin]
        return self._entries.with_most(matter, MOST_TOLD)

    def telling(self, name: str, words: Sequence[str]) -> tuple[NoteEntry, ...]:
        """Returns the sentences about a name that have the most of some words of the question; none where many have.

        Those that may speak of somebody else are left out ("Brother: Rui, who lives in Porto" on the page about Marta), and
        those that deny something or only plan it.
        """
        of_name = list(question_stems(name).values())
        about = [one for one in self.about(of_name) if not self._may_be_of_another(one, of_name)]
        fit = {one.sentence.id: sum(bool(self._subject.asked[word] & held(one)) for word in words) for one in about}
        best = max(fit.values(), default=0)
        likely = [one for one in about if best and fit[one.sentence.id] == best]
        return tuple(likely) if len(likely) <= MOST_TOLD else ()

    def goes_the_other_way(self, entry: NoteEntry, name: str) -> bool:
        """Returns whether a sentence has a person give what the question has them get, or the reverse."""
        if self._subject.is_given is None:
            return False
        first = words_of(name)[0]
        # "…, I hope she gives it back to me" tells nothing of who gave it.
        clauses = (words_of(clause) for clause in _CLAUSE.split(entry.sentence.text))
        words = next((words for words in clauses if first in words), [])
        is_receiver = any(after == first and before in in_notes("towards") for before, after in pairwise(words))
        is_giver = first in words and bool(in_notes("receivers").intersection(words))
        return is_receiver if self._subject.is_given else is_giver and not is_receiver

    def leads_to_kin(self, entry: NoteEntry, name: str) -> bool:
        """Returns whether a sentence says who the relative is: "Has a sister, Ana", and not "her mother met Ana"."""
        words = words_of(entry.sentence.text)
        at_kin = [at for at, word in enumerate(words) if all_stems(word) & self._subject.kin]
        at_name = [at for at, word in enumerate(words) if word == words_of(name)[0]]
        between = ({*words[min(one, other) + 1 : max(one, other)]} for one in at_kin for other in at_name)
        light = frozenset().union(*map(stop_words, LANGUAGES), _OF_KIN, words_of(name))
        is_of_other = any(word in _OF for at in at_kin for word in words[at + 1 : at + 2])
        return not at_name or (any(one <= light for one in between) and not is_of_other)

    def _may_be_of_another(self, entry: NoteEntry, name: Sequence[Stems]) -> bool:
        """Whether a sentence has a relative that was not asked for, or names another person and not this one."""
        if has_kin(entry) and not self._subject.kin & held(entry):
            return True
        if self.is_not_told(entry) or self._only_tells_acquaintance(entry):
            return True
        has_name = all(stems & held(entry) for stems in name)
        return not has_name and any(map(self._entries.is_person, self.others_named([entry], name)[entry.sentence.id]))

    def _only_tells_acquaintance(self, entry: NoteEntry) -> bool:
        """Whether a sentence tells how one knows somebody: "I know her from work" does not say where she works."""
        asked = " ".join(self._subject.words)
        return bool(_ACQUAINTANCE.search(entry.sentence.text)) and not _ACQUAINTANCE.search(asked)

    def is_not_told(self, entry: NoteEntry) -> bool:
        """Returns whether a sentence only plans, recommends or denies what the question asks about."""
        return is_planned_or_denied(entry.sentence.text, self._subject.words, list(self._subject.asked.values()))

    def others_named(self, about: Iterable[NoteEntry], name: Sequence[Stems]) -> dict[int, set[str]]:
        """Returns the names in each sentence that bring something new; of those in one another, the longest."""
        found: dict[int, set[str]] = defaultdict(set)
        for sentence, other in self._entries.names_in(one.sentence.id for one in about):
            # A single word with a capital letter may be any, "European", "Simmer", and a title of one word a thing.
            is_name = " " in other or self._entries.is_person(other) or self._entries.is_first_name(other)
            if is_name and self._is_new(other, name) and not any(map(str.isdigit, other)):
                found[sentence].add(other)
        self._mend(about, found)
        for sentence, names in found.items():
            found[sentence] = {one for one in names if not any(_is_part(one, other) for other in names)}
        self._add_page_owners(about, found, name)
        return found

    def _is_new(self, other: str, name: Sequence[Stems]) -> bool:
        """Whether a name is none of the question's: nothing but its words, all of `name`, or any word of it without a name."""
        words = list(question_stems(other).values())
        taken = frozenset[str]().union(*name, *self._subject.asked.values())
        if not name:
            return not any(taken & stems for stems in words)
        is_same = all(any(stems & of_other for of_other in words) for stems in name)
        is_asked = all(taken & stems for stems in words) or set(words_of(other)) <= set(self._subject.words)
        return not (is_same or is_asked)

    def _mend(self, about: Iterable[NoteEntry], found: dict[int, set[str]]) -> None:
        """Drops words before a name that are no part of it: "Today Ana Lee" at the beginning of a sentence, "Tipp von Ana Lee"."""
        for one in about:
            begins = _SPEAKER.sub("", one.sentence.text)
            opening = {
                name
                for name in found[one.sentence.id]
                # German writes nouns with a capital letter: "a Tipp von Ana Lee".
                if begins.startswith(name.split()[0]) or any(word.islower() for word in name.split())
            }
            # A name of several words without a page may be a person as well: then it is not clear who is meant.
            mended = (self._without_opening(name) for name in opening)
            found[one.sentence.id] = (found[one.sentence.id] - opening).union(filter(None, mended))

    def _without_opening(self, name: str) -> str:
        """Returns the part of a name that a title begins with: "Ana Lee" of "Tip from Ana Lee"; without one the name, if it has several words."""
        parts = (*endings(name), name.split()[-1])
        return next(filter(self._entries.begins_title, parts), name if " " in name else "")

    def _add_page_owners(self, about: Iterable[NoteEntry], found: dict[int, set[str]], name: Sequence[Stems]) -> None:
        """Adds whom a page is about to its sentences that name nobody: "Has our spare keys".

        A sentence that names a person is about that person, unless it has a relative: "Ana's sister".
        """
        is_person = any(map(self._entries.is_of_person, (one.sentence for one in about if is_page(one, name))))
        for one in about:
            if is_person != has_kin(one):
                continue
            if not found[one.sentence.id] and not is_page(one, name) and self._entries.is_of_person(one.sentence):
                found[one.sentence.id] = {one.sentence.title}


def held(entry: NoteEntry) -> Stems:
    """Returns the stems of a sentence; a line "City: Porto" also has those of living somewhere."""
    return _stems_of(entry.sentence.text)


@lru_cache(maxsize=4096)
def _stems_of(text: str) -> Stems:
    label, found, _ = text.partition(":")
    is_home = bool(found) and set(words_of(label)) <= in_notes("home_kinds") and bool(words_of(label))
    return all_stems(text) | (all_stems(LIVES) if is_home else frozenset())


def is_page(entry: NoteEntry, name: Sequence[Stems]) -> bool:
    """Returns whether a sentence stands on the page that has a name as its title."""
    return is_title(entry.sentence.title, name)


def is_title(title: str, name: Sequence[Stems]) -> bool:
    """Returns whether a title has no other words than a name."""
    words = list(question_stems(title).values())
    return bool(words) and all(any(word & stems for stems in name) for word in words)


def has_kin(entry: NoteEntry) -> bool:
    """Returns whether a sentence has a word for a relative."""
    return any(forms.intersection(words_of(entry.sentence.text)) for forms in kin_forms())


def _is_part(name: str, other: str) -> bool:
    return name != other and set(words_of(name)) < set(words_of(other))
