"""Parses what the model writes about a chunk: lines "number subject | predicate | object" with names copied from the chunk.

The parser checks what `statement_constraint` enforces, for texts that were written without it, by a server.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from noderag_local.extraction.statements.numbered_text import NumberedText
from noderag_local.text.identity import entity_key

MOST_NAME_WORDS = 8
MOST_NAME_BYTES = 100
MOST_PREDICATE_WORDS = 5
MOST_PREDICATE_BYTES = 48
DELIMITER = " | "

_LINE = re.compile(r"\s*+(\d{1,3})[.):]?\s++([^|]++)\|([^|]++)\|([^|]++)")
_ARTICLE = re.compile(r"(?:the|an?) +", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Statement:
    """A relationship as one sentence states it."""

    sentence: int
    """0-based, in its chunk."""
    subject: str
    predicate: str
    object: str

    def __str__(self) -> str:
        return DELIMITER.join((self.subject, self.predicate, self.object))


@dataclass(frozen=True, slots=True)
class Parsed:
    """Statements that were accepted from a model's text."""

    statements: tuple[Statement, ...]
    rejected: int
    """Number of lines that were rejected."""


def parse(output: str, text: NumberedText, answers: int = 1) -> Parsed:
    """Returns the statements in a model's text whose names both stand in the chunk.

    Lines are passed over that are malformed, name a sentence that is not there, copy wrongly, say nothing (subject and
    object the same), repeat one before them, be it the other way round, or come after as many lines as the answers may have.

    Args:
        output: the model's lines.
        text: the chunk.
        answers: number of answers that the lines come from; each may have as many as the chunk.
    """
    found: dict[tuple[frozenset[str], str], Statement] = {}
    lines = [line for line in output.split("\n") if line.strip()]
    for line in lines:
        statement = _statement(line, text)
        if statement is not None and len(found) < answers * sum(text.lines):
            ends = frozenset((entity_key(statement.subject), entity_key(statement.object)))
            found.setdefault((ends, statement.predicate.casefold()), statement)
    return Parsed(tuple(found.values()), len(lines) - len(found))


def _statement(line: str, text: NumberedText) -> Statement | None:
    match = _LINE.fullmatch(line)
    if match is None or not 1 <= int(match[1]) <= len(text.sentences):
        return None
    subject, predicate, object_ = (_literal(match[2], text), match[3].strip(), _literal(match[4], text))
    if subject is None or object_ is None or entity_key(subject) == entity_key(object_):
        return None
    if not 0 < len(predicate.split()) <= MOST_PREDICATE_WORDS or len(predicate.encode()) > MOST_PREDICATE_BYTES:
        return None
    return Statement(_sentence(int(match[1]) - 1, (subject, object_), text), subject, predicate, object_)


def _sentence(told: int, names: Sequence[str], text: NumberedText) -> int:
    """Returns the sentence that has most of the names, object before subject; of equal ones the nearest to the one told.

    The numbers keep the model moving; it often writes the second fact of a sentence under the number of the next.
    """

    def fit(at: int) -> tuple[bool, bool, int]:
        sentence = text.sentences[at].casefold()
        subject, object_ = (name.casefold() in sentence for name in names)
        return object_, subject, -abs(at - told)

    return max(range(len(text.sentences)), key=fit)


def _literal(name: str, text: NumberedText) -> str | None:
    """Returns the name as it stands in the text, in whole words; None if it does not, or is no name."""
    folded = name.strip().encode().lower()
    if len(folded) > MOST_NAME_BYTES or not 0 < len(name.split()) <= MOST_NAME_WORDS:
        return None
    for start in text.starts:
        end = start + len(folded)
        if text.folded.startswith(folded, start) and end in text.ends:
            return text.source[start:end].decode()
    article = _ARTICLE.match(name.strip())
    return _literal(name.strip()[article.end() :], text) if article else None
