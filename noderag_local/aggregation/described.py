"""Finds whom a question describes without a name: "the friend who lent me the drill", "Ana's sister".

From what the question names, it follows sentences of the notes that name one person more: "Jonas lent me his drill" leads to
Jonas. Where several people are as likely, nobody is found. The words of the question may stand in any order, so that no
pattern has to foresee a phrase.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise

from noderag_local.aggregation.computed import AnswerPart, Computed
from noderag_local.aggregation.entries import Entries, NoteEntry
from noderag_local.aggregation.question_content import Stems, languages_of, names_in, with_other_forms
from noderag_local.aggregation.question_phrases import (
    in_notes,
    is_any,
    kin_forms,
    near_forms,
    other_forms,
    phrases,
    words_of,
)
from noderag_local.domain.documents import BlockKind
from noderag_local.text.stems import all_stems, question_stems
from noderag_local.text.stopwords import stop_words

ANY = ""
"""Anchor of a question that names nothing: all notes."""
FEWEST_WORDS = 2
"""Words of a question that a sentence must have at least to be about it where the question names nothing."""
MOST_SENTENCES = 200
"""Sentences about something that are looked at; what more name is no description."""
MOST_PAGES = 5
MOST_TOLD = 3
"""Sentences about a person that are read first; where more fit as well, none of them stands out."""
_LIVES = "lives"
_POSSESSIVE = "'s"
_SPEAKER = re.compile(r"^[^\s:]+(?: [^\s:]+)?: ")
"""Who speaks, at the beginning of a turn of a conversation."""


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


def described(question: str, entries: Entries) -> Described | None:
    """Returns whom a question describes by what it names; None if it describes nobody, or it is not clear.

    Args:
        question: the question in the user's own words, in English, German, French or Spanish.
        entries: the notes.
    """
    for follower in _followers(question, entries):
        if follower.kin or follower.describes_somebody:
            for anchor in (*follower.anchors(), ANY):
                if found := follower.follow(anchor):
                    return found
    return None


def identified(question: str, entries: Entries) -> Computed | None:
    """Returns the answer to "who …" where one sentence has all words of the question and names one person more.

    Args:
        question: the question in the user's own words, in English, German, French or Spanish.
        entries: the notes.
    """
    for follower in _followers(question, entries):
        if follower.asks_who:
            for anchor in (*follower.anchors(), ANY):
                found = follower.identify(anchor)
                if found and not is_any(words_of(found.path[-1].sentence.text), in_notes("negated")):
                    return _told(found)
    return None


def told_of_described(question: str, entries: Entries) -> Computed | None:
    """Returns what the notes say of whom a question describes, where a sentence or two have all words that matter.

    Args:
        question: the question in the user's own words, in English, German, French or Spanish.
        entries: the notes.
    """
    found = described(question, entries)
    if found is None or not found.is_told:
        return None
    parts = (AnswerPart(f"{found.name}: {one.sentence.text.strip()}", (one, *found.path)) for one in found.told)
    way = "; ".join(one.sentence.text.strip().rstrip(".") for one in found.path)
    return Computed(tuple(parts), f"In steps: {way} → {found.name}.")


def _told(found: Described) -> Computed:
    last = found.path[-1]
    part = AnswerPart(f"{found.name}: {last.sentence.text.strip()}", (last,))
    return Computed((part,), "The sentence of your notes that has all words of the question.")


def _followers(question: str, entries: Entries) -> Iterator[_Follower]:
    return (_Follower(question, language, entries) for language in languages_of(question))


class _Follower:
    """Follows the sentences of the notes from name to name, for one question."""

    def __init__(self, question: str, language: str, entries: Entries) -> None:
        self._entries, self._known = entries, phrases(language)
        known = self._known
        self._question = known.rephrased(known.corrected(known.rephrased(question), entries.knows))
        self._words = words_of(self._question)
        ignored = stop_words(language) | stop_words("en")
        homes = frozenset({_LIVES, *known.single("home_kinds")})
        self._asked = {
            # Whoever asks for the city of a person asks where the person lives.
            word: with_other_forms(_LIVES if word in homes else word, stems, language, (*other_forms(), *near_forms()))
            for word, stems in question_stems(self._question).items()
            if word not in ignored
        }

    @cached_property
    def kin(self) -> Stems:
        """Stems of the first word for a relative, and of words for the same; nothing for one's own, who needs no description."""
        for before, word in pairwise(("", *self._words)):
            forms = next((forms for forms in kin_forms() if word.removesuffix("'s") in forms), None)
            if forms and before not in self._known.single("own"):
                return all_stems(" ".join(sorted(forms)))
        return frozenset()

    @property
    def describes_somebody(self) -> bool:
        """Whether the question speaks of an unnamed person; "her friend Ana" has a name."""
        owners = self._known.single("own") | self._known.single("possessives")
        spoken = (word for before, word in pairwise(("", *self._words)) if before not in owners)
        return self._known.has("persons", tuple(spoken))

    @property
    def asks_who(self) -> bool:
        """Whether the question asks who somebody is, but not who was met: notes need not say "met" of everybody."""
        asking = self._known.single("asks_when") | self._known.single("asks_what") | self._known.single("asks_other")
        first = next((word for word in self._words if word in asking), "")
        others = any(self._known.has(key, self._words) for key in ("meet", "negated"))
        return first in self._known.single("asks_person") and not others

    def anchors(self) -> list[str]:
        """What the question names: titles of notes, the longest first, and names."""
        whole = f" {' '.join(word.removesuffix(_POSSESSIVE) for word in self._words)} "
        titles = [title for key, title in self._entries.titles.items() if key in whole and not self._is_cue(key)]
        titles.sort(key=lambda title: (-len(title), title))
        names = names_in(self._question, set(self._words), self._known)
        return list(dict.fromkeys((*titles, *chain.from_iterable(map(_ends, names)))))

    def _is_cue(self, title_key: str) -> bool:
        return set(title_key.split()) <= self._known.cues

    def follow(self, anchor: str) -> Described | None:
        """Returns the relative of what is named, or whom the sentences about it lead to, or the relative of that person."""
        found = self._reached(anchor)
        if found is None:
            return None
        rest = self.rest(anchor, found)
        homes = [word for word in rest if word in self._known.single("home_kinds")]
        matter = [word for word in rest if word not in self._beside_the_point] or homes
        told = self.told(found.name, matter)
        is_told = bool(told) and all(self._asked[word] & _held(one) for word in matter for one in told)
        return replace(found, rest=" ".join(rest), told=told or self.told(found.name, rest), is_told=is_told)

    def _reached(self, anchor: str) -> Described | None:
        found = self.kin_of(anchor) or self.person_at(anchor)
        if found and self.kin and len(found.path) == 1 and not self._is_kin(found.path[0]):
            return self.kin_of(found.name, found.path)
        return found

    def identify(self, anchor: str) -> Described | None:
        """Returns whom a sentence about something names that has all words of the question."""
        found = self._reached(anchor)
        if found is None or not self._fillers.issuperset(self.rest(anchor, found)):
            return None
        asked = (stems for word, stems in self._asked.items() if word not in words_of(anchor))
        return found if self.kin or any(stems & _held(found.path[-1]) for stems in asked) else None

    def person_at(self, anchor: str) -> Described | None:
        """Returns whom the sentences about something name, by those that have the most other words of the question."""
        anchor_stems = list(question_stems(anchor).values())
        relation = [stems for stems in self._asked.values() if not any(stems & of_anchor for of_anchor in anchor_stems)]
        about = self._about(anchor_stems)
        named = self._others_named(about, anchor_stems)
        self._add_page_owners(about, named, anchor_stems)
        for one in about:
            if _is_page(one, anchor_stems):
                # What a page says of its own subject leads to nobody: "Works at the mill". Who has a page may be linked there.
                named[one.sentence.id] = set(filter(self._entries.has_page, named[one.sentence.id]))
        about = [one for one in about if named[one.sentence.id]]
        fit = {one.sentence.id: sum(bool(stems & _held(one)) for stems in relation) for one in about}
        best = max(fit.values(), default=0)
        likely = [one for one in about if fit[one.sentence.id] == best]
        if anchor is ANY and best < FEWEST_WORDS:
            return None
        if not best:
            # Whom all sentences together name alone: "From Ana Lee" on the page of the recipe.
            likely = [one for one in likely if not _kin_word(one)]
            named = {number: set(filter(self._is_person, names)) for number, names in named.items()}
        return _only([one for one in likely if named[one.sentence.id]], named, ())

    def _add_page_owners(
        self, about: Iterable[NoteEntry], named: dict[int, set[str]], subject: Sequence[Stems]
    ) -> None:
        """Adds whom a page is about to its sentences that name nobody: "Has our spare keys"."""
        for one in about:
            if not named[one.sentence.id] and not _is_page(one, subject) and self._entries.is_of_person(one.sentence):
                named[one.sentence.id] = {one.sentence.title}

    def _is_person(self, name: str) -> bool:
        return " " in name and self._entries.has_page(name)

    def kin_of(self, name: str, path: tuple[NoteEntry, ...] = ()) -> Described | None:
        """Returns the relative of a person; `path` leads to the person."""
        if not self.kin or name is ANY:
            return None
        of_name = list(question_stems(name).values())
        about = [one for one in self._about(of_name, self.kin) if self._is_kin(one)]
        named = self._others_named(about, of_name)
        self._add_page_owners(about, named, of_name)
        return _only([one for one in about if named[one.sentence.id]], named, path)

    def rest(self, anchor: str, found: Described) -> list[str]:
        """Returns the words of the question that what it names and the path to the person leave over."""
        told = all_stems(anchor).union(self.kin, *map(_held, found.path))
        leads = self._known.single("persons").union(words_of(anchor))
        return [word for word, stems in self._asked.items() if word not in leads and not stems & told]

    def told(self, name: str, rest: Sequence[str]) -> tuple[NoteEntry, ...]:
        """Returns the sentences about a person that have the most of some words of the question; none where many have."""
        about = self._about(list(question_stems(name).values()))
        fit = {one.sentence.id: sum(bool(self._asked[word] & _held(one)) for word in rest) for one in about}
        best = max(fit.values(), default=0)
        likely = [one for one in about if best and fit[one.sentence.id] == best]
        return tuple(likely) if len(likely) <= MOST_TOLD else ()

    @cached_property
    def _fillers(self) -> frozenset[str]:
        return self._known.single("ignored") - self._known.single("acts")

    @cached_property
    def _beside_the_point(self) -> frozenset[str]:
        """Words that ask, or say what kind of thing something is or how it came: "which city", "the book", "gave me"."""
        keys = ("asked_kinds", "transfers", "generic", "asks_what", "asks_other", "asks_when")
        kinds = {word for group in other_forms() if group & self._known.single("generic") for word in group}
        return self._fillers.union(kinds, *map(self._known.single, keys))

    def _is_kin(self, entry: NoteEntry) -> bool:
        return bool(self.kin & _held(entry))

    def _about(self, subject: Sequence[Stems], *more: Stems) -> list[NoteEntry]:
        """The sentences with all words of a name and `more`, and those of the page with that title."""
        if not subject:
            return self._with_most_words()
        pages = [one.id for one in self._entries.titled(subject) if _is_title(one.title, subject)][:MOST_PAGES]
        found = (*self._entries.with_all((*subject, *more), MOST_SENTENCES), *self._entries.of_documents(pages))
        return list({one.sentence.id: one for one in found if one.sentence.kind is not BlockKind.HEADING}.values())

    def _with_most_words(self) -> list[NoteEntry]:
        """The sentences with the most words of the question that matter; none where many have."""
        matter = [stems for word, stems in self._asked.items() if word not in self._fillers and not stems & self.kin]
        return self._entries.with_most(matter, MOST_TOLD)

    def _others_named(self, about: Iterable[NoteEntry], subject: Sequence[Stems]) -> dict[int, set[str]]:
        """The names in each sentence that bring something new; of those in one another, the longest."""
        found: dict[int, set[str]] = defaultdict(set)
        for sentence, name in self._entries.names_in(one.sentence.id for one in about):
            # A single word with a capital letter may be any: "European", "Simmer".
            is_name = " " in name or self._entries.begins_title(name)
            if is_name and self._is_new(name, subject) and not any(map(str.isdigit, name)):
                found[sentence].add(name)
        self._mend_openings(about, found)
        for sentence, names in found.items():
            found[sentence] = {name for name in names if not any(_is_part(name, other) for other in names)}
        return found

    def _is_new(self, name: str, subject: Sequence[Stems]) -> bool:
        """Whether a name is none of the question's: nothing but words of it, the whole subject, or any of it without a subject."""
        words = list(question_stems(name).values())
        taken = frozenset[str]().union(*subject, *self._asked.values())
        if not subject:
            return not any(taken & stems for stems in words)
        is_subject = all(any(stems & of_name for of_name in words) for stems in subject)
        is_asked = all(taken & stems for stems in words) or set(words_of(name)) <= set(self._words)
        return not (is_subject or is_asked)

    def _mend_openings(self, about: Iterable[NoteEntry], found: dict[int, set[str]]) -> None:
        """Drops the words that have their capital letter from the beginning of a sentence: "Today Ana Lee", "Simmer"."""
        for one in about:
            begins = _SPEAKER.sub("", one.sentence.text)
            opening = {name for name in found[one.sentence.id] if begins.startswith(name.split()[0])}
            titled = (next(filter(self._entries.begins_title, _ends(name)), "") for name in opening)
            found[one.sentence.id] = (found[one.sentence.id] - opening).union(filter(None, titled))


