"""Says in plain words why a value was refused that a person or a program gave."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_WHOLE = "it must be a whole number"
_NUMBER = "it must be a number"
_YES_OR_NO = "it must be true or false"
_TEXT = "it must be a text"
_WORDS = {
    "missing": "it is missing",
    "extra_forbidden": "there is nothing of this name",
    "int_parsing": _WHOLE,
    "int_type": _WHOLE,
    "int_from_float": _WHOLE,
    "float_parsing": _NUMBER,
    "float_type": _NUMBER,
    "bool_parsing": _YES_OR_NO,
    "bool_type": _YES_OR_NO,
    "string_type": _TEXT,
    "path_type": _TEXT,
    "greater_than_equal": "it must be at least {ge:,}",
    "less_than_equal": "it must be at most {le:,}",
    "literal_error": "it must be {expected}",
}
"""Words for pydantic's types of problems; others are told as pydantic tells them."""
_OWN = "Value error, "
"""Words that pydantic puts in front of the message of a check of our own."""


def problem_in_words(problem: Mapping[str, Any]) -> str:
    """Returns what is wrong with a value, without quoting it.

    Args:
        problem: one of `ValidationError.errors()`.
    """
    words = _WORDS.get(problem["type"])
    return words.format(**problem.get("ctx", {})) if words else str(problem["msg"]).removeprefix(_OWN)
