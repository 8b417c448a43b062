"""Finds spellings of one name: entities that are surely the same, by their keys alone.

Names that may be the same share a block, so that no name is compared with all others. Two names of a block are the same only if
their differences never distinguish two things. Names that merely share a part, as those of people and places do, are never the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import combinations

RULES = "7"
"""Version of the rules; raised when they change, so that all names are compared again."""


LARGEST_BLOCK = 60
"""Most names of a block; larger blocks share too little to mean anything, and every pair would have to be compared."""


class Rule(StrEnum):
    """Reason why two names may be one; the values are stored in vaults."""

    SPELLING = "spelling"
    """Hyphens, commas, dots, apostrophes, "&" and "and", "Mt." and "Mount" """
    ACCENTS = "accents"
    COMPANY = "company form"
    """"Inc.", "GmbH" """
    TITLE = "title"
    """"Dr.", "Sir" """
    POSSESSIVE = "possessive"
    INITIALS = "initials"
    ACRONYM = "acronym"
    TYPING = "typing error"
    PLURAL = "plural"
    PART = "part of the name"
    FIRST_NAME = "first name"
    SURNAME_IN_FRONT = "surname in front"


@dataclass(frozen=True, slots=True)
class Likeness:
    """Two names that may be one, with the rule that says so."""

    first: str
    """The lesser of the two keys."""
    second: str
    rule: Rule
    sure: bool


_PUNCTUATION = str.maketrans({**dict.fromkeys("-·・", " "), **dict.fromkeys(",'\":;!?", None), "&": " and "})
_DOT = re.compile(r"(?<!\d)\.|\.(?!\d)")
_DIGITS = re.compile(r"\d+")
ROMAN = re.compile(r"[ivxlcdm]+")
_VOWELS = frozenset("aeiouy")
_TRANSCRIBED = frozenset("āēīōūḥṣṭḍẓṛṇ")
"""Letters of transcriptions, whose marks make no other name."""
_FOLDED = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "æ": "ae", "œ": "oe", "ё": "е"})
_WRITTEN_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
"""Spellings by people whose keyboards lack these letters."""
_SURE_TITLES = frozenset({"dr", "prof"})
"""Titles that distinguish nobody. Written out, they begin other names, too ("Doctor of Philosophy"), as does "Mr." ("Mr. Blue Sky")."""
_TITLES = _SURE_TITLES | frozenset(
    "doctor professor mr sir mrs ms miss lord lady king queen prince princess pope president senator governor judge general colonel major captain "
    "lieutenant bishop cardinal herr frau monsieur madame señor señora don".split()
)
_COMPANY_FORMS = frozenset("incorporated limited llc plc gmbh ag nv bv sa".split())
_LOOSE_FORMS = frozenset({"company", "corporation"})
"""Company forms that a name may need: the East India Company is not East India."""
_TRADES = frozenset(
    "air airlines airways automotive bank banks breweries broadcasting cement cements chemical chemicals communications "
    "computer computers construction electric electronics energy engineering enterprises entertainment finance financial "
    "foods group holding holdings industries insurance investments laboratories logistics manufacturing media "
    "microsystems mining motor motors networks oil petroleum pharmaceuticals pictures press productions publishers "
    "publishing railways records resources semiconductor services shipping software solutions steel stores studios "
    "systems technologies technology telecom textiles trading ventures".split()
)
"""Words that only companies have in their names: Calvin Klein is not Calvin Klein Inc., the 20th Century no train."""
_WRITTEN_LONG = {"inc": "incorporated", "ltd": "limited", "co": "company", "corp": "corporation", "junior": "jr"}
_BEGINNINGS = {"mt": "mount", "ft": "fort"}
_GENERATIONS = frozenset("jr sr ii iii iv v".split())
SMALL_WORDS = frozenset("of and the for in on to at with from by or an".split())
"""Words that no person's name has."""
_SAINTS = frozenset("san santa santo saint st sainte".split())
"""San José is not San Jose, and Saint-Denis no saint."""
_ARTICLES = frozenset("la le les el los las il lo der die das o a os as".split())
"""Articles that leave a single word: La Peña is not La Pena."""


