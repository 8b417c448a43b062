"""Reads from a question what it names, whom it describes, and what it asks about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain, pairwise

from noderag_local.aggregation.entries import Entries, german_key
from noderag_local.aggregation.question_content import Stems, names_in, split_off_asking, with_other_forms
from noderag_local.aggregation.question_phrases import (
    POSSESSIVE,
    kin_forms,
    near_forms,
    other_forms,
    phrases,
    words_of,
)
from noderag_local.text.interrogatives import interrogatives
from noderag_local.text.stems import all_stems, question_stems
from noderag_local.text.stopwords import stop_words

_LENDING = frozenset(
    "lend lent loan loaned borrow borrowed leihen geliehen verliehen prêté prêter prestado presté".split()
)
LIVES = "lives"
"""The word for living somewhere, whatever the language."""
_OTHER_QUESTIONS = ("negated", "planned", "past", "meet", "sum", "price", "date_of", "agenda", "beside_day")
"""Keys of words that ask for something else than what a page says."""


class QuestionSubject:
    """What a question is about, as the words of one language show it."""

    def __init__(self, question: str, language: str, entries: Entries) -> None:
        """Reads the question; arguments as for `trails_of`, and the ISO 639-1 code of the language."""
        self._entries, self._known = entries, phrases(language)
        known = self._known
        corrected = known.rephrased(known.corrected(known.rephrased(question), entries.knows))
        self._question = known.without_command(corrected, entries.knows)
        self.words = words_of(self._question)
        """All words of the question, casefolded."""
        self._stopped = stop_words(language)
        ignored = self._stopped | stop_words("en")
        homes = frozenset({LIVES, *known.single("home_kinds")})
        self.asked = {
            # Whoever asks for the city of a person asks where the person lives.
            word: with_other_forms(LIVES if word in homes else word, stems, language, (*other_forms(), *near_forms()))
            for word, stems in question_stems(self._question).items()
            if word not in ignored
        }
        """Content words of the question with their stems and those of words for the same."""

    @cached_property
    def kin(self) -> Stems:
        """Stems of the first word for a relative, and of words for the same; nothing for one's own, who needs no description."""
        own = self._known.single("own")
        for at, word in enumerate(self.words):
            forms = next((forms for forms in kin_forms() if word.removesuffix(POSSESSIVE) in forms), None)
            before = ["", *self.words[max(at - 2, 0) : at]]
            # "Grandma's knee" has no other owner than the one who asks. French "son" is "his" and no child.
            is_own = word.endswith(POSSESSIVE) and not before[-1].endswith(POSSESSIVE)
            if forms and not is_own and word not in self._stopped and own.isdisjoint(before):
                return all_stems(" ".join(sorted(forms)))
        return frozenset()

    @property
    def describes_somebody(self) -> bool:
        """Whether the question speaks of an unnamed person; "her friend Ana" has a name.

        Not where the person is only why the one who asks wants to know of their own: "A friend asks, so what did I pay?".
        """
        before, asking = split_off_asking(self._question, self._known)
        known, last = self._known, words_of(asking)
        if before and known.has("own", last) and not (known.has("persons", last) or known.has("pronouns", last)):
            return False
        # "Which friend …" asks who it is, and so does "Udo Rabes Frau" in German.
        named = set(words_of(" ".join(names_in(self._question, set(self.words), known))))
        leads = named.union(*map(known.single, ("own", "possessives", "asks_what")))
        spoken = (word for before, word in pairwise(("", *self.words)) if before not in leads)
        return self._known.has("persons", tuple(spoken))

    @property
    def asks_who(self) -> bool:
        """Whether the question asks who somebody is, but not who was met: notes need not say "met" of everybody."""
        first = next((word for word in self.words if word in self._asking), "")
        others = any(self._known.has(key, self.words) for key in ("meet", "negated"))
        return first in self._known.single("asks_person") and not others

    @property
    def asks_for_all(self) -> bool:
        """Whether the question asks for everybody of whom something is true: "Who all has a key, besides me?"."""
        return self._known.has("asks_all", self.words)

    @property
    def asks_for_fact(self) -> bool:
        """Whether the question asks where or what of somebody named, and not when, how much or what the one who asks did."""
        known = self._known
        words = words_of(split_off_asking(self._question, known)[1])
        first = next((word for word in words if word in self._asking), "")
        # "Tell me" says nothing of the one who asks.
        around = zip(("", *words), words, (*words[1:], ""), strict=False)
        is_own = any(
            word in known.single("own") and self.fillers.isdisjoint((before, after)) for before, word, after in around
        )
        is_other = is_own or any(known.has(key, words) for key in _OTHER_QUESTIONS)
        asking = known.single("asks_what") | known.single("asks_person") | known.single("where_words")
        # "Does Ana live in Porto?" asks for yes or no.
        may_ask = bool(words) and words[0] not in known.single("auxiliaries")
        return (
            (first in asking or (not first and may_ask)) and not is_other and not (self.kin or self.describes_somebody)
        )

    @property
    def asks_name(self) -> bool:
        """Whether the question asks for a name: "What is the name of Ana's dog?"."""
        return self._known.has("names_of", self.words)

    @property
    def _asking(self) -> frozenset[str]:
        known = self._known
        return known.single("asks_when") | known.single("asks_what") | known.single("asks_other")

    def anchors(self) -> list[str]:
        """Returns the titles of notes in the question, the longest first, and its names; those of people as their pages have them."""
        words = [word.removesuffix(POSSESSIVE) for word in self.words]
        whole = f" {' '.join(words)} "
        titles = [title for key, title in self._entries.titles.items() if key in whole and not self._is_cue(key)]
        if self._known.language == "de":
            stems = german_key(words)
            titles += [
                title for key, title in self._entries.declined_titles.items() if key in stems and title not in titles
            ]
        titles.sort(key=lambda title: (-len(title), title))
        names = names_in(self._question, {*self.words, *words}, self._known)
        found = list(dict.fromkeys((*titles, *map(self._whole, chain.from_iterable(map(endings, names))))))
        things = [anchor for anchor in found if not self._is_relative(anchor)]
        # Beside "Kiln", the "Bruder" of German, whose nouns all have capitals, is nobody whom the question names.
        return things if any(map(self._names_something, things)) else found

    def _is_relative(self, anchor: str) -> bool:
        return bool(all_stems(anchor) & self.kin) and not self._entries.has_page(anchor)

    def _names_something(self, anchor: str) -> bool:
        language = self._known.language
        others = self._known.single("persons") | interrogatives(language) | stop_words(language)
        return not set(words_of(anchor)) <= others

    def _whole(self, name: str) -> str:
        """Returns "Ana Lee" for "Ana", if only one person is called so."""
        title = self._entries.page_of(name)
        return title if self._entries.is_person(title) else name

    def _is_cue(self, title_key: str) -> bool:
        return set(title_key.split()) <= self._known.cues

    @property
    def is_given(self) -> bool | None:
        """Whether something came to the one who asks ("who lent me"), or went from them ("I lent to"); None if neither shows."""
        known = self._known
        away = known.single("away")
        received = any(
            word in known.single("receivers") and before not in away for before, word in pairwise(("", *self.words))
        )
        borrows = {"i", "from"}.issubset(self.words) and not {"borrow", "borrowed"}.isdisjoint(self.words)
        # "I let a friend borrow it" is lending.
        if received or (borrows and "let" not in self.words):
            return True
        return False if known.has("own", self.words) and _LENDING.intersection(self.words) else None

    @cached_property
    def fillers(self) -> frozenset[str]:
        """Words that lead to what is asked: "please", "tell", "remember"."""
        return self._known.single("fillers")

    @cached_property
    def beside_the_point(self) -> frozenset[str]:
        """Words that ask, or say what kind of thing something is or how it came: "which city", "the book", "gave me"."""
        keys = ("asked_kinds", "transfers", "generic", "asks_what", "asks_other", "asks_when")
        kinds = {word for group in other_forms() if group & self._known.single("generic") for word in group}
        return self.fillers.union(kinds, *map(self._known.single, keys))

    def in_asking_clause(self, words: Sequence[str]) -> list[str]:
        """Returns those of some words that stand in the clause that asks, or all where none does."""
        asking = question_stems(split_off_asking(self._question, self._known)[1])
        return [word for word in words if word in asking] or list(words)

    def homes(self, words: Sequence[str]) -> list[str]:
        """Returns those of some words that ask for the place where somebody lives: "city"."""
        return [word for word in words if word in self._known.single("home_kinds")]

    def leads(self, anchor: str) -> frozenset[str]:
        """Returns the words that only lead to a person: those of what is named, and "friend", "somebody"."""
        return self._known.single("persons").union(words_of(anchor))


def endings(name: str) -> Iterator[str]:
    """Yields a name, and what is left of it without its first words: German writes nouns before a name with a capital letter too."""
    words = name.split()
    yield name
    yield from (" ".join(words[first:]) for first in range(1, len(words) - 1))
