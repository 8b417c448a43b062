"""Finds whose first name a single word is: "Karim" is Karim Haddad if a note of his own says that there is such a person.

A note may have the surname in front in its title, "Haddad Karim"; what the notes call the person decides.

All pairs are found anew whenever names are merged. So they depend on the present notes alone, in whatever order these came.
A vault has few notes of people, and each costs two look-ups of words.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.person_notes import NoteLabel, PersonNotes, people_pages
from noderag_local.text.everyday_words import is_everyday_word
from noderag_local.text.identity import entity_key
from noderag_local.text.languages import is_english
from noderag_local.text.people_pages import plain_name

_FORMS_OF_ADDRESS = frozenset(
    "dr doctor doktor prof professor mr mrs ms miss sir lady herr frau monsieur madame señor señora don doña aunt auntie uncle"
    " grandma grandpa granny mum mom mama dad papa tante onkel oma opa oncle mamie papi tía tío abuela abuelo zia zio nonna nonno"
    " tia tio avó avô тётя тетя дядя бабушка дедушка".split()
)
"""Casefolded words before a name that are no first name."""
_NOT_BEFORE_A_PERSON = frozenset("the in near en nach em w we в во".split())
"""Words after which a name is hardly a person's first name, but a place's or a thing's."""
_ENGLISH_ARTICLES = frozenset("a an".split())
"""The same, in English; in other languages they come before the person who gets something."""
_WORDS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_MORE_THAN_A_WORD = re.compile(r"[\d_]|\w \w+ \w")
"""A digit, or three words. The key of a name loses articles at the front, and what is no letter."""
_ARTICLE = re.compile(r"\W*(?:the|an?)\b", re.IGNORECASE)
_SHORTEST = 3
"""Fewest letters of a first name; shorter ones stand for anything."""


class FirstName(NamedTuple):
    """The key of a first name and that of a person who has it."""

    first: str
    full: str
    sure: bool
    """Whether the first name means this person wherever it stands alone."""


class PeopleNames(NamedTuple):
    """What the notes call the people who have a note."""

    first_names: list[FirstName]
    """The first names that the notes use alone, each with every person of that name, ordered by keys."""
    turned: dict[str, str]
    """Key of a title with the surname in front, "Haddad Karim" or "Haddad, Karim" → key of the name as the notes have it."""


def people_names(store: Store) -> PeopleNames:
    """Returns what the notes call the people who have a note."""
    notes = PersonNotes(store)
    labels = notes.labels()
    pages = people_pages(labels)
    # Each label is looked at once, since a large vault has a hundred thousand.
    of_people, of_others = list[NoteLabel](), list[NoteLabel]()
    for label in labels:
        (of_people if pages.has(label.path, label.tags) else of_others).append(label)
    titles = {key for label in of_people for key in _full_names(label)}
    turned = {key: other for key in sorted(titles) if (other := _turned(key, notes))}
    turned |= _with_commas(of_people)
    people: defaultdict[str, set[str]] = defaultdict(set)
    for full in {turned.get(key, key) for key in titles}:
        people[full.split()[0]].add(full)
    others = set[str]()
    if people:
        others = {entity_key(name) for one in of_others for name in one.names if _may_be_one_word(name)}
    named = {first: dict(notes.entities_with(first)) for first in sorted(people)}
    openers = _openers(named)
    found: list[FirstName] = []
    for first, its_names in named.items():
        there = sorted(people[first] & its_names.keys())
        shortened = _shortened(sorted(people[first]), its_names)
        found += shortened
        if first in its_names and there:
            short = {one.first for one in shortened if one.sure}
            rivals = {
                key: name
                for key, name in its_names.items()
                if key.split()[0] not in openers and turned.get(key) not in there and key not in short
            }
            sure = len(there) == 1 and first not in others and _is_sure(notes, first, there[0], rivals.items())
            found += (FirstName(first, full, sure) for full in there)
    return PeopleNames(found, turned)


def _with_commas(labels: Iterable[NoteLabel]) -> dict[str, str]:
    """Returns the keys of titles such as "Haddad, Karim", each with that of "Karim Haddad"."""
    names = [name for label in labels for name in label.names]
    return {entity_key(name): entity_key(plain) for name in names if (plain := plain_name(name)) != name}


def _shortened(people: Sequence[str], its_names: Mapping[str, str]) -> list[FirstName]:
    """Returns the names that have the first letter of a surname alone: "Karim H." is the only person of that name.

    Args:
        people: keys of the people with a first name who have a note.
        its_names: key → name of everything with that first name; "Karim Hoffmann" is another person, even without a note.
    """
    of_letters = defaultdict[str, list[str]](list)
    for full in people:
        of_letters[f"{full.split()[0]} {full.split()[-1][0]}"].append(full)
    return [
        FirstName(short, full, len(fulls) == 1 and not _may_mean_another(short, full, its_names))
        for short, fulls in sorted(of_letters.items())
        for full in fulls
        if short in its_names and full in its_names
    ]


