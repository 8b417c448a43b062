"""Finds the usual form of a question: "Who is it that has got my Kiln?" is "Who has Kiln now?".

The rules of this package know questions by their words, of which people have more than any list. So a question that the rules
do not understand is compared, as a vector, with examples of each question that they do understand (nearest neighbours of a
sentence embedding, Reimers and Gurevych 2019; its use for what somebody wants: Casanueva et al. 2020, arXiv:2003.04807). What it
names is masked in both, so that only what is asked counts. Questions that the rules cannot answer have examples, too: what is
nearest to these keeps its own words. The examples are English: a multilingual model sets questions in other languages beside
them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from itertools import pairwise

from noderag_local.aggregation.entries import Entries
from noderag_local.aggregation.question_content import languages_of, split_off_asking
from noderag_local.aggregation.question_phrases import LANGUAGES, other_forms, phrases, words_of
from noderag_local.aggregation.usual.examples import (
    ENGLISH,
    MULTILINGUAL,
    SLOT,
    Embed,
    Example,
    MeaningModel,
    Vectors,
    examples,
)
from noderag_local.aggregation.usual.named_slots import ITEM, MASKS, PERSON, THING, Slotted, slotted
from noderag_local.text.stems import question_stems
from noderag_local.text.stopwords import stop_words

NEAREST = 2
"""Number of examples of a form whose mean cosine is the form's."""
LONGEST_CHARACTERS = 600
"""A longer text is no question."""
_NAMING = frozenset((PERSON, THING, ITEM))
"""Slots for what a question is about; without them, every word of it may matter."""
_AND = frozenset(("and", "und", "et", "y"))
"""Words that join two questions."""
_ELIDED = re.compile(r"\b([Dd])e (?=[AEIOUYÀÂÉÈÊÎÔHaeiouyâéèêîô])")


@dataclass(frozen=True, slots=True)
class Meanings:
    """The embedding models that tell questions apart, whatever the notes were embedded with."""

    english: Embed
    """The model that comes with the program."""
    multilingual: Embed | None
    """The multilingual one; None where it is not installed, and then only English questions are compared."""


def usual_form(question: str, entries: Entries, meanings: Meanings, today: date) -> str:
    """Returns a question in plain words of its language that mean the same; "" if the question is no usual one.

    Args:
        question: the question in the user's own words.
        entries: the notes.
        meanings: the models of meanings.
        today: present day.
    """
    spoken = languages_of(question)
    language = LANGUAGES[0] if LANGUAGES[0] in spoken else spoken[0]
    model, embed = (ENGLISH, meanings.english) if language == LANGUAGES[0] else (MULTILINGUAL, meanings.multilingual)
    # No form asks for a reason, and none for two things.
    asks_more = phrases(language).has("why", words_of(question)) or _asks_twice(question, language)
    if embed is None or len(question) > LONGEST_CHARACTERS or asks_more:
        return ""
    ways = [
        way
        for way in slotted(question, language, entries, today, _usual_words(language))
        if _has_form(way.slots) and (way.slots & _NAMING or _is_all_usual(way.text, language, entries))
    ]
    is_negated = _is_negated(question, language)
    # What has a name is surely what the question is about.
    for likely in ([way for way in ways if not way.is_guessed], [way for way in ways if way.is_guessed]):
        found = _nearest_of(likely, model, embed, is_negated) if likely else None
        if found is not None and found[0].is_clear(model):
            return _plain_words(question, *found, language, entries)
    return ""


def _plain_words(question: str, near: _Near, way: Slotted, language: str, entries: Entries) -> str:
    """Returns a question in the plain words of the form that it is nearest to; "" if it asks something else after all."""
    is_same = _is_negated(near.example.text, LANGUAGES[0]) == _is_negated(question, language)
    if not near.example.form or not is_same or _drops_what_is_told(way, language, entries):
        return ""
    plain = _filled(near.example, way, language)
    # The multilingual model sets every short question about a thing close to every other.
    is_it = _have_one_deed(question, plain) and not _drops_a_question(question, plain, language)
    return plain if language == LANGUAGES[0] or is_it else ""


def _filled(example: Example, way: Slotted, language: str) -> str:
    plain = SLOT.sub(lambda slot: way.named[slot[1]], example.form[language])
    return _ELIDED.sub(r"\1'", plain) if language == "fr" else plain


def _asks_twice(question: str, language: str) -> bool:
    """Returns whether a question goes on to how, when or where: "What is in the dough, and how much of it?".

    "And who" and "and which" may go on with a clause instead.
    """
    known, words = phrases(language), words_of(question)
    persons = known.single("asks_person")
    further = (known.single("asks_when") | known.single("asks_other")) - persons
    asking = further | persons | known.single("asks_what")
    begun = next((at for at, word in enumerate(words) if word in asking), len(words))
    return any(word in _AND and behind in further for word, behind in pairwise(words[begun + 1 :]))


def _drops_a_question(question: str, plain: str, language: str) -> bool:
    """Returns whether plain words ask for a person alone, but the question for more: "Who has my tent, and where do they work?"."""
    asks_person = phrases(language).single("asks_person").intersection(words_of(plain))
    return bool(asks_person) and not _asks_for_things(plain, language) and _asks_for_things(question, language)