@dataclass(frozen=True)
class ShortNameEvidence:
    """What the notes themselves say about short names."""

    pairs: Collection[tuple[str, str]] = ()
    """Pairs of keys, the lesser first, of which a text says that the one is short for the other."""
    capitals: Collection[str] = ()
    """Keys that no text writes otherwise than in capitals: "NOW", and never "Now"."""
    dotted: Collection[str] = ()
    """Keys that a text writes with a dot after a letter: "John F. Kennedy", and not "Project A Team"."""

    first_names: Collection[tuple[str, str]] = ()
    """Pairs (first name, full name) of people who have a note of their own."""

    @cached_property
    def partners(self) -> dict[str, set[str]]:
        """Partners of each key in `pairs`."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for first, second in self.pairs:
            found[first].add(second)
            found[second].add(first)
        return found


@dataclass(frozen=True, slots=True)
class _Form:
    """The parts of a name; the same name written otherwise differs in one of them."""

    title: str
    body: str
    """Name without title and company form, with accents."""
    plain: str
    """The body without accents."""
    company: str
    possessive: bool


def blocks(key: str) -> tuple[str, ...]:
    """Returns the blocks of a name; names that may surely be the same share one. A name of fewer than three letters has none."""
    if sum(map(str.isalpha, key)) < 3:
        return ()
    form = _form(key)
    found = [f"= {form.plain}"]
    if form.body != form.plain and (written_out := _unaccented(form.body.translate(_WRITTEN_OUT))) != form.plain:
        found.append(f"= {written_out}")
    if given := _given(key):
        found.append(f"i {''.join(name[0] for name in given[0])} {given[1]}")
    found += [f"a {letters}" for letters in _acronyms(form.plain)]
    return tuple(found)


def likenesses(block: str, keys: Sequence[str], evidence: ShortNameEvidence) -> Iterator[Likeness]:
    """Returns the pairs of a block that may be the same.

    Args:
        block: one of `blocks`.
        keys: all names of the block, in any order; of more than LARGEST_BLOCK there are no pairs.
        evidence: about these names at least.
    """
    ordered = sorted(keys) if len(keys) <= LARGEST_BLOCK else []
    if block.startswith("i "):
        yield from _by_initials(ordered, evidence)
    elif block.startswith("a "):
        yield from _by_letters(block[2:], ordered, evidence)
    else:
        for first, second in combinations(ordered, 2):
            likeness = _by_spelling(first, second, ordered)
            if likeness is not None:
                yield likeness


def _by_spelling(first: str, second: str, rivals: Sequence[str]) -> Likeness | None:
    one, other = _form(first), _form(second)
    if _DIGITS.findall(first) != _DIGITS.findall(second):
        return None
    differences = list(_differences(one, other, rivals))
    sure = all(is_sure for _, is_sure in differences)
    if not differences:
        # "O'Hara" is not "Ohara".
        sure = " " in one.body or ("'" in first) == ("'" in second)
        sure = sure and (one.body.split()[0] not in _SAINTS or ("-" in first) == ("-" in second))
        differences = [(Rule.SPELLING, sure)]
    rule = next((rule for rule, is_sure in differences if not is_sure), differences[0][0])
    return Likeness(first, second, rule, sure)


def _differences(one: _Form, other: _Form, rivals: Sequence[str]) -> Iterator[tuple[Rule, bool]]:
    """Yields (difference, whether things that differ in it alone are the same)."""
    words = one.plain.count(" ") + 1
    if one.possessive != other.possessive:
        yield Rule.POSSESSIVE, False
    if one.title != other.title:
        # One letter before a surname may be anybody's.
        is_person = words > 1 + (one.plain[1:2] == " ") and SMALL_WORDS.isdisjoint(one.plain.split())
        yield Rule.TITLE, is_person and {one.title, other.title} <= _SURE_TITLES | {""}
    if one.company != other.company:
        forms = {one.company, other.company}
        is_company = words > 1 and not _TRADES.isdisjoint(one.plain.split())
        yield Rule.COMPANY, "" in forms and forms <= _COMPANY_FORMS | {""} and is_company
    if one.body != other.body:
        yield Rule.ACCENTS, _has_accents_for_show(one, other, {_form(key).body for key in rivals})


def _has_accents_for_show(one: _Form, other: _Form, rivals: Collection[str]) -> bool:
    """Tells whether one body is the other without its accents, no third is, and the accents distinguish nothing.

    A single word may well be another one: Munster and Münster, Rose and Rosé.
    """
    plain = {one.body, other.body} & {one.plain, other.plain}
    accented = {body for body in rivals if body not in plain}
    marked = {sign for body in accented for sign in body if not sign.isascii()}
    words = one.plain.split()
    is_long = len(words) > 1 + (words[0] in _ARTICLES) and words[0] not in _SAINTS
    return len(plain) == 1 and len(accented) == 1 and (is_long or marked <= _TRANSCRIBED)


def _by_initials(keys: Sequence[str], evidence: ShortNameEvidence) -> Iterator[Likeness]:
    names = {key: found[0] for key in keys if (found := _given(key))}
    for first, second in combinations(names, 2):
        if names[first] == names[second] or not _fits(names[first], names[second]):
            continue
        short, long = sorted((names[first], names[second]), key=lambda given: sum(map(len, given)))
        only = all(_fits(other, long) for other in names.values() if _fits(other, short))
        # Two letters before a surname tell a person, and so does one beside a name in full; one alone does not.
        in_full = any(len(name) > 1 and name == other for name, other in zip(short, long, strict=True))
        is_certain = in_full or all(len(name) == 1 for name in short)
        is_certain = is_certain and all(key in evidence.dotted for key in (first, second) if 1 in map(len, names[key]))
        yield Likeness(first, second, Rule.INITIALS, only and is_certain and _form(first).title == _form(second).title)


def _fits(one: Sequence[str], other: Sequence[str]) -> bool:
    return all(_is_short_for(a, b) or _is_short_for(b, a) for a, b in zip(one, other, strict=True))


def _is_short_for(initial: str, name: str) -> bool:
    if initial == name:
        return True
    return len(initial) == 1 and len(name) > 2 and name[0] == initial and not ROMAN.fullmatch(name)


def _by_letters(letters: str, keys: Sequence[str], evidence: ShortNameEvidence) -> Iterator[Likeness]:
    long_forms = [key for key in keys if key != letters]
    # What a text says it is short for may have other initials ("Extensible Markup Language (XML)").
    only = len({_form(key).plain for key in (*long_forms, *evidence.partners.get(letters, ()))}) == 1
    for long in long_forms if letters in keys else ():
        first, second = sorted((letters, long))
        yield Likeness(
            first, second, Rule.ACRONYM, only and letters in evidence.capitals and (first, second) in evidence.pairs
        )


def _given(key: str) -> tuple[tuple[str, ...], str] | None:
    """Returns (given names or initials, surname with "jr" and the like) if a name may be a person's with two given names or more."""
    form = _form(key)
    words = form.plain.split()
    cut = len(words) - (2 if words[-1] in _GENERATIONS else 1)
    given, surname = words[:cut], " ".join(words[cut:])
    if len(given) == 1 and 2 <= len(given[0]) <= 4 and not _VOWELS.intersection(given[0]):
        given = list(given[0])
    is_person = (
        2 <= len(given) <= 4 and len(surname) > 2 and not form.company and all(map(str.isalpha, (*given, *words[cut:])))
    )
    return (tuple(given), surname) if is_person and SMALL_WORDS.isdisjoint(given) else None


