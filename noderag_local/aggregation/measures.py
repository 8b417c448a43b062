"""Tells what is measured: by the name of a column or label, by the words of a question, and in which unit."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from noderag_local.aggregation.money import currency_of
from noderag_local.aggregation.question_phrases import Phrases, words_of

SUPERLATIVES: dict[str, tuple[tuple[str, bool], ...]] = {
    "longest": (("distance", True), ("duration", True), ("pages", True)),
    "shortest": (("distance", False), ("duration", False), ("pages", False)),
    "fastest": (("speed", True), ("pace", False)),
    "slowest": (("speed", False), ("pace", True)),
    "heaviest": (("weight", True),),
    "lightest": (("weight", False),),
    "dearest": (("money", True),),
    "cheapest": (("money", False),),
    "best": (("rating", True),),
    "hottest": (("temperature", True),),
    "coldest": (("temperature", False),),
    "largest": (),
    "smallest": (),
}
"""Keys of superlatives: what they may compare, the likeliest first, and whether the greatest value is meant."""
GREATEST = {"largest": True, "smallest": False}
"""Superlatives that compare whatever is asked or measured, and whether the greatest value is meant."""
_COMPOUND = frozenset({"pace", "speed"})
"""Measures that are told by two units: "min/km" is neither a duration nor a distance."""


@cache
def _table(part: str) -> dict[str, frozenset[str]]:
    text = (files("noderag_local.aggregation") / "measures.toml").read_text(encoding="utf-8")
    return {key: frozenset(words.split()) for key, words in tomllib.loads(text)[part].items()}


MEASURES = tuple(_table("names"))
"""All that is measured."""


def measure_words(measure: str) -> frozenset[str]:
    """Returns the casefolded words for a measure, such as "distance", in all languages."""
    return _table("names")[measure]


def table_words(key: str) -> frozenset[str]:
    """Returns the words in names of tables that are "generic", or tell of "spending"."""
    return _table("tables")[key]


def label_words(key: str) -> frozenset[str]:
    """Returns the words by which a label tells the "total", or something "partial": "Total time", "Prep time"."""
    return _table("labels")[key]


def row_words(key: str) -> frozenset[str]:
    """Returns the words in the first cells of a row that tells the "total" of others."""
    return _table("rows")[key]


def measure_of(name: str) -> str:
    """Returns what a column or label measures, by its name: "distance" of "Strecke (km)"; "" where that is not clear."""
    words = set(words_of(name.replace("_", " ")))
    found = [measure for measure, known in _table("names").items() if words & known]
    if "min/km" in name or "/km" in name:
        return "pace"
    if "km/h" in name.casefold():
        return "speed"
    if any(measure in _COMPOUND for measure in found):
        return next(measure for measure in found if measure in _COMPOUND)
    return found[0] if len(found) == 1 else ""


def unit_of(text: str) -> str:
    """Returns the unit that a column's name or a value tells, as answers write it: "km" of "3 kilometres"; "" without one."""
    spaced = text.replace("_", " ")
    units = (unit for word in words_of(spaced) for unit, known in _table("units").items() if word in known)
    return next(units, "") or currency_of(spaced)


def asked_measures(words: Sequence[str], known: Phrases) -> list[str]:
    """Returns what a question asks to be measured, by its words: "distance" for "how many km" and "how far"."""
    asked = set(words) - _table("columns")["only"]
    found = [measure for measure, names in _table("names").items() if names & asked]
    if known.has("how_far", words):
        found.append("distance")
    if known.has("how_long", words):
        found.append("duration")
    return list(dict.fromkeys(found))


def superlative_in(words: Sequence[str], known: Phrases) -> str:
    """Returns the key of the superlative in a question; "" without one, or with several."""
    found = [key for key in SUPERLATIVES if known.has(key, words)]
    return found[0] if len(found) == 1 else ""