def _asks_for_things(question: str, language: str) -> bool:
    """Returns whether a question asks where something is, or for anything but a person."""
    known, words = phrases(language), words_of(question)
    # Who asks for the name of a person asks who it is.
    persons = known.single("persons") | known.single("names_of")
    pairs = zip(words, [*words[1:], ""], strict=True)
    return known.has("where_words", words) or any(
        word in known.single("asks_what") and behind not in persons for word, behind in pairs
    )


def _have_one_deed(question: str, plain: str) -> bool:
    """Returns whether two questions share a deed or property that both name: one of lending is none of recommending."""
    asked, told = _deeds(question), _deeds(plain)
    return not asked or not told or bool(asked & told)


def _deeds(question: str) -> frozenset[int]:
    words = set(words_of(question))
    return frozenset(at for at, forms in enumerate(other_forms()) if words & forms)


@cache
def _vocabulary() -> frozenset[str]:
    """Returns the words of all examples but for their masks."""
    words = (word for example in examples() for word in words_of(example.text))
    return frozenset(words) - frozenset(words_of(" ".join(MASKS.values())))


@cache
def _usual_words(language: str) -> Callable[[str], bool]:
    """Returns a function that tells whether any question may have a casefolded word."""
    if language == LANGUAGES[0]:
        return _vocabulary().__contains__
    plain = {word for one in examples() if one.form for word in words_of(SLOT.sub("", one.form[language]))}
    known = phrases(language)
    return lambda word: word in plain or known.knows(word)


def _is_all_usual(masked: str, language: str, entries: Entries) -> bool:
    """Returns whether a question has no words of the notes that its usual form would drop."""
    return not any(map(entries.knows, _unusual(masked, language)))


def _unusual(masked: str, language: str) -> set[str]:
    """Returns the words of a masked question that not every question may have."""
    left = set(words_of(masked)) - stop_words(language) - set(words_of(" ".join(MASKS.values())))
    return {word for word in left if not _usual_words(language)(word)}


def _drops_what_is_told(way: Slotted, language: str, entries: Entries) -> bool:
    """Returns whether the usual form drops a word of the question that the notes have in one sentence with what it names.

    "How much does Bruno want for the rope?" is not about all that is paid to Bruno, if a note says "Bruno sells rope".
    """
    names = [name for slot, name in way.named.items() if slot in _NAMING]
    person = list(question_stems(way.named.get(PERSON, "")).values())
    pages = [one.id for one in entries.titled(person)] if person and language != LANGUAGES[0] else []
    return any(
        entries.naming(names, [stems]) or (pages and entries.of_documents_with(pages, stems))
        for word in _unusual(way.text, language)
        for stems in question_stems(word).values()
    )


@dataclass(frozen=True, slots=True)
class _Near:
    """The form that is nearest to a question."""

    cosine: float
    lead: float
    """By how much the next form is less near."""
    example: Example
    """The nearest example of the form."""

    def is_clear(self, model: MeaningModel) -> bool:
        """Returns whether the form is near enough to be what is asked."""
        is_near = self.cosine >= model.least_cosine and self.lead >= model.least_lead
        return is_near and self.cosine + self.lead >= model.least_sum


def _nearest_of(
    ways: Sequence[Slotted], model: MeaningModel, embed: Embed, is_negated: bool
) -> tuple[_Near, Slotted] | None:
    vectors = embed([way.text for way in ways])
    near = [_nearest(way.slots, vector, model.vectors(), is_negated) for way, vector in zip(ways, vectors, strict=True)]
    found = [(one, way) for one, way in zip(near, ways, strict=True) if one is not None]
    return max(found, key=lambda one: one[0].cosine, default=None)


def _nearest(slots: Collection[str], vector: Vectors, known: Vectors, is_negated: bool) -> _Near | None:
    of_forms: dict[str, list[tuple[float, Example]]] = {}
    for example, cosine in zip(examples(), (known @ vector).tolist(), strict=True):
        # "What must she not eat?" is an example, but "What does she eat?" is not asked by it.
        if example.slots == slots and (is_negated or not example.form or not _is_negated(example.text, LANGUAGES[0])):
            of_forms.setdefault(example.name, []).append((cosine, example))
    best = {form: sorted(found, key=lambda one: -one[0])[:NEAREST] for form, found in of_forms.items()}
    cosines = {form: sum(cosine for cosine, _ in found) / len(found) for form, found in best.items()}
    if not cosines:
        return None
    first, *others = sorted(cosines, key=lambda form: -cosines[form])
    return _Near(cosines[first], cosines[first] - max(map(cosines.__getitem__, others), default=0.0), best[first][0][1])


@cache
def _has_form(slots: frozenset[str]) -> bool:
    return any(example.slots == slots and example.form for example in examples())


@lru_cache(maxsize=1024)
def _is_negated(question: str, language: str) -> bool:
    """Returns whether what a question asks is negated; what it says besides does not matter."""
    known = phrases(language)
    asking = split_off_asking(question, known)[1]
    return known.has("negated", known.without("forgotten", words_of(asking)))
