"""Turns a stored statement, "subject | predicate | object", into a sentence."""

from __future__ import annotations


def spoken(statement: str) -> str:
    """Returns the three parts of a statement as one sentence; a text without delimiters stays as it is."""
    return " ".join(part for field in statement.split("|") for part in field.split())
