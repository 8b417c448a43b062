"""Reads the object that a file of JSON holds, and the records in it."""

from __future__ import annotations

import json
from typing import Any

from noderag_local.domain.errors import DocumentError


def json_object(text: str, called: str) -> dict[str, Any]:
    """Returns the object that a text of JSON is.

    Args:
        text: the whole file.
        called: what a file of the format is called, such as "notebook", for messages.

    Raises:
        DocumentError: it is no JSON, or no object.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DocumentError(f"it is no JSON, as a {called} is ({error})") from error
    if not isinstance(found, dict):
        raise DocumentError(f"it is JSON, but no {called}")
    return found


def records(value: object) -> list[dict[str, Any]]:
    """Returns the objects in a list; none if the value is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