def _may_mean_another(short: str, full: str, its_names: Mapping[str, str]) -> bool:
    """Tells whether another bearer of the first name has a surname with the same letter."""
    others = ((key, name) for key, name in its_names.items() if key != short and key.startswith(f"{full.split()[0]} "))
    return any(
        key.split()[-1].startswith(short[-1]) and _is_rival(key, name, short.split()[0], full) for key, name in others
    )


def _turned(key: str, notes: PersonNotes) -> str:
    """Returns "karim haddad" for the title "Haddad Karim" if the notes have that name and never the title; "" for any other."""
    words = key.split()
    other = " ".join(reversed(words))
    if len(words) != 2 or words[0] == words[1] or not _is_word(words[1]):
        return ""
    return other if other in dict(notes.entities_with(words[1])) and not notes.texts_with(key) else ""


def _openers(named: Mapping[str, Collection[str]]) -> frozenset[str]:
    """Returns the words that are no names although the rules read them as part of one: "Vino Ana", "Vino Luis".

    At the start of a sentence every word has a capital. One that stands before several first names is no first name itself.

    Args:
        named: for each first name the keys of all names that contain it.
    """
    before: defaultdict[str, set[str]] = defaultdict(set)
    for first, keys in named.items():
        for one, other in (pair for key in keys for pair in pairwise(key.split()[:2])):
            if other == first:
                before[one].add(first)
    return frozenset(word for word, firsts in before.items() if len(firsts) > 1 and word not in named)


def _full_names(label: NoteLabel) -> Iterator[str]:
    """Yields the names of a note that may be a first name with a surname, as keys."""
    for name in map(plain_name, label.names):
        words = name.split()
        if 2 <= len(words) <= 4 and _looks_like_a_person(name) and _is_word(words[0]) and len(words[0]) >= _SHORTEST:
            key = entity_key(name)
            if key.split()[0] not in _FORMS_OF_ADDRESS:
                yield key


def _may_be_one_word(name: str) -> bool:
    """Tells whether the key of a name may be a single word of letters; it is quicker than making the key."""
    return not _MORE_THAN_A_WORD.search(name) or bool(_ARTICLE.match(name))


def _is_word(name: str) -> bool:
    """Tells whether a first name has letters alone; one of two parts has a hyphen, "Jean-Luc"."""
    return name.replace("-", "").isalpha()


def _looks_like_a_person(name: str) -> bool:
    """Tells whether a name begins and ends with a capital: "Karim Haddad", "Ana de Sousa", but not "Karim's birthday"."""
    words = name.split()
    return words[0][0].isupper() and words[-1][0].isupper() and not any(mark in name for mark in ("'s", "’s"))


def _is_sure(notes: PersonNotes, first: str, full: str, named: Iterable[tuple[str, str]]) -> bool:
    if is_everyday_word(first) or any(_is_rival(key, name, first, full) for key, name in named):
        return False
    return not any(_is_used_otherwise(text, first, full) for text in notes.texts_with(first))


def _is_rival(key: str, name: str, first: str, full: str) -> bool:
    """Tells whether a name may be of another bearer of the first name, or have it as its surname."""
    words = key.split()
    if len(words) < 2 or key == full or key.startswith((f"{full} ", f"{full}'")):
        return False
    if (words[0], words[-1]) == (first, full.split()[-1]):
        return False
    # The rules read "Yesterday Karim" at the start of a sentence as one name.
    is_surname = first == words[-1] and not any(map(is_everyday_word, words[:-1]))
    return (first == words[0] or is_surname) and _looks_like_a_person(name)


def _is_used_otherwise(text: str, first: str, full: str) -> bool:
    """Tells whether a text has the word in small letters, or as one has the name of a place or a thing.

    The whole name says nothing of the first name alone: "made in Ana Lee's kitchen".
    """
    others = _NOT_BEFORE_A_PERSON | (_ENGLISH_ARTICLES if is_english(text) else frozenset())
    # Addresses and paths write names in small letters.
    pieces = (piece for piece in text.split() if "@" not in piece and "/" not in piece)
    words = [word for piece in pieces for word in _WORDS.findall(piece)]
    surname = full.split()[1]
    for before, word, behind in zip(["", *words], words, [*words[1:], ""], strict=False):
        if word == first:
            return True
        if word.casefold() == first and before.casefold() in others and entity_key(behind) != surname:
            return True
    return False