def _acronyms(plain: str) -> set[str]:
    """Returns the acronyms that a name is or may have; not those of two letters, which stand for anything."""
    words = plain.split()
    if len(words) == 1:
        return {plain} if 3 <= len(plain) <= 7 and plain.isalpha() else set()
    of_great = "".join(word[0] for word in words if word not in SMALL_WORDS)
    of_all = "".join(word[0] for word in words)
    return {letters for letters in (of_great, of_all) if 3 <= len(letters) <= 7 and letters.isalpha()}


@lru_cache(maxsize=1 << 14)
def _form(key: str) -> _Form:
    possessive = key.endswith(("'s", "s'"))
    name = key.removesuffix("'s").removesuffix("'") if possessive else key
    words = _DOT.sub("", name.translate(_PUNCTUATION)).split() or [name]
    title, company = "", ""
    if len(words) > 1:
        words[1:] = [_WRITTEN_LONG.get(word, word) for word in words[1:]]
        title = words.pop(0) if words[0] in _TITLES else ""
    if len(words) > 1:
        company = words.pop() if words[-1] in _COMPANY_FORMS or words[-1] in _LOOSE_FORMS else ""
    if len(words) > 1:
        words[0] = _BEGINNINGS.get(words[0], words[0])
    body = " ".join(words)
    plain = _unaccented(body)
    # Marks with no letter under them are kept.
    return _Form(title, body, plain if plain.strip() else body, company, possessive)


def _unaccented(text: str) -> str:
    """Removes the marks of Latin and Greek letters; those of other scripts make other letters."""
    if text.isascii():
        return text
    kept: list[str] = []
    for sign in text.translate(_FOLDED):
        base = unicodedata.normalize("NFD", sign)[0]
        kept.append(base if unicodedata.name(base, "").startswith(("LATIN", "GREEK")) else sign)
    return "".join(sign for sign in kept if not _is_latin_mark(sign))


def _is_latin_mark(sign: str) -> bool:
    """Tells whether a sign is a mark that combines with the letter before it."""
    return "\u0300" <= sign <= "\u036f"
