"""Finds the names inside a longer one, which a preposition, a possessive or "and" joins."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from noderag_local.extraction.rules.names import POSSESSIVE, is_name
from noderag_local.text.everyday_words import is_everyday_word
from noderag_local.text.letters import upper

_INNER_POSSESSIVE = re.compile(r"['’]s\s|(?<=s)['’]\s")
_OF = re.compile(r"\sof(?:\sthe)?\s")
_AND = re.compile(r"\s(?:y|e|&)\s")
_OF_SOMEBODY = re.compile(
    rf"(?P<article>D(?:er|as)\s)?(?P<head>\w+)\s(?:(?:von|de|di)\s|[dD]['’])(?P<tail>[{upper()}].*)"
)
_GERMAN_ARTICLE = re.compile(
    r"(?<!\w)(?:d(?:er|ie|as|en|em|es)|(?:ein|kein|mein|dein|sein|ihr|unser|eur?e?)(?:e[nmrs]?)?|am|beim|im|vom|zum|zur)\s$",
    re.IGNORECASE,
)
_OF_FIRMS = frozenset(
    "co kg gmbh ag ltd inc llc sons söhne partner partners fils cie hijos figli filhos zn zonen".split()
)
_OF_PERSONS = frozenset(
    "cumpleaños aniversario boda fiesta casa madre padre mamá papá hermano hermana hijo hija abuelo abuela tío tía primo prima amigo"
    " amiga novio novia marido mujer perro gato correo carta regalo anniversaire mariage fête maison mère père maman frère sœur soeur"
    " fils fille cousin cousine ami amie mari femme chien chat mail lettre cadeau copain copine geburtstag hochzeit mutter vater mama"
    " papa bruder schwester sohn tochter oma opa tante onkel freund freundin mann frau hund katze brief anruf nachricht geschenk"
    " haus wohnung besuch".split()
)
"""Words for what people have, before their names: "Cumpleaños de Ana". Many other words there are first names: "Charles de Gaulle"."""
_FORMS_OF_ADDRESS = frozenset("mr mrs ms dr herr hr frau fr mme monsieur madame señor señora".split())


def inner_names(name: str, before: str = "", capitalised: Collection[str] = ()) -> Iterator[str]:
    """Returns the names inside a longer one: "Senate of France" → "France", "Korea's Kim" → "Korea" and "Kim", "Ana y Luis" → both.

    The long run may be one name ("Bank of America") or two that a preposition joins; without a dictionary both
    readings are kept. A single word in front of "of" is an office or a kind of thing ("Treaty", "Mayor"), no name.

    Args:
        name: the longer name.
        before: text of the sentence before it.
        capitalised: see `name_spans`.
    """
    for match in _OF.finditer(name):
        yield name[match.end() :]
        if " " in name[: match.start()]:
            yield name[: match.start()]
    for match in _INNER_POSSESSIVE.finditer(name):
        yield name[: match.start()]
        yield name[match.end() :]
    joined = _joined(name, capitalised)
    if len(joined) > 1:
        yield from (part for part in joined if _is_name_alone(part, capitalised))
    if tail := _whose(joined[0], before, capitalised):
        yield tail


def _joined(name: str, capitalised: Collection[str]) -> list[str]:
    """Returns the parts of a name that "y", "e" or "&" join; a firm is one: "Bauer & Söhne", "Johnson & Johnson"."""
    parts = [POSSESSIVE.sub("", part) for part in _AND.split(name)]
    is_firm = not _OF_FIRMS.isdisjoint(word.rstrip(".") for word in name.casefold().split())
    return [name] if is_firm or ("&" in name and not _are_people(parts, capitalised)) else parts


def _are_people(parts: Sequence[str], capitalised: Collection[str]) -> bool:
    """Tells whether names around "&" are no firm's: the last has a surname, or the document knows all of them."""
    words = [part.casefold().split() for part in parts]
    if not all(words) or set(words[0]) & set(words[-1]):
        return False
    return len(words[-1]) > 1 or all(word in capitalised for part in words for word in part)


def _whose(name: str, before: str, capitalised: Collection[str]) -> str:
    """Returns the name behind a word for what somebody has, or behind a German noun: "Cumpleaños de Ana" → "Ana"; "" for none.

    "Charles de Gaulle" is one name.
    """
    match = _OF_SOMEBODY.fullmatch(name)
    if match is None:
        return ""
    head, tail = match["head"].casefold(), match["tail"]
    is_known = head in _OF_PERSONS or is_everyday_word(head)
    is_thing = is_known or _GERMAN_ARTICLE.search(match["article"] or before) is not None
    return tail if is_thing and _is_name_alone(tail, capitalised) else ""


def _is_name_alone(part: str, capitalised: Collection[str]) -> bool:
    """Tells whether a part of a name is one; a word in capitals alone is none if it is an everyday one, as in "CODES & KEYS"."""
    word = part.casefold().rstrip(".")
    if word in _FORMS_OF_ADDRESS or (part.isupper() and is_everyday_word(word)):
        return False
    return is_name(part, True, part.count(" ") + 1, capitalised)
