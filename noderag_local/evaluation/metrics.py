"""Coverage, exact match and F1 of contexts and answers, after SQuAD normalisation.

Normalisation follows Rajpurkar et al. 2016 (lower case, no punctuation, no articles) with one difference: punctuation
becomes a space, so that "Anglo-French" is two tokens. All scores are shares or means between 0 and 1.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_SIGNS = str.maketrans(dict.fromkeys(string.punctuation + "–—’‘“”", " "))


def normalise(text: str) -> str:
    """Normalises a text: lower case, punctuation to blanks, no articles, single blanks."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_SIGNS)).split())


def covers(context: str, answers: Sequence[str]) -> bool:
    """Whether the context contains one of the answers as whole tokens; an answer of only signs is never contained."""
    tokens = f" {normalise(context)} "
    return any(f" {wanted} " in tokens for wanted in map(normalise, answers) if wanted)


def covers_raw(context: str, answers: Sequence[str]) -> bool:
    """Whether the context contains one of the answers letter by letter, ignoring capitals."""
    letters = context.lower()
    return any(answer.lower() in letters for answer in answers)


def exact_match(prediction: str, answers: Sequence[str]) -> bool:
    """Whether the prediction is one of the answers."""
    return normalise(prediction) in {normalise(answer) for answer in answers}


def token_f1(prediction: str, answers: Sequence[str]) -> float:
    """Returns the best F1 between the tokens of the prediction and those of an answer."""
    return max(_f1(normalise(prediction).split(), normalise(answer).split()) for answer in answers)


def _f1(predicted: list[str], wanted: list[str]) -> float:
    common = sum((Counter(predicted) & Counter(wanted)).values())
    if not common:
        return float(predicted == wanted)
    return 2 * common / (len(predicted) + len(wanted))


def supported(titles: Sequence[str], supports: Sequence[str]) -> bool:
    """Whether every supporting paragraph, by its title, is among the retrieved titles."""
    return set(supports) <= set(titles)


def percentile(values: Sequence[float], share: float) -> float:
    """Returns element ⌊share·(n−1)⌋ of the sorted values: a percentile without interpolation."""
    return sorted(values)[int(share * (len(values) - 1))]