def _ends(name: str) -> Iterator[str]:
    """A name, and what is left of it without its first words: German writes nouns before a name with a capital letter too."""
    words = name.split()
    yield name
    yield from (" ".join(words[first:]) for first in range(1, len(words) - 1))


def _only(likely: Sequence[NoteEntry], named: dict[int, set[str]], path: tuple[NoteEntry, ...]) -> Described | None:
    names = set[str]().union(*(named[one.sentence.id] for one in likely))
    if len(names) != 1:
        return None
    name = names.pop()
    return Described(name, (*path, next(one for one in likely if name in named[one.sentence.id])))


def _kin_word(entry: NoteEntry) -> bool:
    return any(forms.intersection(words_of(entry.sentence.text)) for forms in kin_forms())


def _held(entry: NoteEntry) -> Stems:
    return all_stems(entry.sentence.text)


def _is_title(title: str, subject: Sequence[Stems]) -> bool:
    words = list(question_stems(title).values())
    return bool(words) and all(any(word & stems for stems in subject) for word in words)


def _is_page(entry: NoteEntry, subject: Sequence[Stems]) -> bool:
    return _is_title(entry.sentence.title, subject)


def _is_part(name: str, other: str) -> bool:
    return name != other and set(words_of(name)) < set(words_of(other))
