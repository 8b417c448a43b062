"""Scores contexts and answers: coverage, recall of evidence, exact match and F1.

Coverage, exact match and F1 use SQuAD normalisation (Rajpurkar et al. 2016: lower case, no punctuation, no articles), but
replace punctuation by a space, so that "Anglo-French" is two tokens, and keep articles where nothing else would be left. All
scores are between 0 and 1.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Sequence
from math import ceil
from pathlib import PurePath

from noderag_local.storage.documents.bigrams import spaced_out, without_unspaced

SHORTEST_EVIDENCE = 4
"""Minimum words of a sentence that identifies a piece of evidence; shorter ones ("Sounds good!") occur in many places."""

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_LETTER = re.compile(r"[^\w\s]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


class _Signs(dict[int, str]):
    """Translates the punctuation of all scripts to spaces; a character is looked up once."""

    def __missing__(self, code: int) -> str:
        self[code] = " " if unicodedata.category(chr(code)).startswith("P") else chr(code)
        return self[code]


_SIGNS = _Signs.fromkeys(map(ord, string.punctuation), " ")


def normalise(text: str) -> str:
    """Returns the text in lower case, with single spaces in place of punctuation, and without articles unless it has only these."""
    words = _without_signs(text.lower())
    return " ".join(_ARTICLES.sub(" ", words).split()) or words


def _without_signs(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).translate(_SIGNS).split())


def covers(context: str, answers: Sequence[str]) -> bool:
    """Returns whether the context contains one of the answers.

    An answer in a script without spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese; also Korean, whose
    words have attached particles) is searched for as a substring without regard to case. Any other answer must occur as
    whole tokens after normalisation; a character of such a script ends a token. An answer that is an article, such as the
    grade "A", must have its capitals. An answer without letters or digits is never contained.
    """
    context = unicodedata.normalize("NFC", context)
    letters, tokens = context.casefold(), f" {normalise(spaced_out(context))} "
    return any(_is_in(letters, tokens, context, unicodedata.normalize("NFC", answer)) for answer in answers)


def _is_in(letters: str, tokens: str, context: str, answer: str) -> bool:
    wanted = normalise(answer)
    if _is_unspaced(answer):
        return bool(wanted) and answer.casefold() in letters
    if wanted and not _ARTICLES.sub("", wanted).strip():
        return f" {_without_signs(answer)} " in f" {_without_signs(spaced_out(context))} "
    return bool(wanted) and f" {wanted} " in tokens


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
    return " ".join(_NO_LETTER.sub(" ", unicodedata.normalize("NFC", text).lower()).split())


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
    """Returns element ⌈share·n⌉ of the sorted values, the smallest that at least this share does not exceed."""
    # A product such as 57.00000000000001 counts as 57.
    return sorted(values)[max(0, ceil(share * len(values) - 1e-9) - 1)]
