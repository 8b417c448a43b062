"""Finds whom a question describes without a name: "the friend who lent me the drill", "Ana's sister".

From what the question names, it follows sentences of the notes that name one person more: "Jonas lent me his drill" leads to
Jonas. Where several people are as likely, nobody is found. The words of the question may stand in any order, so that no
pattern has to foresee a phrase.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from noderag_local.aggregation.computed import AnswerPart, Computed
from noderag_local.aggregation.entries import Entries, NoteEntry
from noderag_local.aggregation.loan_ways import LoanWay, loan_way
from noderag_local.aggregation.question_content import languages_of
from noderag_local.aggregation.question_phrases import in_notes, is_any, phrases, words_of
from noderag_local.aggregation.question_subject import QuestionSubject
from noderag_local.aggregation.sentences_about import SentencesAbout, has_kin, held, is_page
from noderag_local.domain.documents import BlockKind
from noderag_local.system.printing.amounts import counted
from noderag_local.text.stems import all_stems, question_stems

NOTHING_NAMED = ""
"""Anchor of a question that names nothing: all notes are looked at."""
MOST_OF_PEOPLE = 40
"""Sentences with all words of a question beyond which nobody is listed: its words are too common to tell."""
FEWEST_WORDS = 2
"""Words of a question that a sentence must have at least to be about it where the question names nothing."""


@dataclass(frozen=True, slots=True)
class Described:
    """A person whom a question describes."""

    name: str
    path: tuple[NoteEntry, ...]
    """The sentences that lead to the person, one for each step."""
    rest: str = ""
    """The words of the question that neither what it names nor the path has: what is asked about the person."""
    told: tuple[NoteEntry, ...] = ()
    """The sentences about the person that have the most words of `rest`; none where many have."""
    is_told: bool = False
    """Whether these sentences have all words of `rest` that matter."""


def trails_of(question: str, entries: Entries) -> list[NameTrail]:
    """Returns the readings of a question that the other functions take, one for each language that it may be in.

    Args:
        question: the question in the user's own words, in English, German, French or Spanish.
        entries: the notes.
    """
    readings = (QuestionSubject(question, language, entries) for language in languages_of(question))
    return [NameTrail(reading, entries) for reading in readings]


def described(trails: Sequence[NameTrail]) -> Described | None:
    """Returns whom a question describes by what it names; None if it describes nobody, or it is not clear."""
    for trail in trails:
        if trail.subject.kin or trail.subject.describes_somebody:
            for anchor in trail.subject.anchors() or [NOTHING_NAMED]:
                if found := trail.follow(anchor):
                    return found
    return None


def identified(trails: Sequence[NameTrail]) -> Computed | None:
    """Returns the answer to "who …" where one sentence has all words of the question and names one person more.

    None where the question asks for everybody.
    """
    for trail in trails:
        if trail.subject.asks_who and not trail.subject.asks_for_all:
            for anchor in trail.subject.anchors() or [NOTHING_NAMED]:
                found = trail.identify(anchor)
                if found and trail.may_tell(found.path[-1]):
                    return _quoted(
                        found.name,
                        found.path[-1:],
                        "This sentence of your notes has the important words of the question.",
                    )
    return None


def borrower(question: str, entries: Entries) -> Computed | None:
    """Returns to whom something was lent, for "who has …" where the notes say it of one person alone and not that it came back."""
    for language in languages_of(question):
        asked = phrases(language).as_of_loan(question.strip())
        if not asked:
            continue
        trails = trails_of(asked, entries)
        lent = {anchor for trail in trails for anchor in trail.subject.anchors()}
        about = (one for anchor in lent for one in entries.with_all(list(question_stems(anchor).values())))
        if any(is_any(words_of(one.sentence.text), in_notes("returned")) for one in about):
            return None
        found = identified(trails)
        # "Ana lent me the drill": it is Ana's, and the one who asks has it.
        is_mine = found and any(
            loan_way(one.sentence.text) is LoanWay.GOT for part in found.parts for one in part.entries
        )
        return None if is_mine else found
    return None


def several_identified(trails: Sequence[NameTrail]) -> Computed | None:
    """Returns the answer to "who …" where sentences with all words of the question each tell it of one person, and of several in all."""
    for trail in trails:
        if trail.subject.asks_who and not (trail.subject.kin or trail.subject.describes_somebody):
            told, left_out = trail.told_of_people()
            if len(told) > 1 and not any(map(trail.lends_the_other_way, told.values())):
                note = "These sentences of your notes have the important words of the question."
                if left_out:
                    note += f" Left out: {counted(left_out, 'others')} that name nobody, or several people."
                parts = (AnswerPart(f"{name}: {one.sentence.text.strip()}", (one,)) for name, one in told.items())
                return Computed(tuple(parts), note)
    return None


def told_of_described(trails: Sequence[NameTrail]) -> Computed | None:
    """Returns what the notes say of whom a question describes, where few sentences have all words that matter."""
    found = described(trails)
    if found is None or not found.is_told:
        return None
    way = "; ".join(one.sentence.text.strip().rstrip(".") for one in found.path)
    return _quoted(found.name, found.told, f"In steps: {way} → {found.name}.", found.path)


def told_on_page(trails: Sequence[NameTrail]) -> Computed | None:
    """Returns what a page says of its subject, where few of its sentences have all words that matter: "Where does Ana live?"."""
    for trail in trails:
        if trail.subject.asks_for_fact:
            for anchor in trail.pages():
                if told := trail.told_on_page(anchor):
                    note = "These sentences of this page have the important words of the question."
                    is_named = all(anchor.casefold() in one.sentence.text.casefold() for one in told)
                    return _quoted("" if is_named else anchor, told, note)
    return None


def _quoted(name: str, told: Sequence[NoteEntry], note: str, path: tuple[NoteEntry, ...] = ()) -> Computed:
    lead = f"{name}: " if name else ""
    return Computed(tuple(AnswerPart(f"{lead}{one.sentence.text.strip()}", (one, *path)) for one in told), note)


class NameTrail:
    """Follows the sentences of the notes from name to name, for one question."""

    def __init__(self, subject: QuestionSubject, entries: Entries) -> None:
        self.subject = subject
        self._entries, self._sentences = entries, SentencesAbout(subject, entries)

    def pages(self) -> list[str]:
        """Returns the titles of the pages about what the question names; a date is a page of what happened, and no subject."""
        titles = filter(None, map(self._entries.page_of, self.subject.anchors()))
        return [title for title in dict.fromkeys(titles) if not any(map(str.isdigit, title))]

    def follow(self, anchor: str) -> Described | None:
        """Returns the relative of what is named, or whom the sentences about it lead to, or the relative of that person."""
        found = self._reached(anchor)
        if found is None:
            return None
        rest = self._rest(anchor, found)
        matter = self._matter(rest)
        told = self._sentences.telling(found.name, matter)
        return replace(
            found,
            rest=" ".join(rest),
            told=told or self._sentences.telling(found.name, rest),
            is_told=self._have_all(told, matter),
        )

    def identify(self, anchor: str) -> Described | None:
        """Returns whom a sentence about something names that has all words of the question."""
        found = self._reached(anchor)
        if found is None or not self.subject.fillers.issuperset(self._rest(anchor, found)):
            return None
        if not self._entries.begins_title(found.name):
            return None
        asked = (stems for word, stems in self.subject.asked.items() if word not in words_of(anchor))
        return found if self.subject.kin or any(stems & held(found.path[-1]) for stems in asked) else None

    def may_tell(self, entry: NoteEntry) -> bool:
        """Returns whether a sentence neither denies anything nor lends the other way than the question asks for."""
        is_denied = is_any(words_of(entry.sentence.text), in_notes("negated"))
        return not is_denied and not self.lends_the_other_way(entry)

    def lends_the_other_way(self, entry: NoteEntry) -> bool:
        """Returns whether a sentence lends to the one who asks what the question has them lend, or the reverse."""
        asked, told = loan_way(" ".join(self.subject.words)), loan_way(entry.sentence.text)
        return asked is not None and told is not None and asked is not told

    def told_of_people(self) -> tuple[dict[str, NoteEntry], int]:
        """Returns the people of whom a sentence tells what is asked, with the first such sentence, and the number of the others.

        The sentences have all words of the question that matter; each stands on the page of a person, or names one person.
        """
        fillers = self.subject.fillers
        matter = {word: stems for word, stems in self.subject.asked.items() if word not in fillers}
        # "Who has Kiln?" is not told by every sentence that names Kiln.
        if matter.keys() <= set(words_of(" ".join(self.subject.anchors()))):
            return {}, 0
        about = self._entries.with_all(list(matter.values()), MOST_OF_PEOPLE)
        said = [
            one for one in about if one.sentence.kind is not BlockKind.HEADING and not self._sentences.is_not_told(one)
        ]
        named = self._sentences.others_named(said, ())
        told: dict[str, NoteEntry] = {}
        left_out = 0
        for one in said:
            people = set(filter(self._entries.is_person, named[one.sentence.id]))
            if len(people) == 1 and not has_kin(one):
                told.setdefault(people.pop(), one)
            else:
                left_out += 1
        return told, left_out

    def told_on_page(self, anchor: str) -> tuple[NoteEntry, ...]:
        """Returns the sentences on the page of a name that have all other words of the question that matter."""
        name = list(question_stems(anchor).values())
        leads = self.subject.leads(anchor)
        of_name = all_stems(anchor)
        matter = self._matter(
            [word for word, stems in self.subject.asked.items() if word not in leads and not stems & of_name]
        )
        told = self._sentences.telling(anchor, matter)
        is_clear = self._have_all(told, matter) and all(is_page(one, name) for one in told)
        return tuple(filter(self._says_more, told)) if is_clear else ()

    def _says_more(self, entry: NoteEntry) -> bool:
        """Whether a sentence has a word that the question lacks: "Ring her!" tells no number to ring.

        Where the question asks for a name, the word has a capital letter.
        """
        asked = frozenset[str]().union(*self.subject.asked.values())
        text = entry.sentence.text.strip()
        if self.subject.asks_name:
            text = " ".join(word for word in text.split()[1:] if word[0].isupper())
        return any(not stems & asked for stems in question_stems(text).values())

    def _reached(self, anchor: str) -> Described | None:
        found = self._kin_of(anchor)
        if found is None and not (self.subject.kin and self._entries.is_person(self._entries.page_of(anchor))):
            found = self._person_at(anchor)
        if found and self.subject.kin and len(found.path) == 1 and not self._is_kin(found.path[0]):
            return self._kin_of(found.name, found.path)
        return found

    def _person_at(self, anchor: str) -> Described | None:
        """Whom the sentences about something name, by those that have the most other words of the question."""
        name = list(question_stems(anchor).values())
        relation = [stems for stems in self.subject.asked.values() if not any(stems & of_name for of_name in name)]
        about = self._sentences.about(name)
        named = self._sentences.others_named(about, name)
        for one in about:
            if is_page(one, name):
                # On the page of the subject only links lead on: "From Ana Lee", and not "Works at the mill".
                named[one.sentence.id] = set(filter(self._entries.has_page, named[one.sentence.id]))
        turned = set[str]()
        for one in about:
            others = {other for other in named[one.sentence.id] if self._sentences.goes_the_other_way(one, other)}
            named[one.sentence.id] -= others
            turned |= others
        about = [one for one in about if named[one.sentence.id]]
        fit = {one.sentence.id: sum(bool(stems & held(one)) for stems in relation) for one in about}
        best = max(fit.values(), default=0)
        likely = [one for one in about if fit[one.sentence.id] == best]
        if anchor == NOTHING_NAMED and best < FEWEST_WORDS:
            return None
        if not best and turned:
            return None
        if not best:
            # Whom all sentences together name alone: "From Ana Lee" on the page of the recipe.
            likely = [one for one in likely if not has_kin(one)]
            named = {number: set(filter(self._is_person, names)) for number, names in named.items()}
        return _only([one for one in likely if named[one.sentence.id]], named, ())

    def _is_person(self, name: str) -> bool:
        return " " in name and self._entries.has_page(name)

    def _kin_of(self, anchor: str, path: tuple[NoteEntry, ...] = ()) -> Described | None:
        """The relative of a person; `path` leads to the person."""
        if not self.subject.kin or anchor == NOTHING_NAMED:
            return None
        name = list(question_stems(anchor).values())
        about = [one for one in self._sentences.about(name, self.subject.kin) if self._is_kin(one)]
        named = self._sentences.others_named(about, name)
        for one in about:
            kin = {other for other in named[one.sentence.id] if self._sentences.leads_to_kin(one, other)}
            named[one.sentence.id] = kin
        return _only([one for one in about if named[one.sentence.id]], named, path)

    def _is_kin(self, entry: NoteEntry) -> bool:
        return bool(self.subject.kin & held(entry))

    def _rest(self, anchor: str, found: Described) -> list[str]:
        """The words of the question that what it names and the path to the person leave over."""
        told = all_stems(anchor).union(self.subject.kin, *map(held, found.path))
        leads = self.subject.leads(anchor)
        return [word for word, stems in self.subject.asked.items() if word not in leads and not stems & told]

    def _matter(self, words: Sequence[str]) -> list[str]:
        """Those of some words of the question that say what is asked; "city" does where nothing else does."""
        beside = self.subject.beside_the_point
        matter = [word for word in words if word not in beside]
        return self.subject.in_asking_clause(matter) if matter else self.subject.homes(words)

    def _have_all(self, told: Sequence[NoteEntry], words: Sequence[str]) -> bool:
        return bool(told and words) and all(self.subject.asked[word] & held(one) for word in words for one in told)


def _only(likely: Sequence[NoteEntry], named: dict[int, set[str]], path: tuple[NoteEntry, ...]) -> Described | None:
    names = set[str]().union(*(named[one.sentence.id] for one in likely))
    if len(names) != 1:
        return None
    name = names.pop()
    return Described(name, (*path, next(one for one in likely if name in named[one.sentence.id])))
