"""Scores contexts and answers: coverage, recall of evidence, exact match and F1.

Coverage, exact match and F1 use SQuAD normalisation (Rajpurkar et al. 2016: lower case, no punctuation, no articles), but
replace punctuation by a space, so that "Anglo-French" is two tokens. All scores are between 0 and 1.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

from noderag_local.storage.documents.bigrams import spaced_out, without_unspaced

SHORTEST_EVIDENCE = 4
"""Minimum words of a sentence that identifies a piece of evidence; shorter ones ("Sounds good!") occur in many places."""

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_LETTER = re.compile(r"[^\w\s]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_SIGNS = str.maketrans(dict.fromkeys(string.punctuation + "–—’‘“”", " "))


def normalise(text: str) -> str:
    """Returns the text in lower case, without articles, and with single spaces in place of punctuation."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_SIGNS)).split())


def covers(context: str, answers: Sequence[str]) -> bool:
    """Returns whether the context contains one of the answers.

    An answer in a script without spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese; also Korean, whose
    words have attached particles) is searched for as a substring without regard to case. Any other answer must occur as
    whole tokens after normalisation; a character of such a script ends a token. An answer without letters or digits is
    never contained.
    """
    letters = context.casefold()
    tokens = f" {normalise(spaced_out(context))} "
    return any(
        answer.casefold() in letters if _is_unspaced(answer) else f" {wanted} " in tokens
        for answer in answers
        if (wanted := normalise(answer))
    )


def _is_unspaced(text: str) -> bool:
    """Returns whether a text contains a script that has no spaces between words."""
    return without_unspaced(text) != text


def covers_raw(context: str, answers: Sequence[str]) -> bool:
    """Returns whether the context contains one of the answers as a substring, ignoring case."""
    letters = context.lower()
    return any(answer.lower() in letters for answer in answers)


def exact_match(prediction: str, answers: Sequence[str]) -> bool:
    """Returns whether the prediction is one of the answers."""
    return normalise(prediction) in {normalise(answer) for answer in answers}


def token_f1(prediction: str, answers: Sequence[str]) -> float:
    """Returns the highest F1 between the tokens of the prediction and those of an answer."""
    return max(_f1(normalise(prediction).split(), normalise(answer).split()) for answer in answers)


def _f1(predicted: list[str], wanted: list[str]) -> float:
    common = sum((Counter(predicted) & Counter(wanted)).values())
    if not common:
        return float(predicted == wanted)
    return 2 * common / (len(predicted) + len(wanted))


def supported(titles: Sequence[str], supports: Sequence[str]) -> bool:
    """Returns whether the titles of all supporting paragraphs are among the retrieved titles."""
    return set(supports) <= set(titles)


def evidence_recall(context: str, evidence: Sequence[str]) -> float:
    """Returns the share of the pieces of evidence that the context contains.

    A piece is contained if one of its sentences with at least `SHORTEST_EVIDENCE` words occurs in the context, ignoring case
    and punctuation. A piece without such a sentence must occur as a whole.

    Args:
        context: retrieved context.
        evidence: passages of the corpus that answer the question; not empty.
    """
    words = _plain_words(context)
    return sum(_shows(words, piece) for piece in evidence) / len(evidence)


def _shows(words: str, piece: str) -> bool:
    sentences = [_plain_words(sentence) for sentence in _SENTENCE_END.split(piece)]
    long = [sentence for sentence in sentences if len(sentence.split()) >= SHORTEST_EVIDENCE]
    return any(sentence in words for sentence in long or [_plain_words(piece)])


def _plain_words(text: str) -> str:
    return " ".join(_NO_LETTER.sub(" ", text.lower()).split())


def holds_files(paths: Sequence[str], needed: Sequence[str], folder: str) -> bool:
    """Returns whether every needed file is among the paths.

    Args:
        paths: paths of the documents in the context.
        needed: paths relative to the corpus, with `/` between folders.
        folder: name of the corpus's folder.
    """
    held = [f"/{PurePath(path).as_posix()}" for path in paths]
    return all(any(path.endswith(f"/{folder}/{file}") for path in held) for file in needed)


def percentile(values: Sequence[float], share: float) -> float:
    """Returns element ⌊share·(n−1)⌋ of the sorted values, a percentile without interpolation."""
    return sorted(values)[int(share * (len(values) - 1))]
