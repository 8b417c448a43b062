"""The examples of usual questions, in English, and their vectors by the embedding models that tell them apart."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from noderag_local.aggregation.question_phrases import LANGUAGES
from noderag_local.aggregation.usual.named_slots import MASKS

SLOT = re.compile(r"\{(\w+)\}")
"""A slot of a form or example, by its name."""
Vectors = NDArray[np.float32]
Embed = Callable[[Sequence[str]], Vectors]
"""Returns the vectors of questions, (n, dim) float32 of unit length."""


@dataclass(frozen=True, slots=True)
class MeaningModel:
    """An embedding model that tells questions apart, and how near its vectors have to be."""

    file: str
    """Its vectors of the examples, (n, dim) float16, in this folder."""
    least_cosine: float
    """A question that is less near to every form asks something else."""
    least_lead: float
    """By how much the nearest form must be nearer than the next one."""
    least_sum: float
    """The least sum of both: what is less near has to be the clearer."""

    def vectors(self) -> Vectors:
        """Returns the vectors of `examples`, (n, dim) float32; `scripts/usual_forms.py` computes them after a change."""
        return _vectors(self.file)


ENGLISH = MeaningModel("forms.npy", 0.45, 0.01, 0.6)
"""The model that comes with the program, all-MiniLM-L6-v2, which knows English."""
MULTILINGUAL = MeaningModel("forms_multilingual.npy", 0.87, 0.004, 0.885)
"""multilingual-e5-small, which sets a question beside English examples whatever its language is. Its cosines lie close together;
the bounds were chosen while looking at the German, French and Spanish years of notes of the manual's page on benchmarks."""
MULTILINGUAL_NAME = "multilingual-e5-small"
"""Name of that model in the catalogue."""


@dataclass(frozen=True, slots=True)
class Example:
    """A way to ask something, with masks in its slots."""

    text: str
    form: Mapping[str, str]
    """The question in plain words, with its slots, by language; nothing where the rules cannot answer it."""
    slots: frozenset[str]

    @property
    def name(self) -> str:
        """Tells its form from others: the plain words in English; "" where the rules cannot answer it."""
        return self.form.get("en", "")


@cache
def examples() -> tuple[Example, ...]:
    """Returns the examples of `forms.toml`, in its order."""
    table = tomllib.loads(files(__package__).joinpath("forms.toml").read_text(encoding="utf-8"))
    forms = [({language: one[language] for language in LANGUAGES}, one["asked"]) for one in table["form"]]
    asked = [(plain, text) for plain, ways in forms for text in (plain["en"], *ways)]
    asked += [({}, text) for one in table["other"] for text in one["asked"]]
    return tuple(
        Example(SLOT.sub(lambda slot: MASKS[slot[1]], text), plain, frozenset(SLOT.findall(text)))
        for plain, text in asked
    )


@cache
def _vectors(file: str) -> Vectors:
    with files(__package__).joinpath(file).open("rb") as opened:
        return np.asarray(np.load(opened, allow_pickle=False), dtype=np.float32)
