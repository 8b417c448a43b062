"""Coverage, recall of evidence, exact match and F1 of contexts and answers.

Coverage, exact match and F1 are after SQuAD normalisation (Rajpurkar et al. 2016: lower case, no punctuation, no
articles) with one difference: punctuation becomes a space, so that "Anglo-French" is two tokens. All scores are shares or
means between 0 and 1.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

from noderag_local.storage.documents.bigrams import spaced_out, without_unspaced

SHORTEST_EVIDENCE = 4
"""Words of the shortest sentence that shows a piece of evidence; shorter ones ("Sounds good!") stand in many places."""

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_LETTER = re.compile(r"[^\w\s]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_SIGNS = str.maketrans(dict.fromkeys(string.punctuation + "–—’‘“”", " "))


def normalise(text: str) -> str:
    """Normalises a text: lower case, punctuation to blanks, no articles, single blanks."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_SIGNS)).split())


def covers(context: str, answers: Sequence[str]) -> bool:
    """Whether the context contains one of the answers.

    An answer in a script that puts no spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese; Korean too,
    whose words carry their particles) is looked for as a plain substring, ignoring case, because there are no tokens to
    compare. Any other answer must stand there as whole tokens after normalisation; a character of such a script ends a
    token. An answer of only signs is never contained.
    """
    letters = context.casefold()
    tokens = f" {normalise(spaced_out(context))} "
    return any(
        answer.casefold() in letters if _is_unspaced(answer) else f" {wanted} " in tokens
        for answer in answers
        if (wanted := normalise(answer))
    )


def _is_unspaced(text: str) -> bool:
    """Whether some of the text is in a script that puts no spaces between words."""
    return without_unspaced(text) != text


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


def evidence_recall(context: str, evidence: Sequence[str]) -> float:
    """Returns the share of the pieces of evidence that the context contains.

    A piece is contained where one of its sentences of `SHORTEST_EVIDENCE` words or more stands in the context, without
    case and punctuation; where it has no such sentence, the whole piece must.

    Args:
        context: what was retrieved.
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
    """Whether every needed file is among the paths.

    Args:
        paths: of the documents in the context.
        needed: paths relative to the corpus, with `/` between folders.
        folder: name of the corpus's folder.
    """
    held = [f"/{PurePath(path).as_posix()}" for path in paths]
    return all(any(path.endswith(f"/{folder}/{file}") for path in held) for file in needed)


def percentile(values: Sequence[float], share: float) -> float:
    """Returns element ⌊share·(n−1)⌋ of the sorted values: a percentile without interpolation."""
    return sorted(values)[int(share * (len(values) - 1))]
