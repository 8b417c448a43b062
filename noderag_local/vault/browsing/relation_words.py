"""Words for relations, and words that say whose relation a phrase tells."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

OF_THE_PAGE = frozenset(
    "her his their ihr ihre ihrem ihren ihrer ihres sein seine seinem seinen seiner sa son ses leur leurs su sus hun haar zijn".split()
)
"""Words before a relation on the page of a person that mean this person: "her brother: Jan"."""
OF_OTHERS = OF_THE_PAGE | frozenset(
    "my mein meine meinem meinen meiner mi mis mijn ma mon mes our unser unsere unserem unseren unserer notre nos nuestro nuestra onze"
    " your dein deine deinem deinen deiner euer eure eurem euren eurer ton ta tes tu tus votre vos jouw jullie"
    " whose dessen deren dont cuyo cuya wiens".split()
)
"""Words before a relation inside a sentence, where it may be that of the author, the reader or another person of the sentence."""


@cache
def _groups() -> dict[str, frozenset[str]]:
    text = files(__package__).joinpath("relation_words.txt").read_text(encoding="utf-8")
    parts = re.split(r"^\[(\w+)\]$", text, flags=re.MULTILINE)[1:]
    return {name: frozenset(words.split()) for name, words in zip(parts[::2], parts[1::2], strict=True)}


def kin_words() -> frozenset[str]:
    """Returns words for relatives and partners."""
    return _groups()["kin"]


def near_words() -> frozenset[str]:
    """Returns words for friends, neighbours, doctors and the like."""
    return _groups()["near"]


def label_words() -> frozenset[str]:
    """Returns words that state a relation only with a colon behind them: "employer: …"."""
    return _groups()["label"]
