"""Tells which notes are each about a person: by a folder or tag such as "people", or by a folder whose titles are full names.

People call such a folder what they like: "agenda", "Carnet d'adresses", "patients". That nearly all of its notes are called
"Damián Núñez", "Noemí Villagra" and so on shows what they are about, in every language that writes names with capitals.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from noderag_local.text.everyday_words import is_everyday_word

LABELS = frozenset(
    "person persons people contact contacts friend friends family colleague colleagues personen leute menschen kontakt kontakte"
    " freunde familie kollegen personne personnes gens ami amis famille collègues persona personas gente contacto contactos amigos"
    " familia persone contatti amici famiglia pessoa pessoas contatos família люди человек контакты друзья семья".split()
)
"""Casefolded names of folders and tags of notes that are each about a person."""
FEWEST_NOTES = 4
"""Notes of a folder below which its titles show nothing."""
LEAST_SHARE = 0.8
"""Share of a folder's titles that are full names. It was chosen on the notes of eleven people, real and invented: where a folder was one
of people, 22 of 23 titles or more were full names. Of other folders one had as many, of projects that are all called "Projekt …", so no
more than half may begin with the same word; the next had 6 of 13, customers of whom some are firms."""
_PARTICLES = frozenset(
    "de del della di da do dos das du des la las le los el al d' van von vom der den zu zum zur ter ten te y e i bin ibn ben".split()
)
"""Small words inside of full names."""
_IN_BRACKETS = re.compile(r"\s?\([^()]{0,100}\)$")
_NAME = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


class PeoplePages:
    """The notes of a vault that are each about a person."""

    def __init__(self, notes: Iterable[tuple[str, str]]) -> None:
        """Looks at the titles in each folder.

        Args:
            notes: path of the file and title of every note.
        """
        titles: defaultdict[str, list[str]] = defaultdict(list)
        for path, title in notes:
            titles[_folder_of(path)].append(title)
        self._folders = {folder: _are_people(its_titles) or _is_label(folder) for folder, its_titles in titles.items()}

    def has(self, path: str, tags: Sequence[str] = ()) -> bool:
        """Returns whether a note is about a person, from the path of its file and its tags."""
        folder = _folder_of(path)
        is_of_people = self._folders[folder] if folder in self._folders else _is_label(folder)
        return is_of_people or any(tag.strip("#").casefold() in LABELS for tag in tags)


def _folder_of(path: str) -> str:
    # os.path.dirname takes three times as long, and a vault may have a hundred thousand notes.
    return path.rpartition(os.sep)[0]


def _is_label(folder: str) -> bool:
    return os.path.basename(folder).casefold() in LABELS


def _are_people(titles: Sequence[str]) -> bool:
    """Returns whether enough titles of a folder are full names; it is left early where they cannot be any more."""
    if len(titles) < FEWEST_NOTES:
        return False
    begins: Counter[str] = Counter()
    others = 0
    for title in map(plain_name, titles):
        if is_full_name(title):
            begins[title.split(maxsplit=1)[0]] += 1
            continue
        others += 1
        if len(titles) - others < LEAST_SHARE * len(titles):
            return False
    # "Project Heron", "Project Wren".
    return 2 * max(begins.values()) <= len(titles)


def plain_name(title: str) -> str:
    """Returns "Rita Blenkin" for the title "BLENKIN, Rita (R.B.)"; any title that is no such name as it is."""
    surname, comma, first = _IN_BRACKETS.sub("", title).partition(", ")
    turned = f"{first} {surname.title() if surname.isupper() else surname}"
    return turned if comma and is_full_name(turned) else title


def is_full_name(title: str) -> bool:
    """Returns whether a title looks like a first name with a surname: "Karim Haddad", "Ana de Sousa", but not "Karim's birthday"."""
    words = title.split()
    if not 2 <= len(words) <= 4 or not all(map(_NAME.fullmatch, words)):
        return False
    ends = words[0], words[-1]
    if any(word.endswith(("'s", "’s")) or is_everyday_word(word.casefold()) for word in ends):
        return False
    return all(word[0].isupper() for word in ends) and all(fits_inside(word) for word in words[1:-1])


def fits_inside(word: str) -> bool:
    """Returns whether a word may stand between a first name and a surname: "Alexander", "de", but not "of"."""
    return word[0].isupper() or word.casefold() in _PARTICLES
