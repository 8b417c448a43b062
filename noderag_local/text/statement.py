"""How a stored statement, "subject | predicate | object", reads as a sentence."""

from __future__ import annotations


def spoken(statement: str) -> str:
    """The three parts of a statement in one line; what has no delimiter stays as it is."""
    return " ".join(part for field in statement.split("|") for part in field.split())
