"""Finds the usual form of a question: "Who is it that has got my Kiln?" is "Who has Kiln now?".

The rules of this package know questions by their words, of which people have more than any list. So a question that the rules
do not understand is compared, as a vector, with examples of each question that they do understand (nearest neighbours of a
sentence embedding, Reimers and Gurevych 2019; its use for what somebody wants: Casanueva et al. 2020, arXiv:2003.04807). What it
names is masked in both, so that only what is asked counts. Questions that the rules cannot answer have examples, too: what is
nearest to these keeps its own words.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from noderag_local.aggregation.entries import Entries
from noderag_local.aggregation.question_content import languages_of, split_off_asking
from noderag_local.aggregation.question_phrases import phrases, words_of
from noderag_local.aggregation.usual.named_slots import ITEM, MASKS, PERSON, THING, Slotted, slotted
from noderag_local.text.stopwords import stop_words

LANGUAGE = "en"
"""ISO 639-1 code of the examples, and of the model of their vectors."""
VECTORS_FILE = "forms.npy"
"""Vectors of the examples by the embedding model that comes with the program, (n, dim) float16."""
NEAREST = 2
"""Number of examples of a form whose mean cosine is the form's."""
LEAST_COSINE = 0.45
"""A question that is less near to every form asks something else."""
LEAST_LEAD = 0.01
"""By how much the nearest form must be nearer than the next one."""
LEAST_SUM = 0.6
"""The least sum of both: what is less near has to be the clearer."""
LONGEST_CHARACTERS = 600
"""A longer text is no question."""
_NAMING = frozenset((PERSON, THING, ITEM))
"""Slots for what a question is about; without them, every word of it may matter."""
_SLOT = re.compile(r"\{(\w+)\}")

Vectors = NDArray[np.float32]
Embed = Callable[[Sequence[str]], Vectors]
"""Returns the vectors of questions, (n, dim) float32 of unit length."""


@dataclass(frozen=True, slots=True)
class Example:
    """A way to ask something, with masks in its slots."""

    text: str
    plain: str
    """The question in plain words, with its slots; "" where the rules cannot answer it."""
    slots: frozenset[str]


@cache
def examples() -> tuple[Example, ...]:
    """Returns the examples of `forms.toml`, in its order."""
    table = tomllib.loads(files(__package__).joinpath("forms.toml").read_text(encoding="utf-8"))
    asked = [(one["plain"], text) for one in table["form"] for text in (one["plain"], *one["asked"])]
    asked += [("", text) for one in table["other"] for text in one["asked"]]
    return tuple(
        Example(_SLOT.sub(lambda slot: MASKS[slot[1]], text), plain, frozenset(_SLOT.findall(text)))
        for plain, text in asked
    )


def usual_form(question: str, entries: Entries, embed: Embed, today: date) -> str:
    """Returns a question in plain words that mean the same; "" if the question is no usual one.

    Args:
        question: the question in the user's own words.
        entries: the notes.
        embed: the embedding model that comes with the program, whatever the notes were embedded with.
        today: present day.
    """
    # No form asks for a reason.
    if len(question) > LONGEST_CHARACTERS or LANGUAGE not in languages_of(question) or "why" in words_of(question):
        return ""
    ways = [
        way
        for way in slotted(question, LANGUAGE, entries, today, _vocabulary())
        if _has_form(way.slots) and (way.slots & _NAMING or _is_all_usual(way.text, entries))
    ]
    if not ways:
        return ""
    known, vectors = _example_vectors(), embed([way.text for way in ways])
    found = [(_nearest(way, vector, known), way) for way, vector in zip(ways, vectors, strict=True)]
    near, way = max(found, key=lambda one: one[0].cosine)
    if not near.is_clear or _is_negated(near.example.text) != _is_negated(question):
        return ""
    return _SLOT.sub(lambda slot: way.named[slot[1]], near.example.plain)


@cache
def _vocabulary() -> frozenset[str]:
    """Returns the words of all examples but for their masks."""
    words = (word for example in examples() for word in words_of(example.text))
    return frozenset(words) - frozenset(words_of(" ".join(MASKS.values())))


def _is_all_usual(masked: str, entries: Entries) -> bool:
    """Returns whether a question has no words of the notes that its usual form would drop."""
    left = set(words_of(masked)) - _vocabulary() - stop_words(LANGUAGE) - set(words_of(" ".join(MASKS.values())))
    return not any(map(entries.knows, left))


@dataclass(frozen=True, slots=True)
class _Near:
    """The form that is nearest to a question."""

    cosine: float
    lead: float
    """By how much the next form is less near."""
    example: Example
    """The nearest example of the form."""

    @property
    def is_clear(self) -> bool:
        """Whether the form is near enough to be what is asked."""
        return self.cosine >= LEAST_COSINE and self.lead >= LEAST_LEAD and self.cosine + self.lead >= LEAST_SUM


def _nearest(way: Slotted, vector: Vectors, known: Vectors) -> _Near:
    of_forms: dict[str, list[tuple[float, Example]]] = {}
    for example, cosine in zip(examples(), (known @ vector).tolist(), strict=True):
        if example.slots == way.slots:
            of_forms.setdefault(example.plain, []).append((cosine, example))
    best = {form: sorted(found, key=lambda one: -one[0])[:NEAREST] for form, found in of_forms.items()}
    cosines = {form: sum(cosine for cosine, _ in found) / len(found) for form, found in best.items()}
    first, *others = sorted(cosines, key=lambda form: -cosines[form])
    return _Near(cosines[first], cosines[first] - max(map(cosines.__getitem__, others), default=0.0), best[first][0][1])


@cache
def _has_form(slots: frozenset[str]) -> bool:
    return any(example.slots == slots and example.plain for example in examples())


def _is_negated(question: str) -> bool:
    """Returns whether what a question asks is negated; what it says besides does not matter."""
    known = phrases(LANGUAGE)
    asking = split_off_asking(question, known)[1]
    return known.has("negated", known.without("forgotten", words_of(asking)))


@cache
def _example_vectors() -> Vectors:
    """Returns the vectors of `examples`, (n, dim) float32; `scripts/usual_forms.py` computes them after a change."""
    with files(__package__).joinpath(VECTORS_FILE).open("rb") as file:
        return np.asarray(np.load(file, allow_pickle=False), dtype=np.float32)
